import type { NodeAPI } from 'node-red'
import { fetchCurrent } from '../../lib/collect/current'
import { about } from '../../lib/output/about'
import { registerAction } from '../kit/action'

/** envlog-current: the newest reading of each chosen device, all in one message. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-current',
    counts: 'devices',
    async run({ account, settings, selection, signal, send }) {
      const { exclude, time, staleAfter } = settings
      const wish = { selection: selection(), exclude, time, staleAfter }
      const { answer, readings } = await fetchCurrent(account, wish, signal)
      if (!answer) return
      send({ payload: readings, envlog: about('current', account.name, answer) }, readings.length)
    },
  })
