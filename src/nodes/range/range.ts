import type { NodeAPI } from 'node-red'
import { collectRange } from '../../lib/collect/range'
import { registerAction } from '../kit/action/action-node'
import { evaluatePeriod } from '../kit/settings/period'

/** envlog-range: the records of each chosen device in a period. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-range',
    unit: 'records',
    async run(run) {
      const { account, settings, time, format } = run
      const { number } = settings
      const period = await evaluatePeriod(settings, account.now(), run.evaluateTypedInput)
      const onPage = (count: number) => run.setStatus({ kind: 'progress', unit: 'pages', count })
      // One device at a time, because up to 160,000 records of each are kept in memory until they are complete.
      await run.forEachDevice(async (device, requestContext) => {
        await run.deliver(
          await collectRange(account, device, { period, number, time, format }, requestContext, onPage),
        )
      }, 1)
    },
  })
