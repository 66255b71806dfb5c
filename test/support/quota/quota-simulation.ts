import type { Clock } from '../../../src/lib/clock'
import { limitsWith } from '../../../src/lib/quota/limits'
import { createQuota, type Quota } from '../../../src/lib/quota/quota'
import type { StateStore } from '../../../src/lib/state-store'
import { createRandom, type Random } from '../chance'
import { createVirtualClock } from '../clock'
import { createModelService, type Fate, type ServiceRow } from './model-service'

export interface Scenario {
  seed: number
  row: ServiceRow
  /** The client's configured limit, if it differs. */
  table?: { limit: number; window: number } | undefined
  concurrency: number
  /** Longest latencies of request and response, ms. */
  up: number
  back: number
  /** Times are multiples of it, ms. */
  grain: number
  refusedCounts: boolean
  /** How often a response has headers. */
  headerRate: number
  /** Probabilities of faults. */
  faults: Partial<Record<Fate['ends'], number>>
}

export interface Listeners {
  sending?(): void
  /** @param sentAt when it had left */
  answered?(sentAt: number, remaining: number | null): void
}

/** Simulates a service, and a client's process that may end and restart. */
export function createQuotaSimulation(scenario: Scenario) {
  const { row, table = row, concurrency, grain } = scenario
  const random = createRandom(scenario.seed)
  const clock = createVirtualClock(grain > 1 ? 0 : random.next() * 1000)
  const service = createModelService(clock, row, scenario.refusedCounts)
  const sent: { at: number; latency: number }[] = []
  /** When responses reported a refusal. */
  const refused: number[] = []
  let listeners: Listeners = {}
  let quota!: Quota
  let process!: { clock: Clock; kill(): void }
  let leave = () => {}
  const controllers = new Set<AbortController>()
  let life = 0
  let requestCount = 0
  let pendingCount = 0

  function start(store?: StateStore): void {
    process = clock.process()
    quota = createQuota(process.clock)
    controllers.clear()
    const limits = { current: { limit: table.limit, window: table.window } }
    leave = quota.join({ concurrency, limits: limitsWith(limits), store })
  }

  async function send(own: AbortSignal) {
    const fate = fateOf(scenario, random)
    const at = clock.monotonic()
    sent.push({ at, latency: fate.up + fate.back })
    listeners.sending?.()
    const result = await service.send(fate, own)
    if ('error' in result && result.error.cause.status === 429) refused.push(clock.monotonic())
    listeners.answered?.(at, result.headers?.remaining ?? null)
    return result
  }

  /** @param repeat whether to submit another one afterwards, for endless demand */
  function submit(repeat: () => boolean = () => false, stop?: AbortSignal): void {
    const mine = life
    pendingCount++
    const request = {
      endpoint: 'current' as const,
      key: `request ${requestCount++}`,
      send: (_: number | undefined, own: AbortSignal) => send(own),
      copy: (value: string) => value,
    }
    const own = new AbortController()
    stop?.addEventListener('abort', () => own.abort())
    controllers.add(own)
    const end = () => {
      controllers.delete(own)
      if (mine !== life) return
      pendingCount--
      if (repeat()) submit(repeat)
    }
    quota
      .submit(request, { signal: own.signal, queueKey: random.pick(['a', 'b', 'c']), maxWaitMs: null })
      .then(end, end)
  }

  return {
    clock,
    random,
    service,
    sent,
    refused,
    start,
    submit,
    quota: () => quota,
    /** Submitted and not settled. */
    open: () => pendingCount,
    listen: (to: Listeners) => {
      listeners = to
    },
    /** Node-RED stops: waiting and running requests are aborted. Its stores may continue writing. */
    stop(): void {
      life++
      pendingCount = 0
      for (const one of [...controllers]) one.abort()
      leave()
    },
    kill(): void {
      life++
      pendingCount = 0
      process.kill()
      service.crash()
    },
  }
}

export type QuotaSimulation = ReturnType<typeof createQuotaSimulation>

export function fateOf({ up, back, grain, headerRate, faults }: Scenario, random: Random): Fate {
  const time = (longest: number) => Math.round((random.next() * longest) / grain) * grain
  let ends: Fate['ends'] = 'well'
  for (const [fault, share] of Object.entries(faults)) if (random.chance(share)) ends = fault as Fate['ends']
  return {
    up: time(up),
    back: time(back),
    ends,
    counted: random.chance(0.5),
    hasHeaders: random.chance(headerRate),
  }
}
