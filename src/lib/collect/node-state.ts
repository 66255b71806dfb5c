import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import { loadOrThrow, type StateStore, StateWriter } from '../state-store'
import type { DeliveryEffect } from './delivery'
import { type DeviceEvent, DeviceStates } from './device-states'
import { deviceKey, type NamedDevice, type ResolvedDevice } from './devices'
import type { PollingOrder } from './for-each'
import { type CursorKind, readPersistedState, toPersistedState } from './persisted-state'
import type { DeviceDeliveryState, RetainedCount } from './retained'

/** Reports of devices that are made once: more than any account has. */
const MAX_REPORTS = 10_000
/** A store that has not answered within this time is read again. */
const LOAD_AGAIN_MS = 60_000

/** What the state has to know of its node. */
export interface NodeStateOptions {
  /** Names the settings that shape what is delivered: what was fetched with others is dropped. */
  settingsKey?: string
  /** What the node polls: cursors of the other kind are of a node that had its id before. */
  cursorKind?: CursorKind
  /** How long receipts are awaited; `null` for not at all. */
  receiptTimeoutMs?: number | null
}

/**
 * What a node knows of its devices. It outlives every deploy in the process, and restarts in a store. Devices are
 * named `base/serial`.
 */
export interface NodeState {
  /** The node is made. In a new process the store is read first; then each change is written to it. */
  open(store: StateStore, options?: NodeStateOptions): void
  /** The node that opened it with this store closes. Nothing is written there after this. */
  close(store: StateStore): Promise<void>
  /**
   * Waits until the store was read. Before that nothing may be requested or written, because a node that takes a store
   * that cannot be read for an empty one loses records. After a failure the store is read again, and an answer that
   * is late is accepted.
   * @throws EnvlogError `store-newer`, `store-unreadable`, `closed`
   */
  ready(): Promise<void>
  /** What receipts are signed with; it is saved with the cursors. */
  receiptKey(): string
  delivery(device: string): DeviceDeliveryState
  /** Applies an event to the state of a device, and returns what is to be done. */
  dispatch(device: string, event: DeviceEvent): DeliveryEffect
  /** Whether it is known that the store has a cursor of the device. */
  isSaved(device: string): boolean
  /** Resolves when a cursor of the device is in the store, or cannot be written there now. */
  saved(device: string): Promise<void>
  /** Whether a device may keep so many records and alerts in memory; by default those that it keeps already. */
  canRetain(device: string, count?: number): boolean
  /** What awaits its receipt counts as delivered, of all devices that have one of the serials, or of all there are. */
  skip(serials: readonly string[] | 'all'): void
  /** Devices whose records were sent again and again without a receipt, and since when, ms since 1970 UTC. */
  unacknowledged(): { devices: number; since: number } | undefined
  /** Forgets all devices that have one of the serials, or all there are. Receipts of before are void. */
  forget(serials: readonly string[] | 'all'): void
  /**
   * The node is about these devices now. What it knows of one that has moved to another base unit moves along, and
   * what it was not about for 30 days is deleted.
   * @param hasLeft whether a device is no longer under that base unit
   */
  setDevices(devices: readonly ResolvedDevice[], hasLeft?: (device: ResolvedDevice) => boolean): void
  /** True once for each device and kind of report until the process ends. */
  isFirstReport(device: NamedDevice, kind: 'unreadable' | 'refused'): boolean
  /** The device has answered in this process. */
  markAnswered(device: ResolvedDevice): void
  hasAnswered(device: ResolvedDevice): boolean
  readonly pollingOrder: PollingOrder
  /** What was last sent of a device's current reading. */
  lastSent(device: string): string | undefined
  setLastSent(sent: readonly (readonly [string, string])[]): void
  /** Saves the polling order of a round that was cut short. */
  save(): void
}

