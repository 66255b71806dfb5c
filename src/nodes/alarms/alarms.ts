import type { NodeAPI } from 'node-red'
import { registerNode } from '../kit/action/start-node'
import { findLimitsNode } from '../kit/limits/limits-node'

/** envlog-alarms: sends the alarms of an envlog-limits, and passes measurements and commands on to it. */
export = (RED: NodeAPI): void =>
  registerNode<{ limits: string }>(RED, 'envlog-alarms', {
    create: (node, config) => {
      const { AlarmsNode } = require('./alarms-node') as typeof import('./alarms-node')
      return new AlarmsNode(RED, node, config)
    },
    release: (node, { limits }) => findLimitsNode(RED, limits)?.release(node),
  })
