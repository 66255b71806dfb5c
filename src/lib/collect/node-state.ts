import type { Clock } from '../clock'
import type { StateStore } from '../state-writer'
import { StoredState } from '../stored-state'
import { type Cursor, type CursorKind, kindOf } from './cursor'
import { DeviceState, MAX_QUIET_RESENDS } from './device-state'
import { deviceKey, deviceOfKey, type NamedDevice, type ResolvedDevice } from './devices'
import { type NextRound, readSavedState, type SavedState } from './saved-state'

/** Maximum number of reports to remember, which is more than any account needs. */
const MAX_REPORTS = 10_000
/** The state of a device that was not selected for this long is deleted. */
const MAX_UNSELECTED_MS = 30 * 86_400_000
/** Maximum number of records and alerts that all nodes of a process keep in memory. Any more are requested again. */
const MAX_RETAINED = 100_000

/** The settings of a node that its state depends on. */
export interface NodeStateOptions {
  /**
   * Identifies the settings that determine the form of delivered data. Data fetched with other settings is discarded.
   */
  settingsKey?: string
  /** Whether the node sends only what it has not sent before, so that it starts over without its state. */
  sendsOnlyNew?: boolean
  /** The data that the node polls. A cursor of the other kind belongs to an earlier node with the same id. */
  cursorKind?: CursorKind
  /** How long to wait for receipts; `null` if none are used. */
  receiptTimeoutMs?: number | null
}

/**
 * The state of a node's devices, by `base/serial`. It outlives deploys in the same process and, through a store,
 * restarts.
 */
export class NodeState {
  /** How long to wait for receipts; `null` if everything sent counts as delivered. */
  receiptTimeoutMs: number | null = null
  /** When the node last received current readings, monotonic ms. */
  respondedAt = Number.NEGATIVE_INFINITY
  readonly clock: Clock
  readonly #retainedByAll: () => number
  /** Polled devices are in the order of their last poll. */
  readonly #devices = new Map<string, DeviceState>()
  #selected = new Set<string>()
  /** The time up to which `unselectedMs` is counted, monotonic ms. */
  #countedAt: number
  readonly #reported = new Set<string>()
  /** Called when a receipt or a command may have ended the wait for a receipt. */
  readonly #onReceipt = new Set<() => void>()
  readonly #stored: StoredState<SavedState>
  #nextRound: NextRound | undefined
  #kind: CursorKind | undefined
  #sendsOnlyNew = false
  #settingsKey = ''

