/** Flows whose action nodes share an account; they post short messages about their outputs to the collector. */

import type { Simulator } from '../../simulator'
import { defaultsOf } from './built'
import type { Collector } from './collector'
import { accountNode, collectorNode, position } from './e2e-flow'
import type { ActionName, Message } from './flow-types'
import type { FlowNode } from './node-red'

export interface QuotaNode {
  id: string
  action: ActionName
  /** Properties that override the node's defaults. */
  settings?: Record<string, unknown>
  /** The devices named in the triggering message. */
  devices?: readonly { serial: string; base: string }[]
}

interface QuotaFlowOptions {
  simulator: Simulator
  collector: Collector
  nodes: readonly QuotaNode[]
  /** Account properties that override the defaults. */
  account?: Record<string, unknown>
  /** A credential in addition to the login. */
  sharedQuotaPassword?: string
}

/** A message in the box of a node. */
export interface DeviceMessage extends Message {
  serials: string[]
  envlog: { quota: Record<string, number | null>; endpoint: string; receivedAt: string }
}

/**
 * `trigger-<id>` triggers a node; its messages are in the box `<id>`, those of a Catch node in `errors`, statuses in
 * `statuses`. The account is `account-<port>`: each service has its own.
 */
export function quotaFlow({
  simulator,
  collector,
  nodes,
  account = {},
  ...more
}: QuotaFlowOptions): FlowNode[] {
  const { apiKey, loginId, loginPass } = simulator.account
  const id = accountId(simulator)
  const login = accountNode(simulator, {
    id,
    // Not the plain id: Node-RED would treat it as a reference.
    name: `the ${id}`,
    retries: 0,
    ...account,
    credentials: { apiKey, loginId, loginPass, sharedQuotaPassword: more.sharedQuotaPassword ?? '' },
  })
  return [
    { id: 'tab', type: 'tab', label: 'quota' },
    login,
    ...nodes.flatMap((node) => nodesOf(node, id, collector)),
    { id: 'catch', type: 'catch', z: 'tab', scope: null, ...position, wires: [['collect-errors']] },
    collectorNode(collector, 'errors', '{ error: msg.error, envlog: msg.envlog }'),
    { id: 'status', type: 'status', z: 'tab', scope: null, ...position, wires: [['collect-statuses']] },
    // The http request node has its own statuses, which would cause further messages.
    collectorNode(
      collector,
      'statuses',
      '{ status: msg.status }',
      "msg.status.source.type !== 'http request'",
    ),
    { id: 'post', type: 'http request', z: 'tab', method: 'use', ret: 'txt', ...position, wires: [[]] },
  ]
}

export const accountId = ({ port }: Simulator) => `account-${port}`

function nodesOf({ id, action, settings, devices }: QuotaNode, account: string, collector: Collector) {
  const type = `envlog-${action}`
  const named = devices && { select: 'msg' }
  const props = devices ? [{ p: 'devices', v: JSON.stringify(devices), vt: 'json' }] : []
  return [
    { id: `trigger-${id}`, type: 'inject', z: 'tab', props, ...position, wires: [[id]] },
    {
      // Each trigger sends the whole response.
      id,
      type,
      z: 'tab',
      name: id,
      ...defaultsOf(type),
      onlyNew: false,
      ...named,
      ...settings,
      account,
      ...position,
      wires: [[`collect-${id}`]],
    },
    collectorNode(collector, id, `{ envlog: msg.envlog, serials: ${SERIALS} }`),
    {
      id: `complete-${id}`,
      type: 'complete',
      z: 'tab',
      scope: [id],
      ...position,
      wires: [[`collect-done-${id}`]],
    },
    collectorNode(collector, `done-${id}`, '{}'),
  ] satisfies FlowNode[]
}

/** The serials of the devices that a message is about. */
const SERIALS =
  'msg.envlog.device ? [msg.envlog.device.serial] : [].concat(msg.payload).map((one) => one.serial)'
