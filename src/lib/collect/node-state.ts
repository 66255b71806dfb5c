import type { Serials } from '../../shared/action'
import type { Clock } from '../clock'
import { type StateStore, StoredState } from '../stored-state'
import { type Cursor, type CursorKind, kindOf } from './cursor'
import type { DeviceState } from './device-state'
import { DeviceStates } from './device-states'
import type { NamedDevice } from './devices'
import { type NextRound, readSavedState, type SavedState } from './saved-state'

/** Maximum number of reports to remember, which is more than any account needs. */
export const MAX_REPORTS = 10_000
/** Maximum number of records and alerts that all nodes of a process keep in memory. Any more are requested again. */
export const MAX_RETAINED = 100_000

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

/** The state of a node. It outlives deploys in the same process and, through a store, restarts. */
export class NodeState {
  /** How long to wait for receipts; `null` if everything sent counts as delivered. */
  receiptTimeoutMs: number | null = null
  /** When the node last received current readings, monotonic ms. */
  respondedAt = Number.NEGATIVE_INFINITY
  readonly clock: Clock
  readonly devices: DeviceStates
  readonly #retainedByAll: () => number
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
  constructor(clock: Clock, retainedByAll: () => number = () => this.devices.retainedCount) {
    this.clock = clock
    this.#retainedByAll = retainedByAll
    this.devices = new DeviceStates(clock, () => this.save())
    this.#stored = new StoredState(clock, {
      read: readSavedState,
      restore: (saved, store) => this.#restore(saved, store),
      toSave: () => this.#toSave(),
    })
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
    this.devices.resume()
    this.#stored.open(store)
    const overdueAt = receiptTimeoutMs === null ? null : this.clock.monotonic() + receiptTimeoutMs
    if (cursorKind !== this.#kind) this.devices.clear()
    this.#kind = cursorKind
    for (const device of this.devices.all()) device.deploy(settingsKey !== this.#settingsKey, overdueAt)
    this.#settingsKey = settingsKey
    this.receiptTimeoutMs = receiptTimeoutMs
    // The store may be another one, or lack the node's last changes.
    this.save()
  }

  /** Call this when the node that opened this store closes. Nothing is written to the store after this. */
  async close(store: StateStore): Promise<void> {
    if (!this.#stored.isOpenWith(store)) return
    for (const device of this.devices.all()) device.close()
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
    const cursors = this.devices.all().map((device) => [device, device.cursor] as const)
    const isWritten = await this.#stored.written()
    for (const [device, cursor] of cursors) if (isWritten && cursor) device.markSaved(cursor)
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

  /** Whether there is room to retain the records of a device. A single device may exceed the bound. */
  canRetain(device: DeviceState, count: number): boolean {
    const others = this.#retainedByAll() - device.retainedCount
    return others === 0 || others + count <= MAX_RETAINED
  }

  /**
   * Counts everything sent without a receipt as delivered, for all devices with one of the serials, or for all devices.
   */
  skip(serials: Serials): void {
    for (const device of this.devices.among(serials)) device.skip()
    this.#endWaits()
  }

  /** Processes a returned receipt. @param key `base/serial` */
  acknowledge(key: string, issuedAt: number): void {
    this.devices.find(key)?.acknowledge(issuedAt)
    this.#endWaits()
  }

  /** Forgets all devices with one of the serials, or all devices. Earlier receipts have no effect any more. */
  forget(serials: Serials): void {
    for (const device of this.devices.among(serials)) device.forget()
    this.save()
    this.#endWaits()
  }

  /** Calls back after each receipt and each command. @returns a function that stops this */
  onReceipt(callback: () => void): () => void {
    this.#onReceipt.add(callback)
    return () => this.#onReceipt.delete(callback)
  }

  /** Whether this is the first report of this kind for the device in this process. Each call counts as a report. */
  isFirstReport(
    { serial, base = '' }: NamedDevice,
    kind: 'unreadable' | 'refused' | 'refused-page' | 'ahead' | 'lost',
  ): boolean {
    const key = `${kind} ${base}/${serial}`
    if (this.#reported.has(key) || this.#reported.size === MAX_REPORTS) return false
    this.#reported.add(key)
    return true
  }

  #endWaits(): void {
    for (const callback of this.#onReceipt) callback()
  }

  #toSave(): SavedState {
    const nextRound = this.#nextRound && { nextRound: this.#nextRound }
    return { version: 1, ...nextRound, devices: this.devices.toSave() }
  }

  #restore(saved: SavedState | undefined, store: StateStore): void {
    if (!saved && this.#sendsOnlyNew) store.onMissing?.()
    this.#nextRound ??= saved?.nextRound
    const isWanted = (cursor: Cursor) => !this.#kind || kindOf(cursor) === this.#kind
    for (const [key, { cursor, unacknowledged, ...others }] of Object.entries(saved?.devices ?? {})) {
      const own = cursor && isWanted(cursor) ? { cursor } : {}
      const awaited = unacknowledged && isWanted(unacknowledged.cursor) ? { unacknowledged } : {}
      this.devices.restore(key, { ...others, ...own, ...awaited })
    }
  }
}
