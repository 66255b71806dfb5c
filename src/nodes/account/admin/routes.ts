import type { NodeAPI } from 'node-red'
import { EnvlogError, type ErrorCode } from '../../../lib/errors'
import { timeZoneRulesOf } from '../../../lib/time-zone-rules'
import type { AdminFailure, ContextStore, UsualInterval } from '../../../shared/admin'
import { findAccountNode } from '../../kit/action/account-node'
import { listContextStores } from '../../kit/state/context-store'
import { toAdminFailure } from './admin-failure'
import { readQuotaCounts } from './quota-counts'

type Handler = ReturnType<NodeAPI['auth']['needsPermission']>
type Response = Parameters<Parameters<NodeAPI['httpAdmin']['get']>[1]>[1]

/**
 * The routes by which the editor sends requests to the runtime. A route that only reads needs the permission
 * `envlog.read`. A route that sends requests to an address from the editor needs `envlog.write` and the permission to
 * deploy flows, which could do the same. Without `adminAuth`, Node-RED permits everything. Errors are sent as reasons,
 * because only the editor knows the user's language.
 */
export function registerAdminRoutes(RED: NodeAPI): void {
  const canRead = RED.auth.needsPermission('envlog.read')
  const canRequest = [RED.auth.needsPermission('envlog.write'), RED.auth.needsPermission('flows.write')]
  RED.httpAdmin.get('/envlog/accounts/:id/quota', canRead, (request, response) =>
    respond(response, async () => {
      const node = findAccountNode(RED, String(request.params.id))
      if (!node) throw new EnvlogError('no-account')
      return readQuotaCounts(node.getAccount())
    }),
  )
  RED.httpAdmin.get('/envlog/stores', canRead, (_request, response) =>
    respond(response, async (): Promise<ContextStore[]> => listContextStores(RED)),
  )
  RED.httpAdmin.get('/envlog/time-zones', canRead, (_request, response) =>
    respond(response, async () => timeZoneRulesOf(process.versions)),
  )
  RED.httpAdmin.get('/envlog/limits/:id/interval', canRead, (request, response) =>
    respond(response, async (): Promise<UsualInterval> => {
      const node = RED.nodes.getNode(String(request.params.id)) as { usualPause?(): number } | null
      return { minutes: Math.round((node?.usualPause?.() ?? 0) / 60_000) }
    }),
  )
  for (const name of ['cached-devices', 'devices', 'test', 'report', 'try', 'preview'] as const) {
    const isAllowed = name === 'cached-devices' ? [canRead] : canRequest
    RED.httpAdmin.post(`/envlog/${name}`, ...isAllowed, requireJson, (request, response) => {
      const { runDraftRequest } = require('./draft-requests') as typeof import('./draft-requests')
      return respond(response, () => runDraftRequest(RED, request, name))
    })
  }
}

/**
 * Accepts only JSON, because any web page could send other content types to this origin without a preflight request.
 */
const requireJson: Handler = (request, response, next) => {
  if (request.is('application/json')) next()
  else response.status(415).json({ reason: 'unexpected' } satisfies AdminFailure)
}

/**
 * The HTTP status for each code. The status is 502 for all other errors, because the service or the network causes
 * them.
 */
const STATUS: Partial<Record<ErrorCode, number>> = {
  ENVLOG_CONFIG: 400,
  ENVLOG_INPUT: 400,
  ENVLOG_QUOTA: 429,
  ENVLOG_BUSY: 429,
}

async function respond(response: Response, work: () => Promise<unknown>): Promise<void> {
  try {
    response.json(await work())
  } catch (error) {
    const failure = toAdminFailure(error)
    const { code, reason } = failure
    const status = reason === 'no-account' ? 404 : (STATUS[code as ErrorCode] ?? 502)
    response.status(status).json(failure)
  }
}
