import type { NodeAPI } from 'node-red'
import { collectCurrent } from '../../lib/collect/current'
import { registerAction } from '../kit/action'

/** envlog-current: the newest reading of each chosen device. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-current',
    counts: 'devices',
    async run({ account, settings, form, selection, asker, deliver }) {
      const { exclude, time, staleAfter, property } = settings
      const wish = { selection: selection(), exclude, time, staleAfter, form, property }
      const collected = await collectCurrent(account, wish, asker)
      if (collected) deliver(collected)
    },
  })
