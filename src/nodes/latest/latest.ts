import type { NodeAPI } from 'node-red'
import { fetchLatest } from '../../lib/collect/latest'
import { aboutDevice } from '../../lib/output/about'
import { registerAction } from '../kit/action'

/** envlog-latest: the newest 300 records of each chosen device, one message a device. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-latest',
    counts: 'records',
    async run({ account, settings, eachTarget, topic, send }) {
      await eachTarget(async (target, signal) => {
        const { answer, series } = await fetchLatest(account, target, settings.time, signal)
        send(
          {
            payload: series,
            topic: await topic(series),
            envlog: aboutDevice('latest', account.name, answer, series),
          },
          series.records.length,
        )
      })
    },
  })
