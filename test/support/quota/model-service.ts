import type { QuotaHeaders } from '../../../src/lib/api/quota-headers'
import type { Clock } from '../../../src/lib/clock'
import { EnvlogError } from '../../../src/lib/errors'
import type { AttemptResult } from '../../../src/lib/quota/types'
import { NO_HEADERS } from './manual-service'

/** How the service counts one endpoint. */
export interface ServiceRow {
  limit: number
  /** Seconds. */
  window: number
  kind: 'fixed' | 'sliding'
  /** Phase of fixed windows, ms. */
  phase: number
}

/** What will become of a request, if it is sent. */
export interface Fate {
  /** From the sending to the instant it is counted, and from there to the answer, ms. */
  up: number
  back: number
  /** `failed`: a failure of the service; `refused`: an unnecessary 429; `denied`: an unnecessary 400. */
  ends: 'well' | 'failed' | 'lost' | 'refused' | 'denied' | 'unsent'
  /** Lost before it was counted, or cut off before: is it counted all the same? */
  counted: boolean
  /** Has its response headers? */
  hasHeaders: boolean
}

export interface CountedRequest {
  at: number
  who: 'ours' | 'foreign'
  /** One too many: it was refused for that. */
  over: boolean
  /** True if it counts. */
  counts: boolean
  /** False if its answer was lost. */
  answered: boolean
  /** The process that sent it, if known. */
  of?: unknown
}

/** Counts requests in all ways that the service may: the kind of windows and the cost of a 429 are not described. */
export function createModelService(
  clock: Clock,
  { limit, window, kind, phase }: ServiceRow,
  refusedCounts: boolean,
) {
  const log: CountedRequest[] = []
  /** What cuts a request off → whose it is. */
  const inFlight = new Map<(dead: boolean) => void, unknown>()
  const ms = window * 1000
  const windowOf = (at: number) => Math.floor((at - phase) / ms)
  let from = 0

  /** What is in the window of an instant. */
  function within(at: number): CountedRequest[] {
    // The log is ordered: entries before the longest window are never needed again.
    while (from < log.length && at - (log[from] as CountedRequest).at > ms) from++
    return log.slice(from).filter((one) => kind === 'sliding' || windowOf(one.at) === windowOf(at))
  }

  const used = () => within(clock.monotonic()).filter(({ counts }) => counts).length

  function count(
    who: CountedRequest['who'],
    of?: unknown,
    isNeedless = false,
    answered = false,
  ): CountedRequest {
    const over = used() >= limit
    const entry = {
      at: clock.monotonic(),
      who,
      over,
      counts: refusedCounts || !(over || isNeedless),
      answered,
      of,
    }
    log.push(entry)
    return entry
  }

  const createHeaders = (): QuotaHeaders => ({
    ...NO_HEADERS,
    limit,
    windowSeconds: window,
    remaining: Math.max(0, limit - used()),
  })

  /** @param of the process that sends it */
  function send(fate: Fate, signal: AbortSignal, of?: unknown): Promise<AttemptResult<'answer'>> {
    return new Promise((resolve) => {
      let arrived = false
      let result: AttemptResult<'answer'> = { headers: null, error: new EnvlogError('timeout-silent') }
      const arrive = () => {
        arrived = true
        if (fate.ends === 'unsent') result = { ...result, isUnsent: true }
        else if (fate.ends !== 'lost') result = answerTo(fate, of)
        else if (fate.counted) count('ours', of)
      }
      const end = (how: AttemptResult<'answer'>) => {
        inFlight.delete(cut)
        stop()
        resolve(how)
      }
      // Aborted in flight: it is not known whether it arrived; a killed process gets no result.
      const cut = (dead: boolean) => {
        if (!arrived && fate.counted && fate.ends !== 'unsent') count('ours', of)
        inFlight.delete(cut)
        stop()
        if (!dead) resolve({ headers: null, error: new EnvlogError('closed') })
      }
      let stop = clock.after(fate.up, () => {
        arrive()
        stop = clock.after(fate.back, () => end(result))
      })
      inFlight.set(cut, of)
      signal.addEventListener('abort', () => inFlight.has(cut) && cut(false))
    })
  }

  function answerTo({ ends, hasHeaders }: Fate, of: unknown): AttemptResult<'answer'> {
    const { over } = count('ours', of, ends === 'refused' || ends === 'denied', true)
    const headers = hasHeaders ? createHeaders() : NO_HEADERS
    if (over || ends === 'refused')
      return { headers, error: new EnvlogError('quota-refused', {}, { status: 429 }) }
    if (ends === 'denied')
      return {
        headers: { ...headers, remaining: 0 },
        error: new EnvlogError('device-refused', {}, { status: 400 }),
      }
    if (ends === 'failed')
      return { headers, error: new EnvlogError('service-failed', {}, { status: 500 }), retryAfterMs: 1000 }
    return { headers, value: 'answer' }
  }

  return {
    log,
    send,
    within,
    used,
    foreign: () => void count('foreign'),
    /** The client's process dies: requests in flight are counted now or never. */
    crash: (of?: unknown) => {
      for (const [one, whose] of [...inFlight]) if (whose === of) one(true)
    },
    refusals: () => log.filter(({ who, over }) => who === 'ours' && over),
  }
}
