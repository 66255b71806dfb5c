/** Flows whose action nodes share an account: what comes of them is told to the collector in few words. */
import type { Simulator } from '../../simulator'
import { defaultsOf } from './built'
import type { Collector, Message } from './collector'
import { type ActionName, place } from './e2e-flow'
import type { FlowNode } from './node-red'

export interface AskingNode {
  id: string
  action: ActionName
  /** With the reference-only ID of the account. */
  reference?: boolean
  /** Properties over those of a node as it is dropped. */
  settings?: Record<string, unknown>
  /** What the message that triggers it names. */
  devices?: readonly { serial: string; base: string }[]
}

export interface Wish {
  simulator: Simulator
  collector: Collector
  nodes: readonly AskingNode[]
  /** Properties of the accounts, over those of dropped ones. */
  account?: Record<string, unknown>
  /** A credential beside the login. */
  sharedQuotaPassword?: string
}

/** What comes to the box of a node. */
export interface Told extends Message {
  serials: string[]
  envlog: { quota: Record<string, number | null>; endpoint: string; receivedAt: string }
}

/**
 * `ask-<id>` triggers a node; its messages come to the box `<id>`, what a Catch node is told to `errors`, statuses
 * to `statuses`. The accounts are `account-<port>` and, with the reference-only ID, `reference-<port>`: each service
 * has its own.
 */
export function quotaFlow({ simulator, collector, nodes, account = {}, ...more }: Wish): FlowNode[] {
  const { apiKey, loginId, loginPass, referenceId, referencePass } = simulator.account
  const login = (id: string, own: object): FlowNode => ({
    id,
    type: 'envlog-account',
    ...defaultsOf('envlog-account'),
    // Not the id: Node-RED would take it for a reference to itself.
    name: `the ${id}`,
    baseUrl: simulator.url,
    retries: 0,
    ...account,
    credentials: { apiKey, sharedQuotaPassword: more.sharedQuotaPassword ?? '', ...own },
  })
  const id = accountId(simulator)
  const referring = `reference-${simulator.port}`
  const accounts = [login(id, { loginId, loginPass })]
  if (nodes.some(({ reference }) => reference)) {
    accounts.push(login(referring, { loginId: referenceId, loginPass: referencePass }))
  }
  return [
    { id: 'tab', type: 'tab', label: 'quota' },
    ...accounts,
    ...nodes.flatMap((node) => laneOf(node, node.reference ? referring : id, collector)),
    { id: 'catch', type: 'catch', z: 'tab', scope: null, ...place, wires: [['tell-errors']] },
    teller(collector, 'errors', '{ error: msg.error, envlog: msg.envlog }'),
    { id: 'status', type: 'status', z: 'tab', scope: null, ...place, wires: [['tell-statuses']] },
    // Telling it has a status of its own, and so would that have.
    teller(collector, 'statuses', '{ status: msg.status }', "msg.status.source.type !== 'http request'"),
    { id: 'post', type: 'http request', z: 'tab', method: 'use', ret: 'txt', ...place, wires: [[]] },
  ]
}

export const accountId = ({ port }: Simulator) => `account-${port}`

function laneOf({ id, action, settings, devices }: AskingNode, account: string, collector: Collector) {
  const type = `envlog-${action}`
  const named = devices && { select: 'msg' }
  const props = devices ? [{ p: 'devices', v: JSON.stringify(devices), vt: 'json' }] : []
  return [
    { id: `ask-${id}`, type: 'inject', z: 'tab', props, ...place, wires: [[id]] },
    {
      // Each trigger is to send what it got.
      ...{ id, type, z: 'tab', name: id, ...defaultsOf(type), onlyNew: false },
      ...{ ...named, ...settings, account, ...place },
      wires: [[`tell-${id}`]],
    },
    teller(collector, id, `{ envlog: msg.envlog, serials: ${SERIALS} }`),
    { id: `complete-${id}`, type: 'complete', z: 'tab', scope: [id], ...place, wires: [[`tell-done-${id}`]] },
    teller(collector, `done-${id}`, '{}'),
  ] satisfies FlowNode[]
}

/** Of the devices that a message is about. */
const SERIALS =
  'msg.envlog.device ? [msg.envlog.device.serial] : [].concat(msg.payload).map((one) => one.serial)'

function teller(collector: Collector, box: string, told: string, when = 'true'): FlowNode {
  const func = `if (${when}) return { method: 'POST', url: '${collector.url}/${box}', payload: JSON.stringify(${told}) }`
  return { id: `tell-${box}`, type: 'function', z: 'tab', func, outputs: 1, ...place, wires: [['post']] }
}
