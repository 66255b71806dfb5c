import type { NodeAPI } from 'node-red'
import { collectAlerts } from '../../lib/collect/fetch'
import { pollAlerts } from '../../lib/collect/poll'
import { registerAction } from '../kit/action/register-action'

/** envlog-alerts: the newest entries of each chosen device's alert log; with `onlyNew`, each is sent once. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-alerts',
    repeats: 'resumed',
    unit: 'alerts',
    async run(run) {
      const { account, settings, time, format } = run
      const { onlyNew, start } = settings
      await run.forEachDevice(async (device, requestContext) => {
        if (format === 'read' && onlyNew) await pollAlerts(run, device, start, requestContext)
        else await run.deliver(await collectAlerts(account, device, { time, format }, requestContext))
      })
    },
  })
