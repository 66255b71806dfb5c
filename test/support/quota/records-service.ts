import type { Clock } from '../../../src/lib/clock'
import { EnvlogError } from '../../../src/lib/errors'
import type { AttemptResult } from '../../../src/lib/quota/types'
import { NO_HEADERS } from './manual-service'
import type { ServiceRow } from './model-service'

/** What will become of a request for records. */
export interface RecordsFate {
  up: number
  back: number
  /** The share of the requested records that the device has. */
  has: number
  /** `broken`: headers without a body; `lost`: no response. */
  ends: 'well' | 'broken' | 'lost'
  hasHeaders: boolean
}

/** Counts the records of each device that it sends; refuses a request for more than remain. */
export function createRecordsModelService(clock: Clock, { limit, window, kind, phase }: ServiceRow) {
  const log: { at: number; device: string; amount: number; over: boolean }[] = []
  const inFlight = new Set<() => void>()
  const ms = window * 1000
  const windowOf = (at: number) => Math.floor((at - phase) / ms)

  function remaining(device: string): number {
    const now = clock.monotonic()
    return log.reduce((left, one) => {
      const inWindow = kind === 'sliding' ? now - one.at <= ms : windowOf(one.at) === windowOf(now)
      return one.device === device && inWindow ? left - one.amount : left
    }, limit)
  }

  function count(device: string, wanted: number, has: number): { amount: number; over: boolean } {
    const over = wanted > remaining(device)
    const amount = over ? 0 : Math.round(wanted * has)
    log.push({ at: clock.monotonic(), device, amount, over })
    return { amount, over }
  }

  function answer(
    device: string,
    wanted: number,
    { has, ends, hasHeaders }: RecordsFate,
  ): AttemptResult<number> {
    const { amount, over } = count(device, wanted, has)
    const headers = hasHeaders
      ? { ...NO_HEADERS, remaining: 10, recordsRemaining: remaining(device) }
      : NO_HEADERS
    if (ends === 'lost') return { headers: null, records: null, error: new EnvlogError('timeout-silent') }
    if (over) return { headers, records: 0, error: new EnvlogError('quota-refused', {}, { status: 429 }) }
    if (ends === 'broken')
      return { headers, records: null, error: new EnvlogError('connection-broken'), retryAfterMs: 1000 }
    return { headers, records: amount, value: amount }
  }

  return {
    log,
    remaining,
    refusals: () => log.filter(({ over }) => over),
    send: (device: string, wanted: number, fate: RecordsFate) =>
      new Promise<AttemptResult<number>>((resolve) => {
        const arrive = () => {
          inFlight.delete(arrive)
          cancel()
          const result = answer(device, wanted, fate)
          clock.after(fate.back, () => resolve(result))
        }
        const cancel = clock.after(fate.up, arrive)
        inFlight.add(arrive)
      }),
    /** The client's process dies: requests in flight are counted now. */
    crash: () => {
      for (const arrive of [...inFlight]) arrive()
    },
  }
}
