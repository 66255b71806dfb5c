import { type DeviceFailure, isUnknown } from '../../../lib/collect/devices'

/** Numbers of devices that a trigger had problems with. */
export interface DeviceProblems {
  /** They are skipped because the service has refused them. */
  refused: number
  /** Records or alerts of them were lost. */
  losses: number
  /** They, or groups, were chosen, but are not in the account. */
  unknown: number
  /** They were not requested, because they await a receipt. */
  awaited: number
  /** The service has no records of them in the requested period. */
  empty: number
}

export const NO_PROBLEMS: DeviceProblems = { refused: 0, losses: 0, unknown: 0, awaited: 0, empty: 0 }

/** The problems of a node's devices that its status has to show, also after the trigger that had them. */
export class Problems {
  readonly #lossy = new Set<string>()
  #unknown = new Set<string>()

  get losses(): number {
    return this.#lossy.size
  }

  get unknown(): number {
    return this.#unknown.size
  }

  /** Notes that records or alerts of a device were lost. @param key `base/serial` */
  addLoss(key: string): void {
    this.#lossy.add(key)
  }

  /** Call this when a status has shown the losses. */
  clearLosses(): void {
    this.#lossy.clear()
  }

  /**
   * Notes the chosen devices and groups that the account does not have.
   * @returns the failures of those that it still had at the last trigger
   */
  setUnknown(failures: readonly DeviceFailure[]): DeviceFailure[] {
    const before = this.#unknown
    const keyOf = ({ device }: DeviceFailure) => JSON.stringify(device)
    const unknown = failures.filter(isUnknown)
    this.#unknown = new Set(unknown.map(keyOf))
    return unknown.filter((failure) => !before.has(keyOf(failure)))
  }
}
