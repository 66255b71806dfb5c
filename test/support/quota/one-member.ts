import { createVirtualClock } from '../clock'
import { createMemorySharedStore } from './memory-shared-store'
import { createProcess, keys, type ParticipantOptions, participant } from './quota'

/** A window and its margin of `current`, ms. */
export const CURRENT_OCCUPIED_MS = 121_000

/** Till one that lost the shared store is left its share by those that have it, ms. */
export const SHARE_LEFT_MS = 8000

/** A process of a shared account that has sent one request, a window ago. */
export async function createMember(
  over: ParticipantOptions = {},
  state: 'connected' | 'disconnected' | 'silent' = 'connected',
) {
  const clock = createVirtualClock()
  const sharedStore = createMemorySharedStore(clock)
  sharedStore.setState(state)
  const connections: boolean[] = []
  const reasons: (string | undefined)[] = []
  const onSharedStoreChange = (isConnected: boolean, reason?: string) => {
    connections.push(isConnected)
    if (reasons.length === 0 || reasons.at(-1) !== reason) reasons.push(reason)
  }
  const all = createProcess(clock, {
    openSharedStore: () => sharedStore.open(),
    onSharedStoreChange,
    ...over,
  })
  await clock.pass(1000)
  all.submit('first')
  await clock.settle()
  all.service.sent[0]?.answer()
  await clock.pass(2 * CURRENT_OCCUPIED_MS)
  all.service.sent.length = 0
  /** Submits requests; resolves with how many were sent immediately. */
  const submitMany = async (prefix: string, count: number) => {
    const before = all.service.sent.length
    for (const key of keys(prefix, count)) all.submit(key)
    await clock.pass(5000)
    return all.service.sent.length - before
  }
  const startAnother = () => createProcess(clock, { openSharedStore: () => sharedStore.open(), ...over })
  return {
    ...all,
    clock,
    sharedStore,
    connections,
    reasons,
    go: submitMany,
    another: startAnother,
    member: participant,
  }
}
