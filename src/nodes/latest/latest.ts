import type { NodeAPI } from 'node-red'
import { collectLatest } from '../../lib/collect/fetch'
import { pollRecords } from '../../lib/collect/poll'
import { registerAction } from '../kit/action/action-node'
import { readStart, toDeliveryOptions } from '../kit/settings/poll-options'

/** envlog-latest: the newest records of each chosen device, each once. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-latest',
    counts: 'records',
    async run({ account, settings, format, node, news, forEachDevice, deliver }) {
      const { time, onlyNew, backfill } = settings
      const wish = { ...toDeliveryOptions(settings, node), backfill, start: readStart(settings.start) }
      await forEachDevice(async (target, requestContext) => {
        if (format === 'read' && onlyNew) await pollRecords(account, target, wish, news, requestContext)
        else await deliver(await collectLatest(account, target, { time, format }, requestContext))
      })
    },
  })
