import type { NodeAPI } from 'node-red'
import { collectAlerts } from '../../lib/collect/alerts'
import { registerAction } from '../kit/action'

/** envlog-alerts: the newest 20 alert log entries of each chosen device. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-alerts',
    counts: 'alerts',
    run: ({ account, settings: { time }, form, eachTarget, deliver }) =>
      eachTarget(async (target, asker) => {
        deliver(await collectAlerts(account, target, { time, form }, asker))
      }),
  })
