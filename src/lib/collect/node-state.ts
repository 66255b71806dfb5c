import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import { loadOrThrow, type StateStore, StateWriter } from '../state-store'
import { type CursorKind, kindOf } from './cursor'
import { DeviceState, MAX_QUIET_RESENDS } from './device-state'
import { deviceKey, type NamedDevice, type ResolvedDevice } from './devices'
import { readSavedState, type SavedState } from './saved-state'

/** Reports of devices that are made once: more than any account has. */
const MAX_REPORTS = 10_000
/** A store that has not answered within this time is read again. */
const LOAD_AGAIN_MS = 60_000
const A_DAY_MS = 86_400_000
/** The state of a device that was not selected for this long is deleted. */
const MAX_UNSELECTED_MS = 30 * A_DAY_MS
/** Records and alerts that all nodes of a process keep in memory; beyond this they are requested again. */
const MAX_RETAINED = 100_000

/** What the state has to know about its node. */
export interface NodeStateOptions {
  /** Names the settings that shape what is delivered: what was fetched with others is dropped. */
  settingsKey?: string
  /** What the node polls: cursors of the other kind belong to an earlier node with the same id. */
  cursorKind?: CursorKind
  /** How long receipts are awaited; `null` for not at all. */
  receiptTimeoutMs?: number | null
}

/** The node as it was made last. */
interface Opened {
  store: StateStore
  kind: CursorKind | undefined
  writer?: StateWriter
  loading?: Promise<void> | undefined
  /** When the store was last read, monotonic ms. */
  loadedAt?: number
}

/**
 * What a node knows of its devices, by `base/serial`. It outlives every deploy in the process, and restarts in a store.
 */
export class NodeState {
  readonly #clock: Clock
  readonly #retainedByAll: () => number
  readonly #devices = new Map<string, DeviceState>()
  #selected = new Set<string>()
  /** Until when `unselectedMs` is counted, monotonic ms. */
  #countedAt: number
  #savedAt: number
  /** When something was last forgotten, ms since 1970 UTC: earlier receipts of devices without a state are void. */
  #forgottenAt = 0
  #lastRank = 0
  readonly #reported = new Set<string>()
  #receiptKey = randomBytes(32).toString('base64url')
  #opened: Opened | undefined
  #isLoaded = false
  #settingsKey = ''

  /** @param retainedByAll records and alerts that all nodes of the process keep in memory, with this one */
  constructor(clock: Clock, retainedByAll: () => number = () => this.retainedCount) {
    this.#clock = clock
    this.#retainedByAll = retainedByAll
    this.#countedAt = clock.monotonic()
    this.#savedAt = this.#countedAt
  }

  /** What receipts are signed with; it is saved with the cursors. */
  get receiptKey(): string {
    return this.#receiptKey
  }

