import type { NodeAPI } from 'node-red'
import { EnvlogError, type ErrorCode } from '../../../lib/errors'
import { EDITOR } from '../../../lib/quota/fair-queue'
import type { RequestContext } from '../../../lib/quota/types'
import type { AdminFailure, ContextStore } from '../../../shared/admin'
import type { AccountNode } from '../../kit/action/account'
import { listContextStores } from '../../kit/state/context-store'

type Request = Parameters<Parameters<NodeAPI['httpAdmin']['get']>[1]>[0]
type Handler = ReturnType<NodeAPI['auth']['needsPermission']>
type Response = Parameters<Parameters<NodeAPI['httpAdmin']['get']>[1]>[1]

/** A person waits no longer for quota than this. */
const PATIENCE_MS = 10_000

/**
 * What the editor asks the runtime. What goes out to a typed address needs the permission to deploy flows, which could do
 * the same, beside `envlog.write`; what only tells needs `envlog.read`; without `adminAuth` Node-RED lets everybody in. Failures come as reasons, to be worded in the viewer's language.
 */
export function registerAdminRoutes(RED: NodeAPI): void {
  RED.httpAdmin.get(
    '/envlog/accounts/:id/quota',
    RED.auth.needsPermission('envlog.read'),
    (request, response) =>
      answer(response, async () => accountNode(RED, String(request.params.id)).quota.counts()),
  )
  RED.httpAdmin.get('/envlog/stores', RED.auth.needsPermission('envlog.read'), (_request, response) =>
    answer(response, async (): Promise<ContextStore[]> => listContextStores(RED)),
  )
  RED.httpAdmin.post('/envlog/devices', ...toAsk(RED), (request, response) =>
    answer(response, () =>
      whileOpen(RED, request, async (account, requestContext) => {
        const { readCachedDeviceList, fetchDeviceList } =
          require('./device-list') as typeof import('./device-list')
        const { anew, known } = (request.body ?? {}) as { anew?: unknown; known?: unknown }
        return known === true
          ? readCachedDeviceList(account)
          : fetchDeviceList(account, requestContext, anew === true)
      }),
    ),
  )
  RED.httpAdmin.post('/envlog/test', ...toAsk(RED), (request, response) =>
    answer(response, () =>
      whileOpen(RED, request, (account, requestContext) => {
        const { testAccount } = require('./account-test') as typeof import('./account-test')
        return testAccount(account, requestContext)
      }),
    ),
  )
}

/** What has to be before anything is asked of a service. */
function toAsk(RED: NodeAPI): Handler[] {
  return [RED.auth.needsPermission('envlog.write'), RED.auth.needsPermission('flows.write'), onlyJson]
}

/** A form of any web page could send other types without asking first. */
const onlyJson: Handler = (request, response, next) => {
  if (request.is('application/json')) next()
  else response.status(415).json({ reason: 'unexpected' } satisfies AdminFailure)
}

function accountNode(RED: NodeAPI, id: string) {
  const node = RED.nodes.getNode(id) as unknown as Partial<AccountNode> | null
  if (typeof node?.envlog !== 'function') throw new EnvlogError('no-account')
  return node.envlog()
}

type Work<T> = (account: ReturnType<typeof accountNode>, requestContext: RequestContext) => T | Promise<T>

/** Work with the account that is typed, given up when the editor goes away. */
async function whileOpen<T>(RED: NodeAPI, request: Request, work: Work<T>): Promise<T> {
  const { openAccountDraft } = require('./account-draft') as typeof import('./account-draft')
  const { account: typed } = (request.body ?? {}) as { account?: unknown }
  const { user } = request as { user?: { username?: string } }
  const account = openAccountDraft(RED, typed, user?.username ?? '')
  const abort = new AbortController()
  const gone = () => abort.abort()
  request.socket.once('close', gone)
  try {
    return await work(account, { signal: abort.signal, queueKey: EDITOR, maxWaitMs: PATIENCE_MS })
  } finally {
    request.socket.off('close', gone)
    await account.close()
  }
}

/** Code → status of HTTP; any other is the service's fault, or the network's. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  ENVLOG_CONFIG: 400,
  ENVLOG_INPUT: 400,
  ENVLOG_QUOTA: 429,
  ENVLOG_BUSY: 429,
}

async function answer(response: Response, work: () => Promise<unknown>): Promise<void> {
  try {
    response.json(await work())
  } catch (error) {
    // What is none of ours is a defect, and its words may hold anything.
    const { code, reason, params, cause } =
      error instanceof EnvlogError ? error : { code: undefined, reason: 'unexpected', params: {}, cause: {} }
    const { retryAt } = cause as { retryAt?: string }
    const status = reason === 'no-account' ? 404 : ((code && STATUS[code]) ?? 502)
    const failure = { code, reason, params, retryAt } as AdminFailure
    response.status(status).json(failure)
  }
}
