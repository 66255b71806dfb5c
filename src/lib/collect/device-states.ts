import type { Clock } from '../clock'
import type { Backfill } from './backfill'
import {
  type Cursor,
  createDeliveryState,
  type DeliveryEffect,
  type DeliveryEvent,
  MAX_QUIET_RESENDS,
  transition,
} from './delivery'
import { deviceKey, type ResolvedDevice } from './devices'
import { createPollingOrder } from './for-each'
import {
  type CursorKind,
  isCursorOf,
  isSameBeyondSequence,
  type SavedState,
  type StateToSave,
} from './persisted-state'
import {
  countRetained,
  type DeviceDeliveryState,
  MAX_RETAINED,
  type RetainedCount,
  type RetainedDelivery,
} from './retained'

export type DeviceEvent = DeliveryEvent<Backfill, RetainedDelivery>

const A_DAY_MS = 86_400_000
/** State of a device that the node was not about for so long is deleted. */
const MAX_UNSELECTED_MS = 30 * A_DAY_MS
/** Serials to forget that nothing is known of: more than any account has. */
const MAX_FORGOTTEN_SERIALS = 10_000

/** What a node knows of each of its devices, by `base/serial`. */
export class DeviceStates {
  readonly pollingOrder = createPollingOrder()
  private readonly states = new Map<string, DeviceDeliveryState>()
  /** What was last sent of a device's current reading. */
  private readonly sent = new Map<string, string>()
  /** A cursor of each device of which the store may not have any. */
  private readonly unsaved = new Map<string, Cursor>()
  /**
   * When a serial, or `all`, was forgotten, ms: earlier receipts are void, also of devices that nothing is known of.
   */
  private readonly forgottenAt = new Map<string, number>()
  /** What the node is about now. */
  private chosen = new Set<string>()
  /** When the node was last about a device, ms since 1970 UTC. */
  private readonly selectedAt = new Map<string, number>()
  /** When the state was saved last, ms since 1970 UTC: what changes with each trigger alone is saved once a day. */
  private savedAt: number
  /** How far the wall clock is ahead of the monotonic one, ms. It changes when the wall clock is set. */
  private clockLead: number

  /** @param onChange called when something changed that is to be saved */
  constructor(
    private readonly clock: Clock,
    private readonly retained: RetainedCount,
    private readonly onChange: () => void,
  ) {
    this.clockLead = this.measureClockLead()
    this.savedAt = clock.now()
  }

  get(device: string): DeviceDeliveryState {
    return this.states.get(device) ?? createDeliveryState(this.receiptsVoidUpTo(device))
  }

  dispatch(device: string, event: DeviceEvent): DeliveryEffect {
    const before = this.get(device)
    const [next, effect] = transition(before, event)
    this.set(device, next)
    // Most polls find nothing new: their cursors only have a later sequence, which nothing depends on after a restart.
    const isUnchanged = event.kind === 'nothing-new' && isSameBeyondSequence(before.cursor, event.next)
    if (effect === 'save' && !isUnchanged) this.onChange()
    return effect
  }

  /** A cursor of the device, where the store may not have any. */
  unsavedCursor(device: string): Cursor | undefined {
    return this.unsaved.get(device)
  }

  /** The store has the cursor. */
  setSaved(device: string, cursor: Cursor): void {
    if (this.unsaved.get(device) === cursor) this.unsaved.delete(device)
  }

  /** A single device may exceed the bound: otherwise its backfill could never be delivered. */
  canRetain(device: string, count = countRetained(this.states.get(device))): boolean {
    const others = this.retained.count - countRetained(this.states.get(device))
    return others === 0 || others + count <= MAX_RETAINED
  }

  lastSent(device: string): string | undefined {
    return this.sent.get(device)
  }

  setLastSent(sent: readonly (readonly [string, string])[]): void {
    for (const [device, value] of sent) this.sent.set(device, value)
    if (sent.length > 0) this.onChange()
  }

  skip(serials: readonly string[] | 'all'): void {
    for (const device of this.states.keys())
      if (isMeant(device, serials)) this.dispatch(device, { kind: 'skip' })
  }

  unacknowledged(): { devices: number; since: number } | undefined {
    const all = [...this.chosen].flatMap((device) => this.states.get(device)?.unacknowledged ?? [])
    const told = all.filter(({ resends }) => resends > MAX_QUIET_RESENDS)
    if (told.length === 0) return undefined
    return { devices: told.length, since: Math.min(...told.map(({ since }) => since)) }
  }

  forget(serials: readonly string[] | 'all'): void {
    const now = this.clock.now()
    for (const serial of serials === 'all' ? ['all'] : serials) {
      this.forgottenAt.delete(serial)
      this.forgottenAt.set(serial, now)
    }
    const surplus = [...this.forgottenAt.keys()].slice(0, -MAX_FORGOTTEN_SERIALS)
    for (const serial of surplus) this.forgottenAt.delete(serial)
    for (const device of this.states.keys())
      if (isMeant(device, serials)) this.dispatch(device, { kind: 'forget', now })
    for (const device of this.sent.keys()) if (isMeant(device, serials)) this.sent.delete(device)
    this.onChange()
  }