  /**
   * @param retainedByAll number of records and alerts that all nodes of the process, including this one, keep in memory
   */
  constructor(clock: Clock, retainedByAll: () => number = () => this.retainedCount) {
    this.clock = clock
    this.#retainedByAll = retainedByAll
    this.#countedAt = clock.monotonic()
    this.#stored = new StoredState(clock, {
      read: readSavedState,
      restore: (saved, store) => this.#restore(saved, store),
      toSave: () => this.#toSave(),
    })
  }

  get retainedCount(): number {
    return [...this.#devices.values()].reduce((sum, { retainedCount }) => sum + retainedCount, 0)
  }

  /** @param key `base/serial` */
  device(key: string): DeviceState {
    const found = this.#devices.get(key) ?? new DeviceState(() => this.save())
    this.#devices.set(key, found)
    return found
  }

  /**
   * Call this when the node is deployed. In a new process, the store is read first. After that, every change is written
   * to it.
   */
  open(
    store: StateStore,
    { settingsKey = '', sendsOnlyNew = false, cursorKind, receiptTimeoutMs = null }: NodeStateOptions = {},
  ): void {
    this.#sendsOnlyNew = sendsOnlyNew
    // Excludes the time in which the node was disabled.
    this.#countedAt = this.clock.monotonic()
    this.#stored.open(store)
    const overdueAt = receiptTimeoutMs === null ? null : this.clock.monotonic() + receiptTimeoutMs
    if (cursorKind !== this.#kind) this.#devices.clear()
    this.#kind = cursorKind
    for (const device of this.#devices.values()) device.deploy(settingsKey !== this.#settingsKey, overdueAt)
    this.#settingsKey = settingsKey
    this.receiptTimeoutMs = receiptTimeoutMs
    // The store may be another one, or lack the node's last changes.
    this.save()
  }

  /** Call this when the node that opened this store closes. Nothing is written to the store after this. */
  async close(store: StateStore): Promise<void> {
    if (!this.#stored.isOpenWith(store)) return
    for (const device of this.#devices.values()) device.close()
    await this.#stored.close(store)
  }

  /** Waits until the store has been read. @throws EnvlogError `store-newer`, `store-damaged`, `store-unreadable`, `closed` */
  ready(): Promise<void> {
    return this.#stored.ready()
  }

  /** Schedules a write after a change. */
  save(): void {
    this.#stored.save()
  }

  /** @returns whether all changes so far are in the store; false without waiting if the store fails */
  async written(): Promise<boolean> {
    const cursors = Array.from(this.#devices.values(), (device) => [device, device.cursor] as const)
    const isWritten = await this.#stored.written()
    for (const [device, cursor] of cursors)
      if (isWritten && cursor && cursor === device.cursor) device.isSaved = true
    return isWritten
  }

  /** Call this before `close`, for a node that triggers itself. */
  planRound(nextRound: NextRound): void {
    this.#nextRound = nextRound
  }

  /**
   * When the node would have triggered itself without the deploy or restart, ms since 1970 UTC; `undefined` if it has
   * other settings now.
   */
  takeNextRound(settings: string): number | undefined {
    const { at = undefined, settings: planned } = this.#nextRound ?? {}
    this.#nextRound = undefined
    return planned === settings ? at : undefined
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
  setDevices(
    devices: readonly ResolvedDevice[],
    hasLeft: (device: ResolvedDevice) => boolean = () => false,
  ): void {
    this.#moveDevices(devices, hasLeft)
    this.#selected = new Set(devices.map(deviceKey))
    const now = this.clock.monotonic()
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
    const state = this.device(key)
    this.#devices.delete(key)
    this.#devices.set(key, state)
    state.wasPolled = true
    state.hasFailedAmbiguously = hasFailedAmbiguously
  }

  /** Whether there is room to retain the records of a device. A single device may exceed the bound. */
  canRetain(device: DeviceState, count: number): boolean {
    const others = this.#retainedByAll() - device.retainedCount
    return others === 0 || others + count <= MAX_RETAINED
  }

  /**
   * Counts everything sent without a receipt as delivered, for all devices with one of the serials, or for all devices.
   */
  skip(serials: readonly string[] | 'all'): void {
    for (const [key, device] of this.#devices) if (isAmong(key, serials)) device.skip()
    this.#endWaits()
  }

  /** Processes a returned receipt. @param key `base/serial` */
  acknowledge(key: string, sequence: number): void {
    this.#devices.get(key)?.acknowledge(sequence)
    this.#endWaits()
  }

  /** Forgets all devices with one of the serials, or all devices. Earlier receipts have no effect any more. */
  forget(serials: readonly string[] | 'all'): void {
    for (const [key, device] of this.#devices) if (isAmong(key, serials)) device.forget()
    this.save()
    this.#endWaits()
  }

  /** Calls back after each receipt and each command. @returns a function that stops this */
  onReceipt(callback: () => void): () => void {
    this.#onReceipt.add(callback)
    return () => this.#onReceipt.delete(callback)
  }

  /**
   * The number of devices whose data was sent again because its receipt was overdue, the time of the first such
   * delivery, ms since 1970 UTC, and whether it was sent again so often that users are warned; `undefined` if there are
   * none.
   */
  unacknowledged(): { devices: number; since: number; isWarning: boolean } | undefined {
    const overdue = [...this.#selected].flatMap((key) => {
      const { unacknowledged } = this.#devices.get(key) ?? {}
      return unacknowledged && unacknowledged.resends > 0 ? [unacknowledged] : []
    })
    if (overdue.length === 0) return undefined
    const since = Math.min(...overdue.map((one) => one.since))
    const isWarning = overdue.some(({ resends }) => resends > MAX_QUIET_RESENDS)
    return { devices: overdue.length, since, isWarning }
  }

  /** Whether this is the first report of this kind for the device in this process. Each call counts as a report. */
  isFirstReport(
    { serial, base = '' }: NamedDevice,
    kind: 'unreadable' | 'refused' | 'ahead' | 'lost',
  ): boolean {
    const key = `${kind} ${base}/${serial}`
    if (this.#reported.has(key) || this.#reported.size === MAX_REPORTS) return false
    this.#reported.add(key)
    return true
  }

  /** Moves the state of devices that have left their base unit and are now under another one. */
  #moveDevices(devices: readonly ResolvedDevice[], hasLeft: (device: ResolvedDevice) => boolean): void {
    for (const [device, others] of this.#namesakesOfBlank(devices)) {
      const previous = others.find(({ base }) => hasLeft({ ...device, base }))
      if (!previous) continue
      const state = this.device(deviceKey(previous))
      state.move()
      this.#devices.delete(deviceKey(previous))
      this.#devices.set(deviceKey(device), state)
    }
  }

  /** The devices without a state, each with the known devices that have its serial. */
  #namesakesOfBlank(devices: readonly ResolvedDevice[]): [ResolvedDevice, ResolvedDevice[]][] {
    const blank = devices.filter((device) => this.#devices.get(deviceKey(device))?.isBlank ?? true)
    if (blank.length === 0) return []
    const bySerial = new Map<string, ResolvedDevice[]>()
    for (const known of Array.from(this.#devices.keys(), deviceOfKey))
      bySerial.set(known.serial, [...(bySerial.get(known.serial) ?? []), known])
    return blank.flatMap((device) => {
      const others = (bySerial.get(device.serial) ?? []).filter(({ base }) => base !== device.base)
      return others.length > 0 ? [[device, others]] : []
    })
  }

  #endWaits(): void {
    for (const callback of this.#onReceipt) callback()
  }

  #toSave(): SavedState {
    const [now, monotonic] = [this.clock.now(), this.clock.monotonic()]
    const devices = [...this.#devices].flatMap(([key, device]) => {
      const saved = device.toSave(now, monotonic)
      return saved ? [[key, saved]] : []
    })
    const nextRound = this.#nextRound && { nextRound: this.#nextRound }
    return { version: 1, ...nextRound, devices: Object.fromEntries(devices) }
  }

  #restore(saved: SavedState | undefined, store: StateStore): void {
    if (!saved && this.#sendsOnlyNew) store.onMissing?.()
    this.#nextRound ??= saved?.nextRound
    const isWanted = (cursor: Cursor) => !this.#kind || kindOf(cursor) === this.#kind
    for (const [key, { cursor, unacknowledged, ...others }] of Object.entries(saved?.devices ?? {})) {
      const own = cursor && isWanted(cursor) ? { cursor } : {}
      const awaited = unacknowledged && isWanted(unacknowledged.cursor) ? { unacknowledged } : {}
      this.device(key).restore({ ...others, ...own, ...awaited }, this.clock.now(), this.clock.monotonic())
    }
  }
}

const isAmong = (device: string, serials: readonly string[] | 'all') =>
  serials === 'all' || serials.includes(deviceOfKey(device).serial)
