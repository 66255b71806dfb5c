import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import { countOf } from '../output/content'
import { type Keeper, keepIn, readFrom, type StateStore } from '../state-store'
import type { Cursor, Effect, Event, Machine } from './delivery'
import { createMachine, step } from './delivery'
import { type NamedDevice, type Target, targetKey } from './devices'
import { createRound, type Round } from './for-each'
import type { Hole } from './hole'
import type { Kept } from './news'
import { type CursorKind, isCursorOf, readSaved, type Saved } from './saved'

type Device = Machine<Hole, Kept>
type Happening = Event<Hole, Kept>

/** Devices that are told of, or told to be forgotten, at most: more than any account has. */
const MOST_NAMED = 10_000
/** State of a device that the node has not been about for so long is dropped. */
const KEPT_MS = 30 * 86_400_000
/** A store that has not answered for so long is asked once more. */
const ASKED_AGAIN_MS = 60_000

/** Records and alerts that the nodes of a process keep: of unfinished backfills, and until receipts come. */
export interface Holding {
  count: number
}

/** More than this is asked for again. */
const MOST_HELD = 100_000

/** What a node says of itself when it is made. */
export interface Opening {
  /** The settings that shape what is delivered: what was fetched by others is of no use. */
  shape?: string
  /** What its cursors are of: others are of a node that had its id before. */
  kind?: CursorKind
  /** How long receipts are awaited, ms; `null` for not at all. */
  receipts?: number | null
}

/**
 * What a node knows of its devices: it outlives every deploy in the process, and a restart in a store. Devices
 * are named `base/serial`.
 */
export interface NodeMemory {
  /**
   * Its node is made: what changes from now on is copied into a store; in a new process what the store holds is
   * taken over first.
   */
  open(store: StateStore, opening?: Opening): void
  /** The node that opened it with this store closes: nothing is written there after this. */
  close(store: StateStore): Promise<void>
  /**
   * Nothing is to be asked before, nor written: who takes a store that cannot be read for an empty one loses
   * records. After a failure it is read again; an answer that comes late is taken. @throws EnvlogError
   * `store-newer`, `store-unreadable`, `closed`
   */
  ready(): Promise<void>
  /** What receipts are signed with; it is saved with the cursors. */
  key(): string
  machine(device: string): Device
  step(device: string, event: Happening): Effect
  /** Whether so many records and alerts of a device may be kept beside those of all others; what it has, by default. */
  fits(device: string, count?: number): boolean
  /** All devices that have a serial, or all there are. */
  forget(serials: readonly string[] | 'all'): void
  /**
   * The node is about these devices now. What it knows of one that has moved to another base unit is that one's from
   * now on, and what it was not about for 30 days is dropped.
   * @param hasLeft whether a device is no longer under that base unit
   */
  about(targets: readonly Target[], hasLeft?: (target: Target) => boolean): void
  /** True once for each device until the process ends: what is told of it is told for the first time. */
  isFirst(device: NamedDevice): boolean
  readonly round: Round
  /** Of current readings: what was last sent of a device. */
  mark(device: string): string | undefined
  setMarks(marks: readonly (readonly [string, string])[]): void
  /** Something changed that the store is to know. */
  save(): void
}

/** The node as it was made last. */
interface Opened {
  store: StateStore
  keeper?: Keeper
  loading?: Promise<void> | undefined
  /** When it was asked last, monotonic ms. */
  askedAt?: number
}

