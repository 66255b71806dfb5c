import type { NodeAPI } from 'node-red'
import { checkRows, collectStatistics, joinStatistics } from '../../lib/collect/collect-statistics'
import { type CollectedRange, collectRange } from '../../lib/collect/range'
import { countOf } from '../../lib/readings/content'
import { registerAction } from '../kit/action/register-action'
import { evaluatePeriod } from '../kit/settings/evaluate-period'

/** envlog-range: the records of each chosen device in a period. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-range',
    unit: 'records',
    async run(run) {
      const { account, settings, time, format } = run
      const { number, output, send, per } = settings
      const { temperatureUnit: unit } = account
      const period = await evaluatePeriod(settings, account.now(), run.evaluateTypedInput)
      const statistics: CollectedRange[] = []
      // One device at a time, because up to 160,000 records of a device are kept in memory until they are complete.
      await run.forEachDevice(
        async (device, context) => {
          const query = { period, time, maxPages: run.maxPages }
          const collected =
            output === 'statistics'
              ? await collectStatistics(account, device, { ...query, per, unit }, context)
              : await collectRange(account, device, { ...query, number, format }, context)
          if (collected.overflow) run.reportLoss(device, collected.lost)
          if (collected.content.kind !== 'raw' && countOf(collected.content) === 0) run.emptyCount++
          if (send === 'all') {
            statistics.push(collected)
            checkRows(statistics)
          } else await run.deliver(collected)
        },
        { concurrency: 1 },
      )
      const joined = joinStatistics(statistics)
      if (joined) await run.deliver(joined)
    },
  })