/** @param retained shared by all nodes of the process */
export function createNodeState(clock: Clock, retained: RetainedCount = { count: 0 }): NodeState {
  const devices = new DeviceStates(clock, retained, () => persistence.save())
  const persistence = createPersistence(clock, devices)
  const isFirst = createOnce(MAX_REPORTS)
  const answered = new Set<string>()
  let previousSettings = ''
  return {
    pollingOrder: devices.pollingOrder,
    receiptKey: persistence.receiptKey,
    ready: persistence.ready,
    save: persistence.save,
    isSaved: (device) => devices.unsavedCursor(device) === undefined,
    async saved(device) {
      const cursor = devices.unsavedCursor(device)
      if (cursor && (await persistence.written())) devices.setSaved(device, cursor)
    },
    isFirstReport: ({ serial, base = '' }, kind) => isFirst(`${kind} ${base}/${serial}`),
    markAnswered(device) {
      answered.add(deviceKey(device))
    },
    hasAnswered: (device) => answered.has(deviceKey(device)),
    delivery: (device) => devices.get(device),
    dispatch: (device, event) => devices.dispatch(device, event),
    canRetain: (device, count) => devices.canRetain(device, count),
    forget: (serials) => devices.forget(serials),
    skip: (serials) => devices.skip(serials),
    unacknowledged: () => devices.unacknowledged(),
    setDevices: (selected, hasLeft = () => false) => devices.setDevices(selected, hasLeft),
    lastSent: (device) => devices.lastSent(device),
    setLastSent: (sent) => devices.setLastSent(sent),
    open(store, { settingsKey = '', cursorKind, receiptTimeoutMs = null } = {}) {
      persistence.open(store, cursorKind)
      const overdueAt = receiptTimeoutMs === null ? null : clock.monotonic() + receiptTimeoutMs
      devices.deploy(cursorKind, settingsKey !== previousSettings, overdueAt)
      previousSettings = settingsKey
      // It may be another store, or lack what the node knew at its end.
      persistence.save()
    },
    async close(store) {
      const writer = persistence.close(store)
      if (!writer) return
      devices.close()
      await writer.end()
    },
  }
}

/** True once for each key. Keys are made from answers, so there may be more of them than `max`. */
function createOnce(max: number): (key: string) => boolean {
  const seen = new Set<string>()
  return (key) => {
    if (seen.has(key) || seen.size === max) return false
    seen.add(key)
    return true
  }
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

/** Reads the state from the store of the node, and writes its changes there. */
function createPersistence(clock: Clock, devices: Pick<DeviceStates, 'toSave' | 'restore'>) {
  let receiptKey = randomBytes(32).toString('base64url')
  let opened: Opened | undefined
  let isLoaded = false
  const toSave = () => toPersistedState({ receiptKey, ...devices.toSave() })
  const save = () => opened?.writer?.save()
  const writeTo = (store: StateStore) => new StateWriter(store, clock, toSave)

  async function load(own: Opened): Promise<void> {
    const value = await own.store.load()
    if (value === undefined && own.kind) own.store.onMissing?.()
    const saved = readPersistedState(value)
    // Another read was faster, or the node was made again.
    if (isLoaded || opened !== own) return
    devices.restore(saved, own.kind)
    receiptKey = saved.receiptKey ?? receiptKey
    isLoaded = true
    own.writer = writeTo(own.store)
  }

  /** Starts one read for all that wait. */
  function startLoading(own: Opened): void {
    own.loadedAt = clock.monotonic()
    const loading = load(own)
    own.loading = loading
    const finish = () => {
      if (own.loading === loading) own.loading = undefined
    }
    loading.then(finish, finish)
  }

  return {
    receiptKey: () => receiptKey,
    save,
    written: async () => opened?.writer?.written() ?? false,
    open(store: StateStore, kind: CursorKind | undefined): void {
      const own: Opened = { store, kind }
      opened = own
      if (isLoaded) own.writer = writeTo(store)
      else startLoading(own)
    },
    /** @returns what ends the writes; `undefined` where the node was opened with another store */
    close(store: StateStore): { end(): Promise<void> } | undefined {
      if (opened?.store !== store) return undefined
      const { writer } = opened
      opened = undefined
      return { end: async () => writer?.end() }
    },
    async ready(): Promise<void> {
      if (isLoaded) return
      const own = opened
      if (!own) throw new EnvlogError('closed')
      const isOverdue = clock.monotonic() - (own.loadedAt ?? 0) >= LOAD_AGAIN_MS
      try {
        if (own.loading === undefined || isOverdue) startLoading(own)
        await loadOrThrow(own.loading as Promise<void>, clock)
      } catch (error) {
        if (opened === own) throw error instanceof EnvlogError ? error : new EnvlogError('store-unreadable')
      }
      if (opened !== own) throw new EnvlogError('closed')
    },
  }
}
