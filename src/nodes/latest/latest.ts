import type { NodeAPI } from 'node-red'
import { collectLatest } from '../../lib/collect/fetch'
import { pollRecords } from '../../lib/collect/poll'
import { registerAction } from '../kit/action/action-node'
import { newsWish, startOf } from '../kit/settings/poll-options'

/** envlog-latest: the newest records of each chosen device, each once. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-latest',
    counts: 'records',
    async run({ account, settings, format, node, news, eachTarget, deliver }) {
      const { time, onlyNew, backfill } = settings
      const wish = { ...newsWish(settings, node), backfill, start: startOf(settings.start) }
      await eachTarget(async (target, requestContext) => {
        if (format === 'read' && onlyNew) await pollRecords(account, target, wish, news, requestContext)
        else await deliver(await collectLatest(account, target, { time, format }, requestContext))
      })
    },
  })
