import type { NodeAPI } from 'node-red'
import { fetchAlerts } from '../../lib/collect/alerts'
import { aboutDevice } from '../../lib/output/about'
import { registerAction } from '../kit/action'

/** envlog-alerts: the newest 20 alert log entries of each chosen device, one message a device. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-alerts',
    counts: 'alerts',
    async run({ account, settings, eachTarget, topic, send }) {
      await eachTarget(async (target, signal) => {
        const { answer, device, alerts } = await fetchAlerts(account, target, settings.time, signal)
        send(
          {
            payload: alerts,
            topic: await topic(device),
            envlog: aboutDevice('alerts', account.name, answer, device),
          },
          alerts.length,
        )
      })
    },
  })
