/** A flow with all action nodes, which posts their messages to the collector. */

import type { Simulator } from '../../simulator'
import { defaultsOf } from './built'
import type { Collector } from './collector'
import { type ActionName, actions } from './flow-types'
import { limitsOf } from './no-limits'
import type { FlowNode } from './node-red'

/** A function node that posts `content` to a box of the collector, if a condition is true: by default each message. */
export function collectorNode(collector: Collector, box: string, content = 'msg', when = 'true'): FlowNode {
  return {
    id: `collect-${box}`,
    type: 'function',
    z: 'tab',
    name: box,
    func: `if (${when}) return { method: 'POST', url: '${collector.url}/${box}', payload: JSON.stringify(${content}) }`,
    outputs: 1,
    ...position,
    wires: [['post']],
  }
}

export const position = { x: 100, y: 100 }

/** An account at the simulator, with its limits. @param more overriding properties */
export function accountNode(simulator: Simulator, more: object = {}): FlowNode {
  const { apiKey, loginId, loginPass } = simulator.account
  return {
    id: 'account',
    type: 'envlog-account',
    ...defaultsOf('envlog-account'),
    baseUrl: simulator.url,
    limits: limitsOf(simulator),
    credentials: { apiKey, loginId, loginPass },
    ...more,
  }
}

interface ActionsFlowOptions {
  simulator: Simulator
  collector: Collector
  /** Properties that override the nodes' defaults. */
  nodes: Record<ActionName, Record<string, unknown>>
}

/** `trigger-<action>` triggers each node; `trigger-refused` triggers one whose account has a wrong password. */
export function actionsFlow({ simulator, collector, nodes }: ActionsFlowOptions): FlowNode[] {
  const { apiKey, loginId, loginPass } = simulator.account
  const account = (id: string, password: string): FlowNode => {
    const credentials = { apiKey, loginId, loginPass: password }
    return accountNode(simulator, { id, name: 'Plant A', retries: 0, credentials })
  }
  const action = (id: string, name: ActionName, accountId: string, properties: object): FlowNode[] => [
    {
      id: `trigger-${id}`,
      type: 'inject',
      z: 'tab',
      props: [{ p: 'keep', v: 'what was there', vt: 'str' }],
      ...position,
      wires: [[id]],
    },
    {
      id,
      type: `envlog-${name}`,
      z: 'tab',
      ...defaultsOf(`envlog-${name}`),
      account: accountId,
      ...properties,
      ...position,
      wires: [[`collect-${id}`]],
    },
    collectorNode(collector, id),
  ]
  const ids = [...actions, 'refused']
  return [
    { id: 'tab', type: 'tab', label: 'e2e' },
    account('account', loginPass),
    account('account-refused', wrongPassword(loginPass)),
    ...actions.flatMap((name) => action(name, name, 'account', nodes[name])),
    ...action('refused', 'current', 'account-refused', {}),
    { id: 'catch', type: 'catch', z: 'tab', scope: ids, ...position, wires: [['collect-errors']] },
    collectorNode(collector, 'errors'),
    { id: 'status', type: 'status', z: 'tab', scope: ids, ...position, wires: [['collect-statuses']] },
    collectorNode(collector, 'statuses'),
    { id: 'post', type: 'http request', z: 'tab', method: 'use', ret: 'txt', ...position, wires: [[]] },
  ]
}

/** The flow as the editor sends it if no credentials were typed. */
export function withoutCredentials(flow: readonly FlowNode[]): FlowNode[] {
  return flow.map(({ credentials: _, ...node }) => node as FlowNode)
}

/** A wrong password of the right length, so that only the service can detect it. */
export function wrongPassword(right: string): string {
  return [...right].reverse().join('')
}
