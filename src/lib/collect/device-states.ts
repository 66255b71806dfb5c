import { isAmong, type Serials } from '../../shared/action'
import { DAY_MS } from '../../shared/local-clock'
import type { Clock } from '../clock'
import { DeviceState, MAX_QUIET_RESENDS } from './device-state'
import { deviceKey, deviceOfKey, type ResolvedDevice } from './devices'
import type { SavedDevice } from './saved-state'

/** The state of a device that was not selected for this long is deleted. */
export const MAX_UNSELECTED_MS = 30 * DAY_MS

/** A device of a node. */
interface Listed {
  readonly state: DeviceState
  /** How long the node has been running without selecting it, ms. */
  unselectedMs: number
  /** Whether it was polled, in this process or an earlier one. */
  wasPolled: boolean
  /** Whether its last poll failed ambiguously: the device or the account may be the cause. */
  hasFailedAmbiguously: boolean
}

/** The states of a node's devices, by `base/serial`: which are selected, and when each has its turn. */
export class DeviceStates {
  readonly #clock: Clock
  readonly #onChange: () => void
  /** Polled devices are in the order of their last poll. */
  readonly #devices = new Map<string, Listed>()
  #selected = new Set<string>()
  /** The time up to which `unselectedMs` is counted, monotonic ms. */
  #countedAt: number

