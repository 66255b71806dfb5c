import type { Quota } from '../../../lib/quota/quota'
import type { QuotaWait } from '../../../lib/request'
import type { RunStatus } from './status'

/** Summarizes the waits of the concurrent requests of one trigger in the node's status. */
export class WaitStatus {
  /** Number of devices of the trigger, with one request each. */
  total = 0
  /** Number of devices that are done. */
  done = 0
  readonly #quota: Quota
  readonly #setStatus: (status: RunStatus) => void
  readonly #waits = new Map<object, QuotaWait>()

  constructor(quota: Quota, setStatus: (status: RunStatus) => void) {
    this.#quota = quota
    this.#setStatus = setStatus
  }

  /** @returns the `onWait` function for one request */
  createListener(): (wait: QuotaWait) => void {
    const request = {}
    return (wait) => {
      const hasWaited = this.#waits.delete(request)
      if (wait.until !== null) this.#waits.set(request, wait)
      if (hasWaited || wait.until !== null) this.#setStatus(this.#summarize())
    }
  }

  #summarize(): RunStatus {
    const { total, done } = this
    const [first] = [...this.#waits.values()].sort((a, b) => (a.until ?? 0) - (b.until ?? 0))
    if (!first || first.until === null) return { kind: 'requesting' }
    const { records, endpoint, until } = first
    if (records || total <= 1) return { kind: 'waiting', records, until }
    const end = Math.max(until, this.#quota.estimateRoundEnd(endpoint, total - done))
    return { kind: 'waiting', records, until: end, round: { done, total } }
  }
}
