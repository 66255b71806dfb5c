import type { Account } from '../../../lib/account'
import { deviceKey } from '../../../lib/collect/devices'
import type { OpenDevice } from '../../../lib/collect/next-page'
import type { QuotaWait } from '../../../lib/request'
import type { DeviceProblems } from './device-problems'
import type { RunStatus } from './status'

/** What one trigger has done so far, for the node's status: its requests wait for quota, or it fetches missing records. */
export class Progress {
  /** Number of devices of the round, with one request each, and of those that are done. */
  total = 0
  done = 0
  /** Number of missing records that were fetched. */
  filled = 0
  readonly #account: Pick<Account, 'devices' | 'quota'>
  readonly #setStatus: (status: RunStatus) => void
  readonly #waits = new Map<object, QuotaWait>()
  /** All devices that had missing records, and those that still have some. */
  readonly #lacking = new Set<string>()
  #open: readonly OpenDevice[] = []

  constructor(account: Pick<Account, 'devices' | 'quota'>, setStatus: (status: RunStatus) => void) {
    this.#account = account
    this.#setStatus = setStatus
  }

  /** @returns the `onWait` function for one request */
  createListener(): (wait: QuotaWait) => void {
    const request = {}
    return (wait) => {
      const hasWaited = this.#waits.delete(request)
      if (wait.until !== null) this.#waits.set(request, wait)
      if (hasWaited || wait.until !== null) this.#setStatus(this.#summarizeWaits())
    }
  }

  /** Whether records are still missing. */
  get isFilling(): boolean {
    return this.#open.length > 0
  }

  /** @param open the devices whose records are still missing; by default, those of the last call */
  showFilling(problems: DeviceProblems, open = this.#open): void {
    this.#open = open
    for (const { target } of open) this.#lacking.add(deviceKey(target))
    const [first] = open
    if (!first) return
    const total = this.#lacking.size
    const name = this.#account.devices.nameOf(first.target) || first.target.serial
    const since = Math.max(...open.map((device) => device.since))
    const progress = { done: total - open.length, total, name, records: this.filled, since }
    this.#setStatus({ kind: 'filling', ...progress, problems })
  }

  #summarizeWaits(): RunStatus {
    const { total, done } = this
    const [first] = [...this.#waits.values()].sort((a, b) => (a.until ?? 0) - (b.until ?? 0))
    if (!first || first.until === null) return { kind: 'requesting' }
    const { records, endpoint, until } = first
    if (records || total <= 1) return { kind: 'waiting', records, until }
    const end = Math.max(until, this.#account.quota.estimateRoundEnd(endpoint, total - done))
    return { kind: 'waiting', records, until: end, round: { done, total } }
  }
}
