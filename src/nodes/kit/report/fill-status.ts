import type { Account } from '../../../lib/account'
import { deviceKey } from '../../../lib/collect/devices'
import type { OpenDevice } from '../../../lib/collect/next-page'
import type { DeviceProblems } from './device-problems'
import type { RunStatus } from './status'

/** Summarizes in the node's status which devices' missing records one trigger fetches. */
export class FillStatus {
  /** Number of records fetched by this trigger. */
  records = 0
  readonly #account: Pick<Account, 'devices'>
  readonly #setStatus: (status: RunStatus) => void
  readonly #problems: () => DeviceProblems
  readonly #devices = new Set<string>()
  #open: readonly OpenDevice[] = []

  constructor(
    account: Pick<Account, 'devices'>,
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
  show(open = this.#open): void {
    this.#open = open
    for (const { target } of open) this.#devices.add(deviceKey(target))
    const [first] = open
    if (!first) return
    const { devices } = this.#account
    const total = this.#devices.size
    const name = devices.nameOf(first.target) || first.target.serial
    const since = Math.max(...open.map((device) => device.since))
    const progress = { done: total - open.length, total, name, records: this.records, since }
    this.#setStatus({ kind: 'filling', ...progress, problems: this.#problems() })
  }
}
