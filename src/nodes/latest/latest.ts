import type { NodeAPI } from 'node-red'
import { collectLatest } from '../../lib/collect/fetch'
import { pollRecords } from '../../lib/collect/poll'
import { registerAction } from '../kit/action/register-action'

/** envlog-latest: the newest records of each chosen device, each delivered once. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-latest',
    repeats: 'resumed',
    unit: 'records',
    async run(run) {
      const { account, settings, time, format } = run
      const { onlyNew, backfill } = settings
      const sendsOnlyNew = format === 'read' && onlyNew
      await run.forEachDevice(
        async (device, requestContext) => {
          if (sendsOnlyNew) await pollRecords(run, device, settings, requestContext)
          else await run.deliver(await collectLatest(account, device, { time, format }, requestContext))
        },
        { fills: sendsOnlyNew && backfill },
      )
    },
  })
