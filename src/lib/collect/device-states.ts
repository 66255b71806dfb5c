import type { Clock } from '../clock'
import { countOf } from '../output/content'
import type { Hole } from './backfill'
import { type Cursor, createMachine, type Effect, type Event, type Machine, step } from './delivery'
import { type Target, targetKey } from './devices'
import type { Collected } from './fetch'
import { createRound } from './for-each'
import { type CursorKind, isCursorOf, type Saved } from './persisted-state'

/** A delivery that is kept until its receipt comes. */
export interface Kept extends Omit<Collected, 'failed'> {
  /** Older records or alerts could not be had. */
  overflow?: boolean
}

export type Device = Machine<Hole, Kept>
export type Happening = Event<Hole, Kept>

/** Records and alerts that the nodes of a process keep: of unfinished backfills, and until receipts come. */
export interface Holding {
  count: number
}

/** More than this is requested again. */
const MOST_HELD = 100_000
/** State of a device that the node has not been about for so long is dropped. */
const KEPT_MS = 30 * 86_400_000
/** Serials to be forgotten that nothing is known of: more than any account has. */
const MOST_VOIDED = 10_000

/** What a node knows of each of its devices, by `base/serial`. */
export class DeviceStates {
  /** Whose turn it is. */
  readonly round = createRound()
  private readonly machines = new Map<string, Device>()
  /** What was last sent of a device's current reading. */
  private readonly marks = new Map<string, string>()
  /** When a serial, or `all`, was to be forgotten, ms: receipts of before are void, also of unknown devices. */
  private readonly voided = new Map<string, number>()
  /** When the node was last about a device, ms. */
  private readonly selected = new Map<string, number>()
  /** How far the wall clock is ahead of the monotonic one, ms: it may be set. */
  private lead: number

  /** @param changed called when something changed that is to be saved */
  constructor(
    private readonly clock: Clock,
    private readonly holding: Holding,
    private readonly changed: () => void,
  ) {
    this.lead = this.measureLead()
  }

  machine(device: string): Device {
    return this.machines.get(device) ?? createMachine(this.voidFor(device))
  }

  step(device: string, event: Happening): Effect {
    const [next, effect] = step(this.machine(device), event)
    this.put(device, next)
    if (effect === 'save') this.changed()
    return effect
  }

  /** One device alone may be larger than the bound: else nothing would ever come of it. */
  fits(device: string, count = heldBy(this.machines.get(device))): boolean {
    const others = this.holding.count - heldBy(this.machines.get(device))
    return others === 0 || others + count <= MOST_HELD
  }

  mark(device: string): string | undefined {
    return this.marks.get(device)
  }

  setMarks(marks: readonly (readonly [string, string])[]): void {
    for (const [device, mark] of marks) this.marks.set(device, mark)
    if (marks.length > 0) this.changed()
  }

  forget(serials: readonly string[] | 'all'): void {
    const isMeant = (device: string) => serials === 'all' || serials.includes(serialOf(device))
    const now = this.clock.now()
    for (const serial of serials === 'all' ? ['all'] : serials) {
      this.voided.delete(serial)
      this.voided.set(serial, now)
    }
    for (const serial of [...this.voided.keys()].slice(0, -MOST_VOIDED)) this.voided.delete(serial)
    for (const device of this.machines.keys()) if (isMeant(device)) this.step(device, { kind: 'forget', now })
    for (const device of this.marks.keys()) if (isMeant(device)) this.marks.delete(device)
    this.changed()
  }

  about(targets: readonly Target[], hasLeft: (target: Target) => boolean): void {
    const now = this.clock.now()
    const lead = this.measureLead()
    const isSetBy = lead - this.lead
    this.lead = lead
    for (const target of targets) this.move(target, hasLeft)
    for (const device of [...this.machines.keys(), ...this.marks.keys(), ...this.round.save()]) {
      // Never later than now: the clock was ahead, or the device was saved without this.
      this.selected.set(device, Math.min((this.selected.get(device) ?? now) + isSetBy, now))
    }
    for (const target of targets) this.selected.set(targetKey(target), now)
    for (const [device, at] of this.selected) if (now - at >= KEPT_MS) this.drop(device)
  }

