import type { NodeAPI } from 'node-red'
import { changedReadings, collectCurrent, listsNoDevice } from '../../lib/collect/current'
import type { Selection } from '../../lib/collect/devices'
import type { Collected } from '../../lib/collect/fetch'
import { EnvlogError } from '../../lib/errors'
import { registerAction } from '../kit/action/register-action'
import type { Run } from '../kit/action/run'

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
      if (content.kind !== 'current') return deliverRaw(run, collected, selection)
      const failed = run.checkUnknown(collected.failed ?? [])
      if (collected.failed?.length && content.readings.length === 0) {
        const last = failed.at(-1)
        await run.deliver({ ...collected, failed: failed.slice(0, -1) }, true)
        if (last) throw last.error
        return
      }
      if (!onlyNew) {
        await run.deliver({ ...collected, failed })
        await run.checkAccount(selection)
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

/** @throws EnvlogError `account-empty`, after the response was sent */
async function deliverRaw(
  run: Run<'envlog-current'>,
  collected: Collected,
  selection: Selection,
): Promise<void> {
  // The flow may change what it receives.
  const isEmpty = selection === 'all' && listsNoDevice(collected.content)
  await run.deliver(collected)
  if (isEmpty) throw new EnvlogError('account-empty')
}
