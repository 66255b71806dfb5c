import type { NodeAPI } from 'node-red'
import { collectCurrent } from '../../lib/collect/current'
import { registerAction } from '../kit/action'

/** envlog-current: the newest reading of each chosen device. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-current',
    counts: 'devices',
    async run({ account, settings, form, selection, signal, deliver }) {
      const { exclude, time, staleAfter } = settings
      const wish = { selection: selection(), exclude, time, staleAfter, form }
      const collected = await collectCurrent(account, wish, signal)
      if (collected) await deliver(collected)
    },
  })
