/** A flow with all action nodes, for tests that do not start with an empty one. */

import type { Simulator } from '../../../simulator'
import { defaultsOf } from '../built'
import { actions } from '../flow-types'
import type { FlowNode } from '../node-red'

type Overrides = Partial<Record<(typeof actions)[number] | 'account', Record<string, unknown>>>

export function editorAccount({ url, account }: Simulator, id = 'account', over: object = {}): FlowNode {
  const { apiKey, loginId, loginPass } = account
  const type = 'envlog-account'
  const settings = { ...defaultsOf(type), name: 'Plant A', baseUrl: url, retries: 0, ...over }
  return { id, type, ...settings, credentials: { apiKey, loginId, loginPass } }
}

/** Limits, for the flow below. */
export const editorLimits = (limits: unknown, over: object = {}): FlowNode => ({
  id: 'limits',
  type: 'envlog-limits',
  ...defaultsOf('envlog-limits'),
  account: 'account',
  limits,
  ...over,
})

/** A node with the alarms of these limits, for the flow below. */
export const editorAlarms = (over: object = {}): FlowNode => ({
  id: 'alarms',
  type: 'envlog-alarms',
  ...defaultsOf('envlog-alarms'),
  limits: 'limits',
  z: 'tab',
  x: 500,
  y: 60,
  wires: [[]],
  ...over,
})

/** A flow with each action node, with default settings; ids are the names. */
export function editorFlow(simulator: Simulator, over: Overrides = {}): FlowNode[] {
  return [
    { id: 'tab', type: 'tab', label: 'flow' },
    editorAccount(simulator, 'account', over.account),
    ...actions.map((name, index) => ({
      id: name,
      type: `envlog-${name}`,
      ...defaultsOf(`envlog-${name}`),
      account: 'account',
      z: 'tab',
      x: 200,
      y: 60 + 80 * index,
      wires: [[]],
      ...over[name],
    })),
  ]
}