  get retainedCount(): number {
    return [...this.#devices.values()].reduce((sum, { retainedCount }) => sum + retainedCount, 0)
  }

  /** @param key `base/serial` */
  device(key: string): DeviceState {
    const found = this.#devices.get(key) ?? new DeviceState(() => this.save(), this.#forgottenAt)
    this.#devices.set(key, found)
    return found
  }

  /** The node is made. In a new process the store is read first; then each change is written to it. */
  open(
    store: StateStore,
    { settingsKey = '', cursorKind, receiptTimeoutMs = null }: NodeStateOptions = {},
  ): void {
    const opened: Opened = { store, kind: cursorKind }
    this.#opened = opened
    // Not the time in which the node was disabled.
    this.#countedAt = this.#clock.monotonic()
    if (this.#isLoaded) opened.writer = this.#createWriter(store)
    else this.#startLoading(opened)
    const overdueAt = receiptTimeoutMs === null ? null : this.#clock.monotonic() + receiptTimeoutMs
    for (const [key, device] of this.#devices) {
      if (!isOfKind(device, cursorKind)) this.#devices.delete(key)
      else device.deploy(settingsKey !== this.#settingsKey, overdueAt)
    }
    this.#settingsKey = settingsKey
    // It may be another store, or lack what the node knew at its end.
    this.save()
  }

  /** The node that opened it with this store closes. Nothing is written there after this. */
  async close(store: StateStore): Promise<void> {
    const { writer } = this.#opened ?? {}
    if (this.#opened?.store !== store) return
    this.#opened = undefined
    for (const device of this.#devices.values()) device.close()
    this.#countUnselected()
    writer?.save()
    await writer?.end()
  }

  /**
   * Waits until the store was read. Before that nothing may be requested or written, because a node that takes a store
   * that cannot be read for an empty one loses records. After a failure the store is read again, and an answer that
   * is late is accepted.
   * @throws EnvlogError `store-newer`, `store-unreadable`, `closed`
   */
  async ready(): Promise<void> {
    if (this.#isLoaded) return
    const opened = this.#opened
    if (!opened) throw new EnvlogError('closed')
    const isOverdue = this.#clock.monotonic() - (opened.loadedAt ?? 0) >= LOAD_AGAIN_MS
    try {
      if (opened.loading === undefined || isOverdue) this.#startLoading(opened)
      await loadOrThrow(opened.loading as Promise<void>, this.#clock)
    } catch (error) {
      if (this.#opened === opened)
        throw error instanceof EnvlogError ? error : new EnvlogError('store-unreadable')
    }
    if (this.#opened !== opened) throw new EnvlogError('closed')
  }

  /** Something has changed. */
  save(): void {
    this.#opened?.writer?.save()
  }

  /** @returns whether all changes so far are in the store; a store that fails is not waited for */
  async written(): Promise<boolean> {
    return (await this.#opened?.writer?.written()) ?? false
  }

  /**
   * The node is about these devices now. What it knows of one that has moved to another base unit moves along, and
   * what it has not selected for 30 days is deleted.
   * @param hasLeft whether a device is no longer under that base unit
   */
  setDevices(
    devices: readonly ResolvedDevice[],
    hasLeft: (device: ResolvedDevice) => boolean = () => false,
  ): void {
    this.#moveDevices(devices, hasLeft)
    this.#selected = new Set(devices.map(deviceKey))
    this.#countUnselected()
    for (const [key, device] of this.#devices) {
      if (this.#selected.has(key)) device.unselectedMs = 0
      else if (device.unselectedMs >= MAX_UNSELECTED_MS) this.#devices.delete(key)
    }
    if (this.#clock.monotonic() - this.#savedAt >= A_DAY_MS) this.save()
  }

  /**
   * The devices in the order in which they are to be polled, so that a trigger that the quota cuts short is continued by
   * the next one (docs/quota.md). Those that were never polled come first, as they were named.
   */
  leastRecentlyPolledFirst(devices: readonly ResolvedDevice[]): ResolvedDevice[] {
    const rank = (device: ResolvedDevice) =>
      this.#devices.get(deviceKey(device))?.polledRank ?? Number.NEGATIVE_INFINITY
    // Equal ranks, such as two infinite ones, have no difference.
    return [...devices].sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))
  }

  /** @param isSuspect its failure was ambiguous: it may be its own, or the account's */
  markPolled(device: ResolvedDevice, isSuspect = false): void {
    const state = this.device(deviceKey(device))
    state.polledRank = ++this.#lastRank
    state.isSuspect = isSuspect
  }

  /** A single device may exceed the bound: otherwise its backfill could never be delivered. */
  canRetain(device: DeviceState, count = device.retainedCount): boolean {
    const others = this.#retainedByAll() - device.retainedCount
    return others === 0 || others + count <= MAX_RETAINED
  }

  /** What was sent without a receipt counts as delivered, for all devices with one of the serials, or for all. */
  skip(serials: readonly string[] | 'all'): void {
    for (const [key, device] of this.#devices) if (isAmong(key, serials)) device.skip()
  }

  /** Forgets all devices that have one of the serials, or all. Receipts from before are void. */
  forget(serials: readonly string[] | 'all'): void {
    this.#forgottenAt = this.#clock.now()
    for (const [key, device] of this.#devices) if (isAmong(key, serials)) device.forget(this.#forgottenAt)
    this.save()
  }

  /** Devices whose records were sent again and again without a receipt, and since when, ms since 1970 UTC. */
  unacknowledged(): { devices: number; since: number } | undefined {
    const told = [...this.#selected].flatMap((key) => {
      const { unacknowledged } = this.#devices.get(key) ?? {}
      return unacknowledged && unacknowledged.resends > MAX_QUIET_RESENDS ? [unacknowledged.since] : []
    })
    return told.length === 0 ? undefined : { devices: told.length, since: Math.min(...told) }
  }

  /** True once for each device and kind of report until the process ends. */
  isFirstReport({ serial, base = '' }: NamedDevice, kind: 'unreadable' | 'refused' | 'far-ahead'): boolean {
    const key = `${kind} ${base}/${serial}`
    if (this.#reported.has(key) || this.#reported.size === MAX_REPORTS) return false
    this.#reported.add(key)
    return true
  }

  #countUnselected(): void {
    const now = this.#clock.monotonic()
    for (const [key, device] of this.#devices)
      if (!this.#selected.has(key)) device.unselectedMs += now - this.#countedAt
    this.#countedAt = now
  }

  /** Moves what is known of devices that have left their base unit, and now stand under another one. */
  #moveDevices(devices: readonly ResolvedDevice[], hasLeft: (device: ResolvedDevice) => boolean): void {
    const keysBySerial = new Map<string, string[]>()
    for (const key of this.#devices.keys()) {
      const serial = serialOf(key)
      keysBySerial.set(serial, [...(keysBySerial.get(serial) ?? []), key])
    }
    for (const device of devices) {
      const key = deviceKey(device)
      if (!(this.#devices.get(key)?.isBlank ?? true)) continue
      const isFormer = (other: string) => other !== key && hasLeft({ ...device, base: baseOf(other) })
      const former = keysBySerial.get(device.serial)?.find(isFormer)
      if (former === undefined) continue
      const state = this.device(former)
      state.move()
      this.#devices.delete(former)
      this.#devices.set(key, state)
    }
  }

  #toSave(): SavedState {
    this.#savedAt = this.#clock.monotonic()
    const inOrder = [...this.#devices].sort(([, a], [, b]) => a.polledRank - b.polledRank || 0)
    const devices = inOrder.flatMap(([key, device]) => {
      const saved = device.toSave()
      return saved ? [[key, saved]] : []
    })
    return { version: 1, receiptKey: this.#receiptKey, devices: Object.fromEntries(devices) }
  }

  async #load(opened: Opened): Promise<void> {
    const saved = readSavedState(await opened.store.load())
    if (!saved && opened.kind) opened.store.onMissing?.()
    // Another read was faster, or the node was made again.
    if (this.#isLoaded || this.#opened !== opened) return
    const devices = Object.entries(saved?.devices ?? {})
    for (const [index, [key, { cursor, ...others }]] of devices.entries()) {
      const device = this.device(key)
      const isWanted = cursor && (!opened.kind || kindOf(cursor) === opened.kind)
      device.restore({ ...others, ...(isWanted && { cursor }) })
      if (device.polledRank === Number.NEGATIVE_INFINITY) device.polledRank = index - devices.length
    }
    this.#receiptKey = saved?.receiptKey ?? this.#receiptKey
    this.#isLoaded = true
    opened.writer = this.#createWriter(opened.store)
  }

  /** Starts one read for all that wait. */
  #startLoading(opened: Opened): void {
    opened.loadedAt = this.#clock.monotonic()
    const loading = this.#load(opened)
    opened.loading = loading
    const finish = () => {
      if (opened.loading === loading) opened.loading = undefined
    }
    loading.then(finish, finish)
  }

  #createWriter(store: StateStore): StateWriter {
    return new StateWriter(store, this.#clock, () => this.#toSave())
  }
}

const isOfKind = ({ cursor }: DeviceState, kind: CursorKind | undefined) =>
  !cursor || !kind || kindOf(cursor) === kind

const isAmong = (device: string, serials: readonly string[] | 'all') =>
  serials === 'all' || serials.includes(serialOf(device))
const serialOf = (device: string) => device.slice(device.lastIndexOf('/') + 1)
const baseOf = (device: string) => device.slice(0, device.lastIndexOf('/'))
