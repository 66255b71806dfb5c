import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import { countOf } from '../output/content'
import { type Keeper, keepIn, readFrom, type StateStore } from '../state-store'
import type { NamedDevice } from './devices'
import type { Hole } from './hole'
import { createMachine, step } from './machine'
import type { Kept } from './news'
import { createRound, type Round } from './rounds'
import { readSaved, type Saved } from './saved'
import type { Cursor, Effect, Event, Machine } from './states'

/** Devices that are told of at most: more than any account has. */
const MOST_TOLD = 10_000

type Device = Machine<Cursor, Hole, Kept>
type Happening = Event<Cursor, Hole, Kept>

/**
 * What a node knows of its devices: it outlives every deploy in the process, and a restart in a store. Devices
 * are named `base/serial`.
 */
export interface NodeMemory {
  /**
   * Its node is made: what changes from now on is copied into a store; in a new process what the store holds is
   * taken over first.
   * @param shape the settings that shape what is delivered: what was fetched by others is of no use
   */
  open(store: StateStore, shape?: string): void
  /** Its node closes: nothing is written after this until it is opened again. */
  close(): Promise<void>
  /**
   * Nothing is to be asked before, nor written: who takes a store that cannot be read for an empty one loses
   * records. After a failure it is read again. @throws EnvlogError
   * `store-newer`, `store-unreadable`, `closed`
   */
  ready(): Promise<void>
  machine(device: string): Device
  step(device: string, event: Happening): Effect
  /** Records and alerts that wait for receipts, of all other devices. */
  keptBeside(device: string): number
  /** All devices that have a serial, or all there are. */
  forget(serials: readonly string[] | 'all'): void
  /** True once for each device until the process ends: what is told of it is told for the first time. */
  isFirst(device: NamedDevice): boolean
  readonly round: Round
  /** Of current readings: what was last sent of a device. */
  mark(device: string): string | undefined
  setMarks(marks: readonly (readonly [string, string])[]): void
  /** Something changed that the store is to know. */
  save(): void
}

export function createMemory(clock: Clock): NodeMemory {
  const machines = new Map<string, Device>()
  const marks = new Map<string, string>()
  /** When a serial, or `all`, was to be forgotten, ms. */
  const voided = new Map<string, number>()
  /** Devices of which it was told that something in their answers cannot be read. */
  const told = new Set<string>()
  const round = createRound()
  let keeper: Keeper | undefined
  let isLoaded = false
  let shaped = ''
  /** Of the latest deploy: an earlier one's may still be on its way. */
  let kept: StateStore | undefined
  let loading: Promise<void> | undefined

  const save = () => keeper?.save()
  const machine = (device: string): Device => machines.get(device) ?? createMachine(voidFor(device))

  /** A device that nobody knows any more may have been delivered by a process before. */
  function voidFor(device: string): number {
    const serial = device.slice(device.lastIndexOf('/') + 1)
    return Math.max(voided.get('all') ?? 0, voided.get(serial) ?? 0)
  }

  function stepOn(device: string, event: Happening): Effect {
    const [next, effect] = step(machine(device), event)
    machines.set(device, next)
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
    return { version: 1, cursors, forgotten, marks: Object.fromEntries(marks), round: round.save() }
  }

  /** In a new process: one try, however many wait for it. */
  async function load(store: StateStore): Promise<void> {
    let saved: Saved
    try {
      saved = readSaved(await readFrom(store, clock))
    } catch (error) {
      throw error instanceof EnvlogError ? error : new EnvlogError('store-unreadable')
    } finally {
      if (kept === store) loading = undefined
    }
    if (kept !== store) throw new EnvlogError('closed')
    take(saved)
    isLoaded = true
    keeper = keepIn(store, clock, snapshot)
  }

  function begin(store: StateStore): Promise<void> {
    loading = load(store)
    // Nobody may wait for it, and that must not end the process.
    loading.catch(() => {})
    return loading
  }

  /** What changed while it was read stays. */
  function take({ cursors, forgotten, marks: told, round: asked }: Saved): void {
    for (const device of new Set([...Object.keys(cursors), ...Object.keys(forgotten)])) {
      const [cursor, until] = [cursors[device] ?? null, forgotten[device] ?? 0]
      stepOn(device, { kind: 'restart', cursor, forgotten: until })
    }
    for (const [device, mark] of Object.entries(told)) if (!marks.has(device)) marks.set(device, mark)
    round.load(asked)
  }

  return {
    round,
    machine,
    step: stepOn,
    mark: (device) => marks.get(device),
    save,
    keptBeside(device) {
      let count = 0
      for (const [other, { phase }] of machines) {
        if (other !== device && 'news' in phase && phase.news) count += countOf(phase.news.content)
      }
      return count
    },

    isFirst({ serial, base }) {
      const key = `${base ?? ''}/${serial}`
      // Serials come from answers: there may be more of them than any account has devices.
      if (told.has(key) || told.size === MOST_TOLD) return false
      told.add(key)
      return true
    },

    async ready() {
      if (isLoaded) return
      if (!kept) throw new EnvlogError('closed')
      await (loading ?? begin(kept))
    },

    open(store, shape = '') {
      const isReshaped = shape !== shaped
      shaped = shape
      kept = store
      if (isLoaded) keeper = keepIn(store, clock, snapshot)
      else void begin(store)
      for (const device of machines.keys()) stepOn(device, { kind: 'deploy', isReshaped })
    },

    async close() {
      kept = undefined
      for (const device of machines.keys()) stepOn(device, { kind: 'close' })
      await keeper?.end()
    },

    forget(serials) {
      const isMeant = (device: string) =>
        serials === 'all' || serials.some((one) => device.endsWith(`/${one}`))
      const now = clock.now()
      for (const one of serials === 'all' ? ['all'] : serials) voided.set(one, now)
      for (const device of machines.keys()) if (isMeant(device)) stepOn(device, { kind: 'forget', now })
      for (const device of marks.keys()) if (isMeant(device)) marks.delete(device)
      save()
    },

    setMarks(changed) {
      for (const [device, mark] of changed) marks.set(device, mark)
      if (changed.length > 0) save()
    },
  }
}
