import type { Clock } from '../clock'
import type { StateStore } from '../state-store'
import type { Effect } from './delivery'
import { type Device, DeviceStates, type Happening, type Holding } from './device-states'
import type { NamedDevice, Target } from './devices'
import type { Round } from './for-each'
import { type CursorKind, createPersistence } from './persisted-state'

/** Devices whose unreadable parts are reported once: more than any account has. */
const MOST_NAMED = 10_000

/** What a node says of itself when it is made. */
export interface Opening {
  /** The settings that shape what is delivered: what was fetched with others is of no use. */
  shape?: string
  /** What its cursors are of: others are of a node that had its id before. */
  kind?: CursorKind
  /** How long receipts are awaited, ms; `null` for not at all. */
  receipts?: number | null
}

/**
 * What a node knows of its devices. It outlives every deploy in the process, and restarts in a store. Devices are
 * named `base/serial`.
 */
export interface NodeMemory {
  /**
   * The node is made: what changes from now on is saved in a store; in a new process what the store holds is taken
   * over first.
   */
  open(store: StateStore, opening?: Opening): void
  /** The node that opened it with this store closes: nothing is written there after this. */
  close(store: StateStore): Promise<void>
  /**
   * Waits until the store was read. Nothing is to be requested before, nor written: who takes a store that cannot be
   * read for an empty one loses records. After a failure it is read again; an answer that comes late is taken.
   * @throws EnvlogError `store-newer`, `store-unreadable`, `closed`
   */
  ready(): Promise<void>
  /** What receipts are signed with; it is saved with the cursors. */
  key(): string
  machine(device: string): Device
  /** Applies an event to the state of a device, and returns what is to be done. */
  step(device: string, event: Happening): Effect
  /** Whether so many records and alerts of a device may be kept beside those of all others; what it has, by default. */
  fits(device: string, count?: number): boolean
  /** Forgets all devices that have one of the serials, or all there are. */
  forget(serials: readonly string[] | 'all'): void
  /**
   * The node is about these devices now. What it knows of one that has moved to another base unit moves along, and
   * what it was not about for 30 days is dropped.
   * @param hasLeft whether a device is no longer under that base unit
   */
  about(targets: readonly Target[], hasLeft?: (target: Target) => boolean): void
  /** True once for each device until the process ends. */
  isFirst(device: NamedDevice): boolean
  readonly round: Round
  /** What was last sent of a device's current reading. */
  mark(device: string): string | undefined
  setMarks(marks: readonly (readonly [string, string])[]): void
  /** Saves: whose turn it is has changed. */
  save(): void
}

export function createMemory(clock: Clock, holding: Holding = { count: 0 }): NodeMemory {
  const devices = new DeviceStates(clock, holding, save)
  const stored = createPersistence(clock, {
    snapshot: (key) => ({ version: 1, key, ...devices.snapshot() }),
    restore: (saved, kind) => devices.restore(saved, kind),
  })
  const isFirst = createOnce()
  let shaped: string | undefined = ''

  function save(): void {
    stored.save()
  }

  return {
    round: devices.round,
    key: stored.key,
    ready: stored.ready,
    save,
    isFirst: ({ serial, base = '' }) => isFirst(`${base}/${serial}`),
    machine: (device) => devices.machine(device),
    step: (device, event) => devices.step(device, event),
    fits: (device, count) => devices.fits(device, count),
    forget: (serials) => devices.forget(serials),
    about: (targets, hasLeft = () => false) => devices.about(targets, hasLeft),
    mark: (device) => devices.mark(device),
    setMarks: (marks) => devices.setMarks(marks),
    open(store, { shape = '', kind, receipts = null } = {}) {
      stored.open(store, kind)
      const until = receipts === null ? null : clock.monotonic() + receipts
      devices.deploy(kind, shape !== shaped, until)
      shaped = shape
    },
    async close(store) {
      const written = stored.close(store)
      if (!written) return
      devices.close()
      await written()
    },
  }
}

/** True once for each key. Keys are made of answers: there may be more than any account has devices. */
function createOnce(): (key: string) => boolean {
  const seen = new Set<string>()
  return (key) => {
    if (seen.has(key) || seen.size === MOST_NAMED) return false
    seen.add(key)
    return true
  }
}
