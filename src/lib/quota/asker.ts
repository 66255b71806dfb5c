import type { EndpointName } from '../api/endpoints'
import type { Line } from './turns'

/** What a request waits for. */
export interface Wait {
  endpoint: EndpointName
  /** When it is expected to go, ms since 1970 UTC; `null` when it goes, or lacks a connection alone. */
  until: number | null
  /** True where the records of its device are used up, not the requests. */
  records: boolean
}

/** Who asks, and how long for. */
export interface Asker {
  signal: AbortSignal
  /** Requests of one line take turns with those of the others. */
  line: Line
  /** Longest wait for quota from queueing, ms; `null` as long as it takes. */
  wait: number | null
  /** The same for the records of its device, where that is to be shorter. */
  recordsWait?: number
  /** Told when a wait for quota begins, changes and ends. */
  waiting?(wait: Wait): void
}

/** One whose own listener throws fails alone: what it is told of comes in the middle of others' work. */
export function withSafeListener(asker: Asker, failed: (error: unknown) => void): Asker {
  const { waiting } = asker
  if (!waiting) return asker
  let isBroken = false
  return {
    ...asker,
    waiting(wait) {
      if (isBroken) return
      try {
        waiting(wait)
      } catch (error) {
        isBroken = true
        failed(error)
      }
    },
  }
}
