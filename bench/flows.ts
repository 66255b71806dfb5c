/** The flows of the three Node-REDs that are compared; `ask-<case>` is triggered, its messages come to a sink. */
import { defaultsOf } from '../test/support/built'
import type { FlowNode } from '../test/support/node-red'
import type { Case } from './cases'
import type { OpenService } from './services'

export const systems = ['floor', 'ours', 'hand'] as const
export type System = (typeof systems)[number]

/** A case with the service that it asks. */
export interface Asked {
  one: Case
  service: OpenService
}

const place = { z: 'tab', x: 100, y: 100 }
const triggerOf = ({ id }: Case) => `ask-${id}`

export { triggerOf }

export function flowOf(system: System, asked: readonly Asked[]): FlowNode[] {
  return [
    { id: 'tab', type: 'tab', label: 'bench' },
    { id: 'sink', type: 'bench-sink', ...place, wires: [] },
    { id: 'catch', type: 'catch', scope: null, ...place, wires: [['failed']] },
    { id: 'failed', type: 'bench-failed', ...place, wires: [] },
    ...asked.flatMap(lanes[system]),
  ]
}

const lanes: Record<System, (asked: Asked) => FlowNode[]> = { floor, ours, hand }

export const addressOf = ({ one, service }: Asked) => `${service.url}/v1/devices/${one.path}`

export function bodyOf({ one, service: { login } }: Asked): string {
  const { apiKey, loginId, loginPass } = login
  return JSON.stringify({ 'api-key': apiKey, 'login-id': loginId, 'login-pass': loginPass, ...one.params })
}

function floor(asked: Asked): FlowNode[] {
  const url = addressOf(asked)
  return [
    { id: triggerOf(asked.one), type: 'bench-floor', url, body: bodyOf(asked), ...place, wires: [['sink']] },
  ]
}

/** So much that nothing ever waits, before the headers say so too. */
const plenty = { limit: 1_000_000, window: 1 }
const manyRecords = { ...plenty, records: 1_000_000_000, recordsWindow: 1 }
const LIMITS = {
  current: plenty,
  'latest-data': plenty,
  'latest-data-relay': plenty,
  data: manyRecords,
  'data-relay': manyRecords,
  alert: plenty,
}

export const accountOf = ({ one }: Asked) => `account-${one.id}`

function ours(asked: Asked): FlowNode[] {
  const { one, service } = asked
  return [
    {
      id: accountOf(asked),
      type: 'envlog-account',
      ...defaultsOf('envlog-account'),
      name: one.service,
      baseUrl: service.url,
      retries: 0,
      limits: JSON.stringify(LIMITS),
    },
    {
      id: triggerOf(one),
      type: one.type,
      ...defaultsOf(one.type),
      ...one.settings,
      account: accountOf(asked),
      ...place,
      wires: [['sink']],
    },
  ]
}

/** Core nodes as they are dropped: a function that asks, an http request, a function that puts together. */
function hand(asked: Asked): FlowNode[] {
  const { one } = asked
  const [request, read] = [`request-${one.id}`, `read-${one.id}`]
  const ask = `msg.headers = { 'content-type': 'application/json', 'x-http-method-override': 'GET' }
msg.payload = ${bodyOf(asked)}
return msg`
  const func = { type: 'function', outputs: 1, noerr: 0, initialize: '', finalize: '', libs: [] }
  return [
    { id: triggerOf(one), ...func, func: ask, ...place, wires: [[request]] },
    {
      id: request,
      type: 'http request',
      ...{ method: 'POST', ret: 'obj', paytoqs: 'ignore', url: addressOf(asked), tls: '', persist: false },
      ...{ proxy: '', insecureHTTPParser: false, authType: '', senderr: false, headers: [] },
      ...place,
      wires: [[read]],
    },
    { id: read, ...func, func: one.hand, ...place, wires: [['sink']] },
  ]
}
