import type { NodeAPI } from 'node-red'
import type { Account } from '../../../lib/account'
import { EDITOR, type RequestContext } from '../../../lib/request'
import { openAccountDraft, resolveAccountDraft } from './account-draft'
import { reportAccount } from './account-report'
import { testAccount } from './account-test'
import { listCachedDevices, listDevices } from './device-list'
import { tryNode } from './node-trial'
import { previewPage } from './report-page'

type Request = Parameters<Parameters<NodeAPI['httpAdmin']['get']>[1]>[0]

/** Longest wait for quota of a request from the editor, because a user is waiting. */
const MAX_WAIT_MS = 10_000

type Work = (
  account: Account,
  requestContext: RequestContext,
  body: Record<string, unknown>,
  RED: NodeAPI,
) => unknown

const WORK = {
  devices: listDevices,
  test: testAccount,
  report: reportAccount,
  try: tryNode,
  preview: previewPage,
} satisfies Record<string, Work>

/** Opens the account of the request and does the work, which is aborted when the editor disconnects. */
export async function runDraftRequest(
  RED: NodeAPI,
  request: Request,
  name: keyof typeof WORK | 'cached-devices',
): Promise<unknown> {
  const body = (request.body ?? {}) as Record<string, unknown>
  const { user } = request as { user?: { username?: string } }
  const draft = resolveAccountDraft(RED, body.account, user?.username ?? '')
  if (name === 'cached-devices') return listCachedDevices(draft)
  const account = openAccountDraft(RED, draft)
  const abort = new AbortController()
  const onDisconnect = () => abort.abort()
  request.socket.once('close', onDisconnect)
  try {
    const work: Work = WORK[name]
    return await work(account, { signal: abort.signal, queueKey: EDITOR, maxWaitMs: MAX_WAIT_MS }, body, RED)
  } finally {
    request.socket.off('close', onDisconnect)
    await account.close()
  }
}