export function createMemory(clock: Clock, holding: Holding = { count: 0 }): NodeMemory {
  const machines = new Map<string, Device>()
  const marks = new Map<string, string>()
  /** When a serial, or `all`, was to be forgotten, ms. */
  const voided = new Map<string, number>()
  /** When the node was last about a device, ms. */
  const selected = new Map<string, number>()
  /** How far the clock is ahead of the time that passes, ms: it may be set. */
  const lead = () => Math.round(clock.now() - clock.monotonic())
  let leadBefore = lead()
  /** Devices of which it was told that something in their answers cannot be read. */
  const told = new Set<string>()
  const round = createRound()
  let signing = randomBytes(32).toString('base64url')
  let opened: Opened | undefined
  let isLoaded = false
  let { shape: shaped, kind }: Opening = { shape: '' }

  const save = () => opened?.keeper?.save()
  const machine = (device: string): Device => machines.get(device) ?? createMachine(voidFor(device))

  /** A device that nobody knows any more may have been delivered by a process before. */
  function voidFor(device: string): number {
    return Math.max(voided.get('all') ?? 0, voided.get(serialOf(device)) ?? 0)
  }

  function put(device: string, next: Device | undefined): void {
    holding.count += heldBy(next) - heldBy(machines.get(device))
    if (next) machines.set(device, next)
    else machines.delete(device)
  }

  function stepOn(device: string, event: Happening): Effect {
    const [next, effect] = step(machine(device), event)
    put(device, next)
    if (effect === 'save') save()
    return effect
  }

  function snapshot(): Saved {
    const cursors: Saved['cursors'] = {}
    const forgotten: Saved['forgotten'] = {}
    for (const [device, { cursor, forgotten: until }] of machines) {
      if (cursor) cursors[device] = cursor
      if (until > 0) forgotten[device] = until
    }
    const maps = { marks: Object.fromEntries(marks), selected: Object.fromEntries(selected) }
    return { version: 1, key: signing, cursors, forgotten, ...maps, round: round.save() }
  }

  /** In a new process. What the store says of another node's devices is of one that had the id before. */
  async function load(own: Opened): Promise<void> {
    const saved = readSaved(await own.store.load())
    if (isLoaded || opened !== own) return
    take(saved)
    isLoaded = true
    own.keeper = keepIn(own.store, clock, snapshot)
  }

  /** One try, however many wait for it. */
  function begin(own: Opened): void {
    own.askedAt = clock.monotonic()
    const loading = load(own)
    own.loading = loading
    const over = () => {
      if (own.loading === loading) own.loading = undefined
    }
    loading.then(over, over)
  }

  /** What changed while it was read stays. */
  function take(saved: Saved): void {
    const { cursors, forgotten, marks: told, round: asked } = saved
    for (const device of new Set([...Object.keys(cursors), ...Object.keys(forgotten)])) {
      const cursor = ofKind(cursors[device])
      stepOn(device, { kind: 'restart', cursor, forgotten: forgotten[device] ?? 0 })
    }
    for (const [device, mark] of Object.entries(told)) if (!marks.has(device)) marks.set(device, mark)
    for (const [device, at] of Object.entries(saved.selected ?? {})) selected.set(device, at)
    round.load(asked)
    signing = saved.key ?? signing
  }

  function ofKind(cursor: Cursor | null | undefined): Cursor | null {
    return cursor && (!kind || isCursorOf(cursor, kind)) ? cursor : null
  }

  function drop(device: string): void {
    put(device, undefined)
    marks.delete(device)
    selected.delete(device)
    round.drop(device)
  }

  /** What is known of a device under another base unit that it has left. */
  function move(target: Target, hasLeft: (target: Target) => boolean): void {
    const device = targetKey(target)
    if (machines.has(device) || marks.has(device)) return
    const before = [...machines.keys(), ...marks.keys()].find(
      (one) => serialOf(one) === target.serial && hasLeft({ serial: target.serial, base: baseOf(one) }),
    )
    if (before === undefined) return
    const { cursor, forgotten, handed } = machine(before)
    const mark = marks.get(before)
    drop(before)
    put(device, { ...createMachine(forgotten), cursor, handed })
    if (mark !== undefined) marks.set(device, mark)
  }

  return {
    round,
    machine,
    key: () => signing,
    step: stepOn,
    mark: (device) => marks.get(device),
    save,
    // One device alone may be larger: else nothing would ever come of it.
    fits(device, count = heldBy(machines.get(device))) {
      const others = holding.count - heldBy(machines.get(device))
      return others === 0 || others + count <= MOST_HELD
    },

    isFirst({ serial, base }) {
      const key = `${base ?? ''}/${serial}`
      // Serials come from answers: there may be more of them than any account has devices.
      if (told.has(key) || told.size === MOST_NAMED) return false
      told.add(key)
      return true
    },

    async ready() {
      if (isLoaded) return
      const own = opened
      if (!own) throw new EnvlogError('closed')
      const isOverdue = clock.monotonic() - (own.askedAt ?? 0) >= ASKED_AGAIN_MS
      try {
        if (own.loading === undefined || isOverdue) begin(own)
        await readFrom(own.loading as Promise<void>, clock)
      } catch (error) {
        if (opened === own) throw error instanceof EnvlogError ? error : new EnvlogError('store-unreadable')
      }
      if (opened !== own) throw new EnvlogError('closed')
    },

    open(store, { shape = '', kind: its, receipts = null } = {}) {
      const isReshaped = shape !== shaped
      shaped = shape
      kind = its
      const own: Opened = { store }
      opened = own
      if (isLoaded) own.keeper = keepIn(store, clock, snapshot)
      else begin(own)
      const until = receipts === null ? null : clock.monotonic() + receipts
      for (const [device, { cursor }] of machines) {
        if (cursor && !ofKind(cursor)) drop(device)
        else stepOn(device, { kind: 'deploy', isReshaped, until })
      }
    },

    async close(store) {
      if (opened?.store !== store) return
      const { keeper } = opened
      opened = undefined
      for (const device of machines.keys()) stepOn(device, { kind: 'close' })
      await keeper?.end()
    },

    forget(serials) {
      const isMeant = (device: string) => serials === 'all' || serials.includes(serialOf(device))
      const now = clock.now()
      for (const one of serials === 'all' ? ['all'] : serials) {
        voided.delete(one)
        voided.set(one, now)
      }
      for (const one of [...voided.keys()].slice(0, -MOST_NAMED)) voided.delete(one)
      for (const device of machines.keys()) if (isMeant(device)) stepOn(device, { kind: 'forget', now })
      for (const device of marks.keys()) if (isMeant(device)) marks.delete(device)
      save()
    },

    about(targets, hasLeft = () => false) {
      const now = clock.now()
      const isSetBy = lead() - leadBefore
      leadBefore += isSetBy
      for (const target of targets) move(target, hasLeft)
      for (const device of [...machines.keys(), ...marks.keys(), ...round.save()]) {
        // A clock that was ahead, or a device of which this is not known yet.
        selected.set(device, Math.min((selected.get(device) ?? now) + isSetBy, now))
      }
      for (const target of targets) selected.set(targetKey(target), now)
      for (const [device, at] of selected) if (now - at >= KEPT_MS) drop(device)
    },

    setMarks(changed) {
      for (const [device, mark] of changed) marks.set(device, mark)
      if (changed.length > 0) save()
    },
  }
}

const serialOf = (device: string) => device.slice(device.lastIndexOf('/') + 1)
const baseOf = (device: string) => device.slice(0, device.lastIndexOf('/'))

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
