import type { Account } from '../../../lib/account'
import { deviceKey, isStandalone, type ResolvedDevice } from '../../../lib/collect/devices'
import type { QuotaWait } from '../../../lib/request'
import { NODE_ENDPOINTS } from '../../../shared/node-endpoints'
import type { DeviceProblems } from './device-problems'
import type { RunStatus } from './status'

/** Summarizes in the node's status which devices' missing records one trigger fetches. */
export class FillStatus {
  /** Number of records fetched by this trigger. */
  records = 0
  readonly #account: Pick<Account, 'devices' | 'quota'>
  readonly #setStatus: (status: RunStatus) => void
  readonly #problems: () => DeviceProblems
  readonly #devices = new Set<string>()
  #open: readonly ResolvedDevice[] = []

  constructor(
    account: Pick<Account, 'devices' | 'quota'>,
    setStatus: (status: RunStatus) => void,
    problems: () => DeviceProblems,
  ) {
    this.#account = account
    this.#setStatus = setStatus
    this.#problems = problems
  }

  /** Whether records are still missing. */
  get isOpen(): boolean {
    return this.#open.length > 0
  }

  /** @param open the devices whose records are still missing; by default, those of the last call */
  show(open = this.#open, wait?: QuotaWait): void {
    this.#open = open
    for (const device of open) this.#devices.add(deviceKey(device))
    const [first] = open
    if (!first) return
    const { devices } = this.#account
    const total = this.#devices.size
    const name = devices.nameOf(first) || first.serial
    const until = this.#estimateEnd(first, wait?.until ?? null)
    const { records } = this
    const progress = { done: total - open.length, total, name, records, until }
    this.#setStatus({ kind: 'filling', ...progress, problems: this.#problems() })
  }

  /** The time at which each open device will have been requested once more, if requests wait for quota. */
  #estimateEnd(device: ResolvedDevice, until: number | null): number | null {
    if (until === null) return null
    const endpoint = NODE_ENDPOINTS.range[isStandalone(device) ? 'standalone' : 'relay']
    return Math.max(until, this.#account.quota.estimateRoundEnd(endpoint, this.#open.length))
  }
}