  setDevices(devices: readonly ResolvedDevice[], hasLeft: (device: ResolvedDevice) => boolean): void {
    const now = this.clock.now()
    const clockLead = this.measureClockLead()
    const isSetByMs = clockLead - this.clockLead
    this.clockLead = clockLead
    for (const device of devices) this.move(device, hasLeft)
    for (const device of [...this.states.keys(), ...this.sent.keys(), ...this.pollingOrder.toKeys()]) {
      // Never later than now: the clock was ahead, or the device was saved without this.
      this.selectedAt.set(device, Math.min((this.selectedAt.get(device) ?? now) + isSetByMs, now))
    }
    this.chosen = new Set(devices.map(deviceKey))
    for (const device of this.chosen) this.selectedAt.set(device, now)
    for (const [device, at] of this.selectedAt) if (now - at >= MAX_UNSELECTED_MS) this.delete(device)
    if (now - this.savedAt >= A_DAY_MS) this.onChange()
  }

  /**
   * The node is made again in the same process. Cursors of the other kind are of a node that had the same id before.
   * @param overdueAt when awaited receipts are overdue, monotonic ms; `null` where none is awaited any more
   */
  deploy(kind: CursorKind | undefined, hasNewSettings: boolean, overdueAt: number | null): void {
    for (const [device, { cursor }] of this.states) {
      if (cursor && !cursorOf(kind, cursor)) this.delete(device)
      else {
        this.dispatch(device, { kind: 'deploy', hasNewSettings, overdueAt })
        if (overdueAt === null) this.set(device, { ...this.get(device), unacknowledged: null })
        if (cursor) this.unsaved.set(device, cursor)
      }
    }
  }

  close(): void {
    for (const device of this.states.keys()) this.dispatch(device, { kind: 'close' })
  }

  toSave(): Omit<StateToSave, 'receiptKey'> {
    this.savedAt = this.clock.now()
    return {
      deliveries: [...this.states],
      lastSent: [...this.sent],
      lastSelected: [...this.selectedAt],
      savedAt: this.savedAt,
      pollingOrder: this.pollingOrder.toKeys(),
    }
  }

  /** Takes over what was saved; what changed while it was read stays. */
  restore(saved: SavedState, kind: CursorKind | undefined): void {
    const { cursors, receiptsVoidUpTo } = saved
    for (const device of new Set([...Object.keys(cursors), ...Object.keys(receiptsVoidUpTo)])) {
      const cursor = cursorOf(kind, cursors[device])
      const voidUpTo = receiptsVoidUpTo[device] ?? 0
      this.dispatch(device, { kind: 'restore', cursor, receiptsVoidUpTo: voidUpTo })
      if (cursor) this.setSaved(device, cursor)
    }
    for (const [device, value] of Object.entries(saved.lastSent)) {
      if (!this.sent.has(device)) this.sent.set(device, value)
    }
    // The time in which Node-RED was off does not count.
    const offMs = Math.max(0, this.clock.now() - (saved.savedAt ?? this.clock.now()))
    for (const [device, at] of Object.entries(saved.lastSelected)) this.selectedAt.set(device, at + offMs)
    this.pollingOrder.restore(saved.pollingOrder)
  }

  private measureClockLead(): number {
    return Math.round(this.clock.now() - this.clock.monotonic())
  }

  private receiptsVoidUpTo(device: string): number {
    return Math.max(this.forgottenAt.get('all') ?? 0, this.forgottenAt.get(serialOf(device)) ?? 0)
  }

  private set(device: string, next: DeviceDeliveryState): void {
    const before = this.states.get(device)
    this.retained.count += countRetained(next) - countRetained(before)
    if (!next.cursor) this.unsaved.delete(device)
    else if (!before?.cursor) this.unsaved.set(device, next.cursor)
    this.states.set(device, next)
  }

  private delete(device: string): void {
    this.retained.count -= countRetained(this.states.get(device))
    this.states.delete(device)
    this.unsaved.delete(device)
    this.sent.delete(device)
    this.selectedAt.delete(device)
    this.pollingOrder.delete(device)
  }

  /** Moves what is known of a device from the base unit that it has left. */
  private move(device: ResolvedDevice, hasLeft: (device: ResolvedDevice) => boolean): void {
    const key = deviceKey(device)
    const { serial } = device
    if (this.states.has(key) || this.sent.has(key)) return
    const former = [...this.states.keys(), ...this.sent.keys()].find(
      (other) => serialOf(other) === serial && hasLeft({ serial, base: baseOf(other) }),
    )
    if (former === undefined) return
    const { cursor, receiptsVoidUpTo, lastIssued } = this.get(former)
    const sent = this.sent.get(former)
    this.delete(former)
    // A copy: what is known of answers for the cursor was of the other base unit.
    this.set(key, { ...createDeliveryState(receiptsVoidUpTo), cursor: cursor && { ...cursor }, lastIssued })
    if (sent !== undefined) this.sent.set(key, sent)
  }
}

const isMeant = (device: string, serials: readonly string[] | 'all') =>
  serials === 'all' || serials.includes(serialOf(device))
const serialOf = (device: string) => device.slice(device.lastIndexOf('/') + 1)
const baseOf = (device: string) => device.slice(0, device.lastIndexOf('/'))

function cursorOf(kind: CursorKind | undefined, cursor: Cursor | undefined): Cursor | null {
  return cursor && (!kind || isCursorOf(cursor, kind)) ? cursor : null
}
