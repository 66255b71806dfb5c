import type { NodeAPI } from 'node-red'
import { collectCurrent } from '../../lib/collect/current'
import { changedReadings } from '../../lib/collect/marks'
import { registerAction } from '../kit/action'
import { sourceOf } from '../kit/typed-value'

/** envlog-current: the newest reading of each chosen device. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-current',
    counts: 'devices',
    async run({ account, settings, form, selection, asker, memory, deliver }) {
      const { exclude, time, staleAfter, onlyNew } = settings
      const property = sourceOf(settings)
      const wish = { selection: await selection(), exclude, time, staleAfter, form, property }
      const collected = await collectCurrent(account, wish, asker)
      if (!collected) return
      const { content } = collected
      if (!onlyNew || content.kind !== 'current') {
        await deliver(collected)
        return
      }
      memory.about(content.readings.map(({ serial, base }) => ({ serial, base: base.serial })))
      const { changed, remember } = changedReadings(content.readings, memory)
      await deliver({ ...collected, content: { ...content, readings: changed } }, changed.length === 0)
      remember()
    },
  })
