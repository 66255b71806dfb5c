import type { NodeAPI } from 'node-red'
import { collectLatest } from '../../lib/collect/fetch'
import { pollRecords } from '../../lib/collect/poll'
import { registerAction } from '../kit/action/register-action'
import { toDeliveryOptions } from '../kit/settings/poll-options'

/** envlog-latest: the newest records of each chosen device, each delivered once. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-latest',
    unit: 'records',
    async run(run) {
      const { account, settings, time, format, nodeId } = run
      const { onlyNew, backfill, start } = settings
      const options = { ...toDeliveryOptions(settings, time, nodeId), backfill, start }
      await run.forEachDevice(async (device, requestContext) => {
        if (format === 'read' && onlyNew) await pollRecords(account, device, options, run, requestContext)
        else await run.deliver(await collectLatest(account, device, { time, format }, requestContext))
      })
    },
  })
