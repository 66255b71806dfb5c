import type { QuotaHeaders } from '../../../src/lib/api/quota-headers'
import { limitsWith } from '../../../src/lib/quota/limits'
import { createQuota, type Quota } from '../../../src/lib/quota/quota'
import type { SharedQuotaStore } from '../../../src/lib/quota/shared/store'
import type { AttemptResult } from '../../../src/lib/quota/types'
import { createRandom, type Random } from '../chance'
import { createVirtualClock, type ProcessClock } from '../clock'
import { contextWith } from './manual-service'
import { createMemorySharedStore } from './memory-shared-store'
import { createStore } from './memory-store'
import { createModelService } from './model-service'
import { fateOf, type Scenario } from './world'

/** What happens: when, as a share of the run, and for how long, ms. */
export interface Mishap {
  kind: keyof typeof MISHAPS
  who: number
  at: number
  lasts: number
}

/** What may happen to one process, or to the ledger. */
export const MISHAPS = {
  cut: 'its line to the ledger is cut, and it is told so',
  silence: 'its line to the ledger is cut, and it hears nothing',
  block: 'its event loop stands still',
  kill: 'it is killed, and begins anew with what it has saved',
  forget: 'the same, with nothing',
  stop: 'it says goodbye, and begins anew',
  deploy: 'its nodes are new',
  flush: 'the ledger is emptied',
  copy: 'a copy of the ledger is made',
  failover: 'that copy takes over',
  outage: 'nobody can reach the ledger',
} as const

export interface FleetScenario extends Scenario {
  processes: number
  /** `odd`: stale, wrong, or only a part of them. */
  headers: 'none' | 'honest' | 'odd'
  /** Longest way to the ledger and back, ms. */
  slow: number
  mishaps: readonly Mishap[]
}

/** When something was so with a process, ms. */
export interface Span {
  who: number
  from: number
  to: number
}

/** While a process had the ledger, or was without it, as it was told itself. */
export interface Told extends Span {
  /** It never had it before. */
  isFirst: boolean
}

/** What a judge has to know. */
export interface History {
  heres: Told[]
  aways: Told[]
  /** While somebody might have been unable to tell what it had spent. */
  troubles: Span[]
  /** When the ledger lost its data, ms. */
  losses: number[]
  stops: { at: number; own: unknown }[]
}

type Line = { state: 'connected' | 'disconnected' | 'silent'; until: number }

/** A process, from its start to its end. */
interface Life {
  own: ProcessClock
  quota: Quota
  leave(): unknown
  deploy(): void
  /** Aborts what its nodes ask for. */
  over: AbortController
  span?: Told | undefined
  wasHere: boolean
}

