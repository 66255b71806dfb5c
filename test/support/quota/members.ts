import type { SharedQuotaStore } from '../../../src/lib/quota/shared/store'
import { createVirtualClock, type ProcessClock } from '../clock'
import { headersWith, type Sent } from './manual-service'
import { createMemorySharedStore } from './memory-shared-store'
import { createStore } from './memory-store'
import { OCCUPIED_MS } from './one-member'
import { keys, member, processOf } from './quota'

export type State = 'connected' | 'disconnected' | 'silent'

const LIMIT = 10
/** How often answers come. */
const STEP_MS = 100

/**
 * Processes on one account with ten requests in two minutes, each with a way to the shared store of its own.
 * @param honest their responses have headers that report what the service counts; otherwise none
 */
export async function createMembers(count: number, { honest = false } = {}) {
  const clock = createVirtualClock()
  const sharedStore = createMemorySharedStore(clock)
  const older = createMemorySharedStore(clock, 'older ')
  let turned = sharedStore
  const ways: State[] = Array.from({ length: count }, () => 'connected')
  let storeMs = 0
  const stores = ways.map(() => createStore(clock, { delays: () => storeMs }))
  const lives: ProcessClock[] = []
  /** What the service has counted, and when. */
  const counted: number[] = []
  const answered = new Set<Sent>()

  /** To whichever is at the address. */
  function way(which: number): SharedQuotaStore {
    const ends = new Map([sharedStore, older].map((one) => [one, one.open(() => ways[which] ?? 'connected')]))
    const end = () => ends.get(turned) as SharedQuotaStore
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
    lives[which] = own
    return processOf(own.clock, { openSharedStore: () => way(which), store: stores[which] })
  }
  const all = ways.map((_, which) => start(which))

  /** Answers what has left, as the service would, by what it counts in a sliding window. */
  async function answer(): Promise<void> {
    for (const { service } of all) {
      for (const sent of service.sent.filter((one) => !answered.has(one))) {
        answered.add(sent)
        counted.push(clock.monotonic())
        const used = counted.filter((at) => clock.monotonic() - at <= OCCUPIED_MS - 1000).length
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
  for (const [which, { ask }] of all.entries()) {
    ask(`first of ${which}`)
    await clock.pass(50)
    await answer()
    await clock.pass(50)
  }
  await clock.pass(2 * OCCUPIED_MS)
  for (const { service } of all) service.sent.length = 0

  const sent = () => all.reduce((sum, { service }) => sum + service.sent.length, 0)
  return {
    ...{ clock, sharedStore, all, ways, sent, pass, answer },
    /** How many of so many went within some time; all are answered. */
    async use(which: number, wanted: number, prefix = 'r', ms = 7000): Promise<number> {
      const { ask, service } = all[which] as (typeof all)[number]
      const before = service.sent.length
      for (const key of keys(`${prefix}${which}.`, wanted)) ask(key)
      await pass(ms)
      return service.sent.length - before
    },
    cut: (which: number, state: State) => {
      ways[which] = state
    },
    /** The address leads to another store, whose data is older. */
    turn: () => {
      turned = older
    },
    slowStores: (ms: number) => {
      storeMs = ms
    },
    /** All its nodes are new; its process is the same. */
    deploy(which: number) {
      const one = all[which] as (typeof all)[number]
      void one.leave()
      one.leave = one.quota.join(member({ openSharedStore: () => way(which) }))
    },
    /** Its process ends at once. */
    kill: (which: number) => lives[which]?.kill(),
    /** Begins again with what it has saved; what it had sent stays known. */
    restart(which: number) {
      const before = all[which]
      const after = start(which)
      after.service.sent.push(...(before?.service.sent ?? []))
      all[which] = after
    },
  }
}
