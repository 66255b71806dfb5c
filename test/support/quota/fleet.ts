import type { QuotaHeaders } from '../../../src/lib/api/quota-headers'
import { limitsWith } from '../../../src/lib/quota/limits'
import { createQuota, type Quota } from '../../../src/lib/quota/quota'
import type { SharedQuotaStore } from '../../../src/lib/quota/shared/store'
import type { AttemptResult } from '../../../src/lib/quota/types'
import { createRandom, type Random } from '../chance'
import { createVirtualClock, type ProcessClock } from '../clock'
import { contextWith } from './manual-service'
import { createMemorySharedStore } from './memory-shared-store'
import { createMemoryStore } from './memory-store'
import { createModelService } from './model-service'
import { fateOf, type Scenario } from './quota-simulation'

/** What happens: when, as a share of the run, and for how long, ms. */
export interface Incident {
  kind: keyof typeof INCIDENTS
  who: number
  at: number
  lasts: number
}

/** Incidents of one process, or of the shared store. */
export const INCIDENTS = {
  cut: 'its connection to the shared store is cut, with an error',
  silence: 'its connection to the shared store is cut, without an error',
  block: 'its event loop is blocked',
  kill: 'it is killed, and restarted with its saved state',
  forget: 'it is killed, and restarted without state',
  stop: 'it is stopped normally, and restarted',
  deploy: 'its nodes are deployed again',
  flush: 'the shared store is emptied',
  copy: 'the shared store is copied',
  failover: 'the copy replaces the shared store',
  outage: 'the shared store is down',
} as const

export interface FleetScenario extends Scenario {
  processes: number
  /** `odd`: stale, wrong, or only a part of them. */
  headers: 'none' | 'honest' | 'odd'
  /** Longest round trip to the shared store, ms. */
  slow: number
  incidents: readonly Incident[]
}

/** When something was so with a process, ms. */
export interface Span {
  who: number
  from: number
  to: number
}

/** A time in which a process was connected to the shared store, or disconnected, according to itself. */
export interface ConnectionSpan extends Span {
  /** It never had it before. */
  isFirst: boolean
}

/** The history that the oracle needs. */
export interface History {
  connected: ConnectionSpan[]
  disconnected: ConnectionSpan[]
  /** Times in which a process may have been unable to report its usage. */
  troubles: Span[]
  /** When the shared store lost its data, ms. */
  losses: number[]
  stops: { at: number; own: unknown }[]
}

type Connection = { state: 'connected' | 'disconnected' | 'silent'; until: number }

/** A process, from its start to its end. */
interface RunningProcess {
  own: ProcessClock
  quota: Quota
  leave(): unknown
  deploy(): void
  /** Aborts its requests. */
  abort: AbortController
  span?: ConnectionSpan | undefined
  wasConnected: boolean
}

