import type { NodeAPI } from 'node-red'
import { collectRange } from '../../lib/collect/range'
import { registerAction } from '../kit/action/action-node'
import { evaluatePeriod } from '../kit/settings/period'

/** envlog-range: the records of a period. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-range',
    counts: 'records',
    async run({ account, settings, format, evaluate, forEachDevice, deliver, show }) {
      const { number, time } = settings
      const period = await evaluatePeriod(settings, account.now(), evaluate)
      const paged = (count: number) => show({ kind: 'progress', what: 'pages', count })
      // One device after another: each may hold 160,000 records until it is complete.
      await forEachDevice(async (target, requestContext) => {
        await deliver(
          await collectRange(account, target, { period, number, time, format }, requestContext, paged),
        )
      }, 1)
    },
  })