  /** @param onChange called when something changes that has to be saved */
  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock
    this.#onChange = onChange
    this.#countedAt = clock.monotonic()
  }

  /** The state of a device, which is created if there is none. @param key `base/serial` */
  get(key: string): DeviceState {
    return this.#list(key).state
  }

  find(key: string): DeviceState | undefined {
    return this.#devices.get(key)?.state
  }

  all(): DeviceState[] {
    return Array.from(this.#devices.values(), ({ state }) => state)
  }

  /** The states of all devices with one of the serials. */
  among(serials: Serials): DeviceState[] {
    return [...this.#devices].flatMap(([key, { state }]) =>
      isAmong(deviceOfKey(key).serial, serials) ? [state] : [],
    )
  }

  clear(): void {
    this.#devices.clear()
  }

  /** Call this when the node is deployed: the time in which it was disabled does not count as unselected. */
  resume(): void {
    this.#countedAt = this.#clock.monotonic()
  }

  /** Number of records and alerts kept in memory. */
  get retainedCount(): number {
    return this.all().reduce((sum, { retainedCount }) => sum + retainedCount, 0)
  }

  /** The devices without a state that may have moved from another base unit. The account's current list says it. */
  mayHaveMoved(devices: readonly ResolvedDevice[]): ResolvedDevice[] {
    return this.#namesakesOfBlank(devices).map(([device]) => device)
  }

  /**
   * Sets the node's current devices. The state of a device that has moved to another base unit moves with the device.
   * The state of a device that was not selected for 30 days is deleted.
   * @param hasLeft whether a device is no longer under its base unit
   */
  select(
    devices: readonly ResolvedDevice[],
    hasLeft: (device: ResolvedDevice) => boolean = () => false,
  ): void {
    this.#move(devices, hasLeft)
    this.#selected = new Set(devices.map(deviceKey))
    const now = this.#clock.monotonic()
    for (const [key, device] of this.#devices) {
      device.unselectedMs = this.#selected.has(key) ? 0 : device.unselectedMs + now - this.#countedAt
      if (device.unselectedMs >= MAX_UNSELECTED_MS) this.#devices.delete(key)
    }
    this.#countedAt = now
  }

  /**
   * The devices in polling order, so that the next trigger continues where the quota stopped the last one
   * (docs/quota.md). Devices that were never polled come first, in the given order.
   */
  leastRecentlyPolledFirst(devices: readonly ResolvedDevice[]): ResolvedDevice[] {
    const polled = [...this.#devices].filter(([, { wasPolled }]) => wasPolled)
    const ranks = new Map(polled.map(([key], index) => [key, index]))
    const rank = (device: ResolvedDevice) => ranks.get(deviceKey(device)) ?? -1
    return [...devices].sort((a, b) => rank(a) - rank(b))
  }

  markPolled(device: ResolvedDevice, hasFailedAmbiguously = false): void {
    const key = deviceKey(device)
    const listed = this.#list(key)
    this.#devices.delete(key)
    this.#devices.set(key, { ...listed, wasPolled: true, hasFailedAmbiguously })
  }

  /** Whether the last poll of a device failed ambiguously: the device or the account may be the cause. */
  hasFailedAmbiguously(device: ResolvedDevice): boolean {
    return this.#devices.get(deviceKey(device))?.hasFailedAmbiguously ?? false
  }

  /**
   * The number of devices whose data was sent again because its receipt was overdue, the time of the first such
   * delivery, ms since 1970 UTC, and whether it was sent again so often that users are warned; `undefined` if there are
   * none.
   */
  unacknowledged(): { devices: number; since: number; isWarning: boolean } | undefined {
    const overdue = [...this.#selected].flatMap((key) => {
      const { unacknowledged } = this.find(key) ?? {}
      return unacknowledged && unacknowledged.resends > 0 ? [unacknowledged] : []
    })
    if (overdue.length === 0) return undefined
    const since = Math.min(...overdue.map((one) => one.since))
    const isWarning = overdue.some(({ resends }) => resends > MAX_QUIET_RESENDS)
    return { devices: overdue.length, since, isWarning }
  }

  toSave(): Record<string, SavedDevice> {
    const [now, monotonic] = [this.#clock.now(), this.#clock.monotonic()]
    const saved = [...this.#devices].flatMap(([key, { state, wasPolled, unselectedMs }]) => {
      const device = state.toSave(now, monotonic)
      if (!wasPolled && Object.keys(device).length === 0) return []
      return [[key, { ...device, ...(unselectedMs > 0 && { unselectedMs }) }] as const]
    })
    return Object.fromEntries(saved)
  }

  restore(key: string, saved: SavedDevice): void {
    const listed = this.#list(key)
    listed.state.restore(saved, this.#clock.now(), this.#clock.monotonic())
    listed.unselectedMs = saved.unselectedMs ?? 0
    listed.wasPolled = true
  }

  #list(key: string): Listed {
    const listed = this.#devices.get(key) ?? {
      state: new DeviceState(this.#onChange),
      unselectedMs: 0,
      wasPolled: false,
      hasFailedAmbiguously: false,
    }
    this.#devices.set(key, listed)
    return listed
  }

  /** Moves the state of devices that have left their base unit and are now under another one. */
  #move(devices: readonly ResolvedDevice[], hasLeft: (device: ResolvedDevice) => boolean): void {
    for (const [device, others] of this.#namesakesOfBlank(devices)) {
      const previous = others.find(({ base }) => hasLeft({ ...device, base }))
      if (!previous) continue
      const listed = this.#list(deviceKey(previous))
      listed.state.move()
      this.#devices.delete(deviceKey(previous))
      this.#devices.set(deviceKey(device), listed)
    }
  }

  /** The devices without a state, each with the known devices that have its serial. */
  #namesakesOfBlank(devices: readonly ResolvedDevice[]): [ResolvedDevice, ResolvedDevice[]][] {
    const blank = devices.filter((device) => this.find(deviceKey(device))?.isBlank ?? true)
    if (blank.length === 0) return []
    const bySerial = new Map<string, ResolvedDevice[]>()
    for (const known of Array.from(this.#devices.keys(), deviceOfKey))
      bySerial.set(known.serial, [...(bySerial.get(known.serial) ?? []), known])
    return blank.flatMap((device) => {
      const others = (bySerial.get(device.serial) ?? []).filter(({ base }) => base !== device.base)
      return others.length > 0 ? [[device, others]] : []
    })
  }
}