/** Simulates processes with endless demand on one account, each with its own connection to one shared store. */
export function createFleet(scenario: FleetScenario) {
  const { row, concurrency, headers, slow, processes } = scenario
  const random = createRandom(scenario.seed)
  const clock = createVirtualClock(random.next() * 1000)
  const service = createModelService(clock, row, scenario.refusedCounts)
  const sharedStore = createMemorySharedStore(clock)
  const oneWay = () => Math.floor(random.next() * slow) / 2
  sharedStore.slow(oneWay, oneWay)
  const fateOptions = { ...scenario, headerRate: headers === 'none' ? 0 : 1 }
  const spoil = corruptHeaders(random)
  const limits = { current: { limit: row.limit, window: row.window } }
  const all = Array.from({ length: processes }, (_, who) => who)
  const connections = all.map((): Connection => ({ state: 'connected', until: 0 }))
  const stores = all.map(() => createMemoryStore(clock))
  const running: (RunningProcess | undefined)[] = []
  const history: History = { connected: [], disconnected: [], troubles: [], losses: [], stops: [] }
  /** Of all requests that were sent, ms. */
  const latencies: number[] = []
  let failover = () => {}
  let requestCount = 0
  const now = () => clock.monotonic()

  function endSpan(life: RunningProcess): void {
    if (life.span) life.span.to = now()
    life.span = undefined
  }

  function onSharedStoreChange(life: RunningProcess, who: number, isConnected: boolean): void {
    const spans = isConnected ? history.connected : history.disconnected
    if (life.span && spans.includes(life.span)) return
    endSpan(life)
    life.span = { who, from: now(), to: Number.POSITIVE_INFINITY, isFirst: !life.wasConnected }
    spans.push(life.span)
    life.wasConnected ||= isConnected
  }

  function start(who: number): void {
    const own = clock.process()
    const quota = createQuota(own.clock)
    const life: RunningProcess = {
      ...{ own, quota, leave: () => {}, abort: new AbortController(), wasConnected: false },
      deploy() {
        void life.leave()
        life.leave = join()
      },
    }
    running[who] = life
    const join = () =>
      quota.join({
        ...{ concurrency, limits: limitsWith(limits), store: stores[who] },
        openSharedStore: () =>
          readWhenFree(
            own,
            sharedStore.open(() => connections[who]?.state ?? 'connected'),
          ),
        onSharedStoreChange: (isConnected) => onSharedStoreChange(life, who, isConnected),
      })
    life.leave = join()
    for (let count = 0; count < concurrency + 2; count++) submitAgain(life)
  }

  /** Submits a request, and another one when it has ended. */
  function submitAgain(life: RunningProcess): void {
    const { quota, abort } = life
    const request = {
      endpoint: 'current' as const,
      key: `${requestCount++}`,
      send: (_: number | undefined, signal: AbortSignal) => send(life, signal),
      copy: (value: string) => value,
    }
    const again = () => {
      if (!abort.signal.aborted) submitAgain(life)
    }
    quota.submit(request, contextWith({ signal: abort.signal })).then(again, again)
  }

  async function send({ own }: RunningProcess, signal: AbortSignal): Promise<AttemptResult<'answer'>> {
    const fate = fateOf(fateOptions, random)
    latencies.push(fate.up + fate.back)
    const result = await own.reads(service.send(fate, signal, own))
    return headers === 'odd' && result.headers ? { ...result, headers: spoil(result.headers) } : result
  }

  /** Notes that a process cannot report its usage for a time. */
  function trouble(who: number, lasts: number): void {
    history.troubles.push({ who, from: now(), to: now() + lasts })
  }

  function cut(who: number, state: Connection['state'], lasts: number): void {
    const until = now() + lasts
    connections[who] = { state, until }
    trouble(who, lasts)
    clock.after(lasts, () => {
      if (connections[who]?.until === until) connections[who] = { state: 'connected', until }
    })
  }

  function kill(who: number, life: RunningProcess, lasts: number): void {
    trouble(who, lasts)
    life.own.kill()
    service.crash(life.own)
    restart(who, life, lasts)
  }

  function restart(who: number, life: RunningProcess, lasts: number): void {
    endSpan(life)
    running[who] = undefined
    clock.after(lasts, () => start(who))
  }

  function lose(work: () => void): void {
    history.losses.push(now())
    work()
  }

  const actions: Record<Incident['kind'], (who: number, life: RunningProcess, lasts: number) => void> = {
    cut: (who, _, lasts) => cut(who, 'disconnected', lasts),
    silence: (who, _, lasts) => cut(who, 'silent', lasts),
    block(who, { own }, lasts) {
      trouble(who, lasts)
      own.block(lasts)
    },
    kill,
    forget(who, life, lasts) {
      kill(who, life, lasts)
      stores[who] = createMemoryStore(clock)
    },
    stop(who, life, lasts) {
      history.stops.push({ at: now(), own: life.own })
      life.abort.abort()
      void life.leave()
      restart(who, life, lasts)
    },
    deploy: (_, life) => life.deploy(),
    flush: () => lose(() => sharedStore.lose()),
    copy() {
      failover = sharedStore.copy()
    },
    failover: () => lose(() => failover()),
    outage(_, __, lasts) {
      for (const who of all) trouble(who, lasts)
      sharedStore.setState('disconnected')
      clock.after(lasts, () => sharedStore.setState('connected'))
    },
  }

  function apply({ kind, who: any, lasts }: Incident): void {
    const who = any % processes
    const life = running[who]
    if (life) actions[kind](who, life, lasts)
  }

  return {
    clock,
    service,
    history,
    latencies,
    scenario,
    async run(ms: number): Promise<void> {
      for (const who of all) start(who)
      for (const mishap of scenario.incidents) clock.after(mishap.at * ms, () => apply(mishap))
      await clock.pass(ms)
    },
  }
}

export type Fleet = ReturnType<typeof createFleet>

/** Delivers the answers of a shared store when the process is not blocked. */
function readWhenFree(
  { reads }: ProcessClock,
  { heartbeat, reserve, commit, replay, ...rest }: SharedQuotaStore,
): SharedQuotaStore {
  return {
    ...rest,
    heartbeat: (...args) => reads(heartbeat(...args)),
    reserve: (...args) => reads(reserve(...args)),
    commit: (...args) => reads(commit(...args)),
    replay: (...args) => reads(replay(...args)),
  }
}

/** Corrupts headers as a cache, a proxy or an error of the service might; complete limits are right. */
function corruptHeaders(random: Random) {
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
