import helper from 'node-red-node-test-helper'
import type { Simulator } from '../../simulator'
import { startFlow } from './flow'
import type { Message } from './flow-types'
import { type Pair, pairs } from './outputs'

/** The messages for one pair of output and send, and the errors of single devices. */
export interface PairRun extends Pair {
  messages: Message[]
  errors: Message[]
  /** The failure of the trigger. */
  failed: Message | undefined
}

const idOf = ({ action, output, send }: Pair) => `${action}-${output}-${send}`

/** Every pair for all four actions as a node of one flow, each triggered once. */
export async function runEveryPair(
  simulator: Simulator,
  node: (pair: Pair) => Message,
  wanted: readonly Pair[] = pairs(),
  msg: Message = {},
): Promise<PairRun[]> {
  const place = { z: 'tab', x: 100, y: 100 }
  const ids = wanted.map(idOf)
  const nodes = wanted.flatMap((pair) => {
    const { action, output, send } = pair
    const id = idOf(pair)
    const sending = { output, send, chunk: 3, onlyNew: false, ...node(pair) }
    return [
      { id, type: `envlog-${action}`, account: 'account', ...place, ...sending, wires: [[`${id}-out`]] },
      { id: `${id}-out`, type: 'helper', ...place },
    ]
  })
  await startFlow('current', simulator, {
    account: { concurrency: 20 },
    flow: nodes,
    watched: ids,
  })

  const ran = new Map<string, PairRun>()
  const ended = new Map<string, () => void>()
  const endings = wanted.map((pair) => {
    const own: PairRun = { ...pair, messages: [], errors: [], failed: undefined }
    ran.set(idOf(pair), own)
    helper.getNode(`${idOf(pair)}-out`).on('input', (sent: Message) => own.messages.push(sent))
    return new Promise<void>((resolve) => ended.set(idOf(pair), resolve))
  })
  helper.getNode('errors').on('input', (failure: Message) => {
    const own = ran.get(failure.trigger)
    if (failure.envlog?.device) own?.errors.push(failure)
    else {
      if (own) own.failed = failure
      ended.get(failure.trigger)?.()
    }
  })
  helper.getNode('completed').on('input', (done: Message) => ended.get(done.trigger)?.())
  for (const id of ids) helper.getNode(id).receive({ trigger: id, ...structuredClone(msg) } as never)
  await Promise.all(endings)
  return [...ran.values()]
}
