import type { Quota } from '../../../lib/quota/quota'
import type { QuotaWait } from '../../../lib/request'
import type { RunStatus } from './status'

/** Shows in the node's status what the concurrent requests of one trigger are waiting for. */
export function createWaitStatus(quota: Quota, setStatus: (status: RunStatus) => void) {
  const waits = new Map<object, QuotaWait>()
  let total = 0
  let done = 0

  function summarize(): RunStatus {
    const [first] = [...waits.values()].sort((a, b) => (a.until ?? 0) - (b.until ?? 0))
    if (!first || first.until === null) return { kind: 'requesting' }
    const { records, endpoint, until } = first
    if (records || total <= 1) return { kind: 'waiting', records, until }
    const end = Math.max(until, quota.roundEnds(endpoint, total - done))
    return { kind: 'waiting', records, until: end, round: { done, total } }
  }

  return {
    /** The `onWait` of one request. */
    createListener: () => {
      const request = {}
      return (wait: QuotaWait): void => {
        const isKnown = waits.has(request)
        if (wait.until !== null) waits.set(request, wait)
        else if (isKnown) waits.delete(request)
        if (isKnown || wait.until !== null) setStatus(summarize())
      }
    },
    /** Sets the number of devices of the trigger, with one request each. */
    setTotal(devices: number): void {
      total = devices
    },
    countDone(): void {
      done++
    },
  }
}