  /**
   * The node is made again in the same process. State of another kind is of a node that had the same id before.
   * @param until when open receipts are overdue, monotonic ms; `null` where none is awaited any more
   */
  deploy(kind: CursorKind | undefined, isReshaped: boolean, until: number | null): void {
    for (const [device, { cursor }] of this.machines) {
      if (cursor && !ofKind(cursor, kind)) this.drop(device)
      else this.step(device, { kind: 'deploy', isReshaped, until })
    }
  }

  /** The node closes. */
  close(): void {
    for (const device of this.machines.keys()) this.step(device, { kind: 'close' })
  }

  snapshot(): Omit<Saved, 'version' | 'key'> {
    const cursors: Saved['cursors'] = {}
    const forgotten: Saved['forgotten'] = {}
    for (const [device, { cursor, forgotten: until }] of this.machines) {
      if (cursor) cursors[device] = cursor
      if (until > 0) forgotten[device] = until
    }
    const maps = { marks: Object.fromEntries(this.marks), selected: Object.fromEntries(this.selected) }
    return { cursors, forgotten, ...maps, round: this.round.save() }
  }

  /** Takes over what was saved; what changed while it was read stays. */
  restore({ cursors, forgotten, marks, selected = {}, round }: Saved, kind: CursorKind | undefined): void {
    for (const device of new Set([...Object.keys(cursors), ...Object.keys(forgotten)])) {
      const cursor = ofKind(cursors[device], kind)
      this.step(device, { kind: 'restart', cursor, forgotten: forgotten[device] ?? 0 })
    }
    for (const [device, mark] of Object.entries(marks)) {
      if (!this.marks.has(device)) this.marks.set(device, mark)
    }
    for (const [device, at] of Object.entries(selected)) this.selected.set(device, at)
    this.round.load(round)
  }

  private measureLead(): number {
    return Math.round(this.clock.now() - this.clock.monotonic())
  }

  private voidFor(device: string): number {
    return Math.max(this.voided.get('all') ?? 0, this.voided.get(serialOf(device)) ?? 0)
  }

  private put(device: string, next: Device | undefined): void {
    this.holding.count += heldBy(next) - heldBy(this.machines.get(device))
    if (next) this.machines.set(device, next)
    else this.machines.delete(device)
  }

  private drop(device: string): void {
    this.put(device, undefined)
    this.marks.delete(device)
    this.selected.delete(device)
    this.round.drop(device)
  }

  /** Takes along what is known of a device under another base unit that it has left. */
  private move(target: Target, hasLeft: (target: Target) => boolean): void {
    const device = targetKey(target)
    if (this.machines.has(device) || this.marks.has(device)) return
    const before = [...this.machines.keys(), ...this.marks.keys()].find(
      (key) => serialOf(key) === target.serial && hasLeft({ serial: target.serial, base: baseOf(key) }),
    )
    if (before === undefined) return
    const { cursor, forgotten, handed } = this.machine(before)
    const mark = this.marks.get(before)
    this.drop(before)
    this.put(device, { ...createMachine(forgotten), cursor, handed })
    if (mark !== undefined) this.marks.set(device, mark)
  }
}

const serialOf = (device: string) => device.slice(device.lastIndexOf('/') + 1)
const baseOf = (device: string) => device.slice(0, device.lastIndexOf('/'))

function ofKind(cursor: Cursor | undefined, kind: CursorKind | undefined): Cursor | null {
  return cursor && (!kind || isCursorOf(cursor, kind)) ? cursor : null
}

/** Records and alerts that are kept of a device. */
function heldBy(machine: Device | undefined): number {
  if (!machine) return 0
  const { phase } = machine
  if (phase.name === 'filling') {
    const { received, paging } = phase.hole
    return paging.parts.reduce((sum, { records }) => sum + records.length, received.series.records.length)
  }
  return 'news' in phase && phase.news ? countOf(phase.news.content) : 0
}
