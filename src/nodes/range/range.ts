import type { NodeAPI } from 'node-red'
import { fetchPeriod } from '../../lib/collect/range'
import { aboutDevice } from '../../lib/output/about'
import { registerAction } from '../kit/action'
import { periodFrom } from '../kit/period'

/** envlog-range: the records of a period, one message a device. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-range',
    counts: 'records',
    async run({ account, settings, evaluate, eachTarget, topic, send, show }) {
      const { number, time } = settings
      const period = await periodFrom(settings, account.now(), evaluate)
      const paged = (count: number) => show({ kind: 'progress', what: 'pages', count })
      await eachTarget(async (target, signal) => {
        const { answer, series, range } = await fetchPeriod(
          account,
          target,
          { period, number, time },
          signal,
          paged,
        )
        send(
          {
            payload: series,
            topic: await topic(series),
            envlog: { ...aboutDevice('range', account.name, answer, series), range },
          },
          series.records.length,
        )
      })
    },
  })
