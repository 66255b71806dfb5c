import type { NodeAPI } from 'node-red'
import { registerNode } from '../kit/action/start-node'

/** envlog-limits: alarms for values outside limits, for missing values, and for silent devices. Sends no requests. */
export = (RED: NodeAPI): void =>
  registerNode(RED, 'envlog-limits', (node, config) => {
    const { LimitsNode } = require('./limits-node') as typeof import('./limits-node')
    return new LimitsNode(RED, node, config)
  })
