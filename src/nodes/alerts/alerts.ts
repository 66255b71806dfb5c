import type { NodeAPI } from 'node-red'
import { collectAlerts } from '../../lib/collect/fetch'
import { pollAlerts } from '../../lib/collect/poll'
import { registerAction } from '../kit/action/action-node'
import { toDeliveryOptions } from '../kit/settings/poll-options'

/** envlog-alerts: the newest alert log entries of each chosen device, each once. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-alerts',
    counts: 'alerts',
    async run({ account, settings, format, node, news, forEachDevice, deliver }) {
      const { time, onlyNew, start } = settings
      const wish = { ...toDeliveryOptions(settings, node), start }
      await forEachDevice(async (target, requestContext) => {
        if (format === 'read' && onlyNew) await pollAlerts(account, target, wish, news, requestContext)
        else await deliver(await collectAlerts(account, target, { time, format }, requestContext))
      })
    },
  })
