/**
 * The flows of the Node-REDs that are compared; node `trigger-<case>` is triggered, and its messages are counted
 * by a sink.
 */
import { ACCOUNT_DEFAULTS } from '../src/shared/account'
import { defaultsOf } from '../test/support/built'
import type { FlowNode } from '../test/support/node-red'
import type { Case } from './cases'
import { type OpenService, services } from './services'

export const systems = ['floor', 'fetch', 'ours', 'hand'] as const
export type System = (typeof systems)[number]

/** One of our nodes with its service. */
export interface OurTarget {
  one: Pick<Case, 'id' | 'type' | 'settings'>
  service: OpenService
}

/** A case with its service. */
export interface BenchTarget extends OurTarget {
  one: Case
  service: OpenService
}

/** A node that polls all devices of a service with *only new*, and how many these are. */
export function pollTarget(
  name: 'poll-100' | 'poll-500' | 'poll-5000',
  service: OpenService,
  id = 'poll',
): OurTarget & { devices: number } {
  const devices = services[name].fleet.map(({ serial }) => ({ serial, base: serial }))
  const one = { id, type: 'envlog-latest', settings: { select: 'list', devices } } as const
  return { one, service, devices: devices.length }
}

const position = { z: 'tab', x: 100, y: 100 }
export const triggerOf = ({ id }: OurTarget['one']) => `trigger-${id}`

const shared: readonly FlowNode[] = [
  { id: 'tab', type: 'tab', label: 'bench' },
  { id: 'sink', type: 'bench-sink', ...position, wires: [] },
  { id: 'catch', type: 'catch', scope: null, ...position, wires: [['failed']] },
  { id: 'failed', type: 'bench-failed', ...position, wires: [] },
]

export const benchFlow = (system: System, targets: readonly BenchTarget[]): FlowNode[] => [
  ...shared,
  ...targets.flatMap((target) => nodesBySystem[system](target)),
]

/** Our nodes, and `start`, which triggers all of them. The sink also gets a message when a round of one has ended. */
export function ourFlow(targets: readonly OurTarget[]): FlowNode[] {
  const triggers = targets.map(({ one }) => triggerOf(one))
  return [
    ...shared,
    ...targets.flatMap(ours),
    { id: 'start', type: 'bench-start', ...position, wires: [triggers] },
    { id: 'complete', type: 'complete', scope: triggers, ...position, wires: [['sink']] },
  ]
}

/** The floor of a round: requests of all devices with the account's concurrency, and `JSON.parse`. */
export const floorFlow = (url: string, bodies: readonly string[]): FlowNode[] => [
  ...shared,
  {
    id: 'round',
    type: 'bench-round',
    ...{ url, bodies, concurrency: ACCOUNT_DEFAULTS.concurrency },
    ...position,
    wires: [['sink']],
  },
]

const nodesBySystem: Record<System, (target: BenchTarget) => FlowNode[]> = {
  floor: (target) => floor(target),
  fetch: (target) => floor(target, true),
  ours,
  hand,
}

export const addressOf = ({ one, service }: BenchTarget) => `${service.url}/v1/devices/${one.path}`

export const requestBodyOf = ({ one, service }: BenchTarget): string => bodyOf(service, one.params)

export function bodyOf({ login: { apiKey, loginId, loginPass } }: OpenService, params: object): string {
  return JSON.stringify({ 'api-key': apiKey, 'login-id': loginId, 'login-pass': loginPass, ...params })
}

/** @param byFetch with Node's built-in `fetch` instead of its http client */
function floor(target: BenchTarget, byFetch = false): FlowNode[] {
  const url = addressOf(target)
  return [
    {
      id: triggerOf(target.one),
      type: 'bench-floor',
      url,
      body: requestBodyOf(target),
      byFetch,
      ...position,
      wires: [['sink']],
    },
  ]
}

/** Limits that are never reached; the headers report the same. */
const generous = { limit: 1_000_000, window: 1 }
const manyRecords = { ...generous, records: 1_000_000_000, recordsWindow: 1 }
const LIMITS = {
  current: generous,
  'latest-data': generous,
  'latest-data-relay': generous,
  data: manyRecords,
  'data-relay': manyRecords,
  alert: generous,
}

export const accountIdOf = ({ one }: OurTarget) => `account-${one.id}`

function ours(target: OurTarget): FlowNode[] {
  const { one, service } = target
  return [
    {
      id: accountIdOf(target),
      type: 'envlog-account',
      ...defaultsOf('envlog-account'),
      name: one.id,
      baseUrl: service.url,
      retries: 0,
      limits: JSON.stringify(LIMITS),
    },
    {
      id: triggerOf(one),
      type: one.type,
      ...defaultsOf(one.type),
      ...one.settings,
      account: accountIdOf(target),
      ...position,
      wires: [['sink']],
    },
  ]
}

/**
 * Core nodes with default settings: a function that makes the request, an http request, a function that makes the
 * output.
 */
function hand(target: BenchTarget): FlowNode[] {
  const { one } = target
  const [request, read] = [`request-${one.id}`, `read-${one.id}`]
  const code = `msg.headers = { 'content-type': 'application/json', 'x-http-method-override': 'GET' }
msg.payload = ${requestBodyOf(target)}
return msg`
  const func = { type: 'function', outputs: 1, noerr: 0, initialize: '', finalize: '', libs: [] }
  return [
    { id: triggerOf(one), ...func, func: code, ...position, wires: [[request]] },
    {
      id: request,
      type: 'http request',
      ...{ method: 'POST', ret: 'obj', paytoqs: 'ignore', url: addressOf(target), tls: '', persist: false },
      ...{ proxy: '', insecureHTTPParser: false, authType: '', senderr: false, headers: [] },
      ...position,
      wires: [[read]],
    },
    { id: read, ...func, func: one.hand, ...position, wires: [['sink']] },
  ]
}