/** Processes whose demand never ends, on one account and with one ledger, each with a line of its own to it. */
export function createFleet(scenario: FleetScenario) {
  const { row, concurrency, headers, slow, processes } = scenario
  const random = createRandom(scenario.seed)
  const clock = createVirtualClock(random.next() * 1000)
  const service = createModelService(clock, row, scenario.refusedCounts)
  const ledger = createMemorySharedStore(clock)
  const oneWay = () => Math.floor(random.next() * slow) / 2
  ledger.slow(oneWay, oneWay)
  const tells = { ...scenario, headerRate: headers === 'none' ? 0 : 1 }
  const spoil = oddities(random)
  const limits = { current: { limit: row.limit, window: row.window } }
  const all = Array.from({ length: processes }, (_, who) => who)
  const lines = all.map((): Line => ({ state: 'connected', until: 0 }))
  const stores = all.map(() => createStore(clock))
  const lives: (Life | undefined)[] = []
  const history: History = { heres: [], aways: [], troubles: [], losses: [], stops: [] }
  /** Of all requests that were sent, ms. */
  const latencies: number[] = []
  let takeOver = () => {}
  let asked = 0
  const now = () => clock.monotonic()

  function endSpan(life: Life): void {
    if (life.span) life.span.to = now()
    life.span = undefined
  }

  function ledgerHere(life: Life, who: number, here: boolean): void {
    const spans = here ? history.heres : history.aways
    if (life.span && spans.includes(life.span)) return
    endSpan(life)
    life.span = { who, from: now(), to: Number.POSITIVE_INFINITY, isFirst: !life.wasHere }
    spans.push(life.span)
    life.wasHere ||= here
  }

  function start(who: number): void {
    const own = clock.process()
    const quota = createQuota(own.clock)
    const life: Life = {
      ...{ own, quota, leave: () => {}, over: new AbortController(), wasHere: false },
      deploy() {
        void life.leave()
        life.leave = join()
      },
    }
    lives[who] = life
    const join = () =>
      quota.join({
        ...{ concurrency, limits: limitsWith(limits), store: stores[who] },
        openSharedStore: () =>
          readBy(
            own,
            ledger.open(() => lines[who]?.state ?? 'connected'),
          ),
        onSharedStoreChange: (here) => ledgerHere(life, who, here),
      })
    life.leave = join()
    for (let count = 0; count < concurrency + 2; count++) askOn(life)
  }

  /** Asks, and as soon as that is over again. */
  function askOn(life: Life): void {
    const { quota, over } = life
    const request = {
      endpoint: 'current' as const,
      key: `${asked++}`,
      send: (_: number | undefined, signal: AbortSignal) => send(life, signal),
      copy: (value: string) => value,
    }
    const again = () => {
      if (!over.signal.aborted) askOn(life)
    }
    quota.submit(request, contextWith({ signal: over.signal })).then(again, again)
  }

  async function send({ own }: Life, signal: AbortSignal): Promise<AttemptResult<'answer'>> {
    const fate = fateOf(tells, random)
    latencies.push(fate.up + fate.back)
    const result = await own.reads(service.send(fate, signal, own))
    return headers === 'odd' && result.headers ? { ...result, headers: spoil(result.headers) } : result
  }

  /** So long somebody can tell nothing. */
  function trouble(who: number, lasts: number): void {
    history.troubles.push({ who, from: now(), to: now() + lasts })
  }

  function cut(who: number, state: Line['state'], lasts: number): void {
    const until = now() + lasts
    lines[who] = { state, until }
    trouble(who, lasts)
    clock.after(lasts, () => {
      if (lines[who]?.until === until) lines[who] = { state: 'connected', until }
    })
  }

  function kill(who: number, life: Life, lasts: number): void {
    trouble(who, lasts)
    life.own.kill()
    service.cut(life.own)
    beginAgain(who, life, lasts)
  }

  function beginAgain(who: number, life: Life, lasts: number): void {
    endSpan(life)
    lives[who] = undefined
    clock.after(lasts, () => start(who))
  }

  function lose(work: () => void): void {
    history.losses.push(now())
    work()
  }

  const mishaps: Record<Mishap['kind'], (who: number, life: Life, lasts: number) => void> = {
    cut: (who, _, lasts) => cut(who, 'disconnected', lasts),
    silence: (who, _, lasts) => cut(who, 'silent', lasts),
    block(who, { own }, lasts) {
      trouble(who, lasts)
      own.block(lasts)
    },
    kill,
    forget(who, life, lasts) {
      kill(who, life, lasts)
      stores[who] = createStore(clock)
    },
    stop(who, life, lasts) {
      history.stops.push({ at: now(), own: life.own })
      life.over.abort()
      void life.leave()
      beginAgain(who, life, lasts)
    },
    deploy: (_, life) => life.deploy(),
    flush: () => lose(() => ledger.lose()),
    copy() {
      takeOver = ledger.copy()
    },
    failover: () => lose(() => takeOver()),
    outage(_, __, lasts) {
      for (const who of all) trouble(who, lasts)
      ledger.setState('disconnected')
      clock.after(lasts, () => ledger.setState('connected'))
    },
  }

  function befall({ kind, who: any, lasts }: Mishap): void {
    const who = any % processes
    const life = lives[who]
    if (life) mishaps[kind](who, life, lasts)
  }

  return {
    clock,
    service,
    history,
    latencies,
    scenario,
    async live(ms: number): Promise<void> {
      for (const who of all) start(who)
      for (const mishap of scenario.mishaps) clock.after(mishap.at * ms, () => befall(mishap))
      await clock.pass(ms)
    },
  }
}

export type Fleet = ReturnType<typeof createFleet>

/** What a ledger answers is read when the process is free to. */
function readBy(
  { reads }: ProcessClock,
  { heartbeat, reserve, commit, replay, ...rest }: SharedQuotaStore,
): SharedQuotaStore {
  return {
    ...rest,
    heartbeat: (...asked) => reads(heartbeat(...asked)),
    reserve: (...asked) => reads(reserve(...asked)),
    commit: (...asked) => reads(commit(...asked)),
    replay: (...asked) => reads(replay(...asked)),
  }
}

/** Headers as a cache, a proxy or a slip of the service may leave them: their limits are right where they are whole. */
function oddities(random: Random) {
  const before: QuotaHeaders[] = []
  return (reading: QuotaHeaders): QuotaHeaders => {
    before.push(reading)
    const most = reading.limit ?? 0
    return random.pick<() => QuotaHeaders>([
      () => reading,
      () => ({ ...reading, remaining: random.pick(before).remaining }),
      () => ({ ...reading, remaining: random.below(most + 1) }),
      () => ({ ...reading, remaining: null }),
      () => ({ ...reading, limit: null }),
      () => ({ ...reading, limit: random.below(2 * most), windowSeconds: null }),
    ])()
  }
}
