import type { NodeAPI } from 'node-red'
import { collectLatest } from '../../lib/collect/latest'
import { registerAction } from '../kit/action'

/** envlog-latest: the newest 300 records of each chosen device. */
export = (RED: NodeAPI): void =>
  registerAction(RED, {
    type: 'envlog-latest',
    counts: 'records',
    run: ({ account, settings: { time }, form, eachTarget, deliver }) =>
      eachTarget(async (target, asker) => {
        deliver(await collectLatest(account, target, { time, form }, asker))
      }),
  })
