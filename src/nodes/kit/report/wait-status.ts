import type { Quota } from '../../../lib/quota/quota'
import type { QuotaWait } from '../../../lib/quota/types'
import type { RunStatus } from './status'

/** What one trigger waits for, as its status tells it: its requests may wait side by side. */
export function createWaitStatus(quota: Quota, show: (outcome: RunStatus) => void) {
  const waits = new Map<object, QuotaWait>()
  let total = 0
  let done = 0

  function outcome(): RunStatus {
    const [first] = [...waits.values()].sort((a, b) => (a.until ?? 0) - (b.until ?? 0))
    if (!first || first.until === null) return { kind: 'asking' }
    const { records, endpoint, until } = first
    if (records || total <= 1) return { kind: 'waiting', records, until }
    const end = Math.max(until, quota.roundEnds(endpoint, total - done))
    return { kind: 'waiting', records, until: end, round: { done, total } }
  }

  return {
    /** For each request its own. */
    listen: () => {
      const request = {}
      return (wait: QuotaWait): void => {
        const known = waits.has(request)
        if (wait.until !== null) waits.set(request, wait)
        else if (known) waits.delete(request)
        if (known || wait.until !== null) show(outcome())
      }
    },
    /** One request for each of so many devices. */
    expect(devices: number): void {
      total = devices
    },
    asked(): void {
      done++
    },
  }
}
