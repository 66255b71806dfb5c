import type { NodeAPI } from 'node-red'
import { changedReadings, collectCurrent } from '../../lib/collect/current'
import { registerAction } from '../kit/action/register-action'

/** envlog-current: the newest reading of each chosen device. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-current',
    repeats: 'together',
    unit: 'devices',
    async run(run) {
      const { account, settings, nodeState, time, format } = run
      const { exclude, staleAfter, onlyNew } = settings
      const selection = await run.evaluateSelection()
      const query = { selection, exclude, time, staleAfter, format }
      const collected = await collectCurrent(account, query, run.requestContext)
      run.respondedAt = account.monotonic()
      nodeState.respondedAt = run.respondedAt
      if (!collected) return
      const { content } = collected
      const failed = run.checkUnknown(collected.failed ?? [])
      if (collected.failed?.length && content.kind === 'current' && content.readings.length === 0) {
        const last = failed.at(-1)
        await run.deliver({ ...collected, failed: failed.slice(0, -1) }, true)
        if (last) throw last.error
        return
      }
      if (!onlyNew || content.kind !== 'current') {
        await run.deliver({ ...collected, failed })
        if (content.kind === 'current') await run.checkAccount(selection)
        return
      }
      nodeState.devices.select(content.readings.map(({ serial, base }) => ({ serial, base: base.serial })))
      const { changed, remember } = changedReadings(content.readings, nodeState)
      await run.deliver(
        { ...collected, failed, content: { ...content, readings: changed } },
        changed.length === 0,
      )
      remember()
      await run.checkAccount(selection)
    },
  })
