import type { SharedQuotaStore } from '../../../src/lib/quota/shared/store'
import { createVirtualClock, type ProcessClock } from '../clock'
import { headersWith, type SentRequest } from './manual-service'
import { createMemorySharedStore } from './memory-shared-store'
import { createMemoryStore } from './memory-store'
import { CURRENT_OCCUPIED_MS } from './one-member'
import { createProcess, keys, participant } from './quota'

export type LinkState = 'connected' | 'disconnected' | 'silent'

const LIMIT = 10
/** Interval of answers. */
const STEP_MS = 100

/**
 * Processes on one account with ten requests in two minutes, each with its own connection to the shared store.
 * @param honest their responses have headers that report the count of the service; otherwise none
 */
export async function createMembers(count: number, { honest = false } = {}) {
  const clock = createVirtualClock()
  const sharedStore = createMemorySharedStore(clock)
  const older = createMemorySharedStore(clock, 'older ')
  let reachableStore = sharedStore
  const links: LinkState[] = Array.from({ length: count }, () => 'connected')
  let storeMs = 0
  const stores = links.map(() => createMemoryStore(clock, { delays: () => storeMs }))
  const processes: ProcessClock[] = []
  /** What the service has counted, and when. */
  const counted: number[] = []
  const answered = new Set<SentRequest>()

  /** Connects to the store that is at the address now. */
  function linkOf(which: number): SharedQuotaStore {
    const ends = new Map(
      [sharedStore, older].map((one) => [one, one.open(() => links[which] ?? 'connected')]),
    )
    const end = () => ends.get(reachableStore) as SharedQuotaStore
    return {
      heartbeat: (heartbeat) => end().heartbeat(heartbeat),
      reserve: (...reserve) => end().reserve(...reserve),
      commit: (...commit) => end().commit(...commit),
      replay: (...replay) => end().replay(...replay),
      reconnect: () => end().reconnect(),
      close: () => end().close(),
    }
  }

  function start(which: number) {
    const own = clock.process()
    processes[which] = own
    return createProcess(own.clock, { openSharedStore: () => linkOf(which), store: stores[which] })
  }
  const all = links.map((_, which) => start(which))

  /** Answers sent requests like the service, with its count in a sliding window. */
  async function answer(): Promise<void> {
    for (const { service } of all) {
      for (const sent of service.sent.filter((one) => !answered.has(one))) {
        answered.add(sent)
        counted.push(clock.monotonic())
        const used = counted.filter((at) => clock.monotonic() - at <= CURRENT_OCCUPIED_MS - 1000).length
        const headers = { limit: LIMIT, windowSeconds: 120, remaining: Math.max(0, LIMIT - used) }
        sent.answer(honest ? { headers: headersWith(headers) } : {})
      }
    }
    await clock.settle()
  }

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await clock.pass(STEP_MS)
      await answer()
    }
  }

  await clock.pass(1000)
  for (const [which, { submit }] of all.entries()) {
    submit(`first of ${which}`)
    await clock.pass(50)
    await answer()
    await clock.pass(50)
  }
  await clock.pass(2 * CURRENT_OCCUPIED_MS)
  for (const { service } of all) service.sent.length = 0

  const sent = () => all.reduce((sum, { service }) => sum + service.sent.length, 0)
  return {
    ...{ clock, sharedStore, all, ways: links, sent, pass, answer },
    /** Submits requests; resolves with how many were sent within some time. All are answered. */
    async send(which: number, wanted: number, prefix = 'r', ms = 7000): Promise<number> {
      const { submit, service } = all[which] as (typeof all)[number]
      const before = service.sent.length
      for (const key of keys(`${prefix}${which}.`, wanted)) submit(key)
      await pass(ms)
      return service.sent.length - before
    },
    setLink: (which: number, state: LinkState) => {
      links[which] = state
    },
    /** The address leads to another store, whose data is older. */
    switchStore: () => {
      reachableStore = older
    },
    slowStores: (ms: number) => {
      storeMs = ms
    },
    /** All its nodes are new; its process is the same. */
    deploy(which: number) {
      const one = all[which] as (typeof all)[number]
      void one.leave()
      one.leave = one.quota.join(participant({ openSharedStore: () => linkOf(which) }))
    },
    /** Kills its process. */
    kill: (which: number) => processes[which]?.kill(),
    /** Restarts it with its saved state; its earlier requests stay known. */
    restart(which: number) {
      const before = all[which]
      const after = start(which)
      after.service.sent.push(...(before?.service.sent ?? []))
      all[which] = after
    },
  }
}
