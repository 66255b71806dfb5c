import type { HttpResponse, Transport } from '../../../src/lib/api/transport'
import { type Clock, sleep } from '../../../src/lib/clock'
import { EnvlogError } from '../../../src/lib/errors'
import { json, refusal } from '../fake-transport'

/** How the service counts one endpoint. */
export interface ServiceRow {
  limit: number
  /** Seconds. */
  window: number
  kind: 'fixed' | 'sliding'
  /** Phase of fixed windows, ms. */
  phase: number
}

/** What happens to a request that is sent. */
export interface Fate {
  /** Time from sending until the request is counted, and from then until the response, ms. */
  up: number
  back: number
  /** `failed`: a failure of the service; `refused`: an unnecessary 429; `denied`: an unnecessary 400. */
  ends: 'well' | 'failed' | 'lost' | 'refused' | 'denied' | 'unsent'
  /** Whether the request is counted even if it is lost or cut off before that. */
  counted: boolean
  /** Whether the response has headers. */
  hasHeaders: boolean
}

export interface CountedRequest {
  at: number
  /** Whether it was refused because it exceeded the limit. */
  over: boolean
  /** Whether it counts. */
  counts: boolean
  /** What happened to it; `undefined` for another client's. */
  fate: Fate | undefined
}

const ROUTE = { status: 200, headers: {} }

/** Counts requests in every way that the service may: the kind of windows and the cost of a 429 are undocumented. */
export class ModelService {
  readonly log: CountedRequest[] = []
  readonly #clock: Clock
  readonly #row: ServiceRow
  readonly #refusedCounts: boolean
  #from = 0

  constructor(clock: Clock, row: ServiceRow, refusedCounts: boolean) {
    this.#clock = clock
    this.#row = row
    this.#refusedCounts = refusedCounts
  }

  /** The requests in the window of an instant. */
  #within(at: number): CountedRequest[] {
    const { kind, window, phase } = this.#row
    const ms = window * 1000
    const windowOf = (instant: number) => Math.floor((instant - phase) / ms)
    // The log is ordered: entries before the longest window are never needed again.
    while (this.#from < this.log.length && at - (this.log[this.#from] as CountedRequest).at > ms) this.#from++
    return this.log.slice(this.#from).filter((one) => kind === 'sliding' || windowOf(one.at) === windowOf(at))
  }

  used(): number {
    return this.#within(this.#clock.monotonic()).filter(({ counts }) => counts).length
  }

  /** Another client of the account sends a request. */
  foreign(): void {
    this.#count(undefined)
  }

  /** Our requests that exceeded the limit. */
  refusals(): CountedRequest[] {
    return this.log.filter(({ fate, over }) => fate && over)
  }

  /** The connection of one process to the service. */
  transport(fateOf: () => Fate): Transport & { sent: { at: number; latency: number; url: string }[] } {
    const service = this
    const sent: { at: number; latency: number; url: string }[] = []
    return {
      sent,
      send(request, read) {
        const fate = fateOf()
        const { up, back, ends } = fate
        sent.push({ at: service.#clock.monotonic(), latency: up + back, url: request.body })
        if (ends !== 'unsent') request.onSent()
        const stop = new AbortController()
        return { result: service.#exchange(fate, stop.signal).then(read), abandon: () => stop.abort() }
      },
      async close() {},
    }
  }

  /** @throws EnvlogError if there is no response */
  async #exchange(fate: Fate, signal: AbortSignal): Promise<HttpResponse> {
    const { up, back, ends, counted } = fate
    let isCounted = false
    let response: HttpResponse | undefined
    try {
      await this.#pass(up, signal)
      if (ends === 'unsent') throw new EnvlogError('no-connection')
      if (ends === 'lost') {
        if (counted) this.#count(fate)
      } else response = this.#answer(fate)
      isCounted = true
      await this.#pass(back, signal)
      if (!response) throw new EnvlogError('connection-broken')
      return response
    } catch (error) {
      // Cut off on its way: it may have arrived.
      if (!isCounted && counted && ends !== 'unsent') this.#count(fate)
      throw error
    }
  }

  #count(fate: Fate | undefined, isNeedless = false): CountedRequest {
    const over = this.used() >= this.#row.limit
    const counts = this.#refusedCounts || !(over || isNeedless)
    const entry = { at: this.#clock.monotonic(), over, counts, fate }
    this.log.push(entry)
    return entry
  }

  #answer(fate: Fate): HttpResponse {
    const { ends, hasHeaders } = fate
    const { over } = this.#count(fate, ends === 'refused' || ends === 'denied')
    const { limit, window } = this.#row
    const denied = !over && ends === 'denied'
    const remaining = denied ? 0 : Math.max(0, limit - this.used())
    const counts = {
      'x-ratelimit-limit': `${limit}`,
      'x-ratelimit-remaining': `${remaining}`,
      'x-ratelimit-reset': `${window}`,
    }
    const headers = hasHeaders ? counts : denied ? { 'x-ratelimit-remaining': '0' } : {}
    if (over || ends === 'refused') return { ...refusal(429), headers }
    if (denied) return { ...refusal(400), headers }
    if (ends === 'failed') return { ...refusal(500), headers }
    return { ...json({ devices: [] }), ...ROUTE, headers }
  }

  async #pass(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await sleep(this.#clock, ms, signal)
    } catch {
      throw new EnvlogError('connection-broken')
    }
  }
}
