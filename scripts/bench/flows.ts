/** The flows to compare. In each, the node `trigger` is triggered, and the sink counts the messages that arrive. */
import { defaultsOf } from '../../test/support/built'
import type { FlowNode } from '../../test/support/node-red'
import type { Case } from './cases'
import type { Service } from './service'

export const systems = ['floor', 'ours', 'hand'] as const
export type System = (typeof systems)[number]

const position = { z: 'tab', x: 100, y: 100 }

export const createFlow = (system: System, benchCase: Case, service: Service): FlowNode[] => [
  { id: 'tab', type: 'tab', label: 'bench' },
  { id: 'sink', type: 'bench-sink', ...position, wires: [] },
  { id: 'catch', type: 'catch', scope: null, ...position, wires: [['sink']] },
  ...flows[system](benchCase, service),
]

export const createBodies = ({ requests }: Case, { login: { apiKey, loginId, loginPass } }: Service) =>
  requests.map((params) =>
    JSON.stringify({ 'api-key': apiKey, 'login-id': loginId, 'login-pass': loginPass, ...params }),
  )

const endpointUrl = ({ path }: Case, { url }: Service) => `${url}/v1/devices/${path}`

const flows: Record<System, (benchCase: Case, service: Service) => FlowNode[]> = {
  floor: (benchCase, service) => [
    {
      id: 'trigger',
      type: 'bench-floor',
      url: endpointUrl(benchCase, service),
      ...position,
      wires: [['sink']],
    },
  ],
  ours,
  hand,
}

/** Limits that are never reached; the service's headers report the same limits. */
const GENEROUS = { limit: 1_000_000, window: 1 }
const MANY_RECORDS = { ...GENEROUS, records: 1_000_000_000, recordsWindow: 1 }
/** For the report only. */
const LIMITS = [
  { name: 'too warm', above: 24, minutes: 10, margin: 1 },
  { name: 'too humid', quantity: 'humidity', above: 60, minutes: 10 },
]

const limits = JSON.stringify({
  current: GENEROUS,
  'latest-data': GENEROUS,
  'latest-data-relay': GENEROUS,
  data: MANY_RECORDS,
  'data-relay': MANY_RECORDS,
  alert: GENEROUS,
})

function ours(
  { type, settings, messages }: Pick<Case, 'type' | 'settings' | 'messages'>,
  { url }: Service,
): FlowNode[] {
  const account = { ...defaultsOf('envlog-account'), name: 'bench', baseUrl: url, retries: 0, limits }
  const node = { ...defaultsOf(type), ...settings, account: 'account', ...position }
  const isCounted = messages !== 'none'
  return [
    { id: 'account', type: 'envlog-account', ...account },
    {
      id: 'limits',
      type: 'envlog-limits',
      ...defaultsOf('envlog-limits'),
      account: 'account',
      limits: LIMITS,
    },
    { id: 'trigger', type, ...node, wires: isCounted ? [['sink']] : [[]] },
    { id: 'complete', type: 'complete', scope: isCounted ? [] : ['trigger'], ...position, wires: [['sink']] },
  ]
}

/**
 * Core nodes with default settings: a function that creates the requests, an http request, and a function that reads
 * the responses.
 */
function hand(benchCase: Case, service: Service): FlowNode[] {
  if (typeof benchCase.hand !== 'string') return ours({ ...benchCase, ...benchCase.hand }, service)
  const code = `const headers = { 'content-type': 'application/json', 'x-http-method-override': 'GET' }
return [[${createBodies(benchCase, service).join(',\n')}].map((payload) => ({ payload, headers }))]`
  const outputs = benchCase.messages === 'none' ? [[], ['sink']] : [['sink']]
  const request = { method: 'POST', ret: 'obj', url: endpointUrl(benchCase, service), wires: [['read']] }
  return [
    { id: 'trigger', type: 'function', func: code, outputs: 1, ...position, wires: [['request']] },
    { id: 'request', type: 'http request', ...request, ...position },
    {
      id: 'read',
      type: 'function',
      func: benchCase.hand,
      outputs: outputs.length,
      ...position,
      wires: outputs,
    },
  ]
}
