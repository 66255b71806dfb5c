import type { Clock } from '../clock'
import { EnvlogError } from '../errors'
import { type Keeper, keepIn, readFrom, type StateStore } from '../state-store'
import { type Cursor, createMachine, type Effect, type Event, type Machine, step } from './machine'
import { createRound, type Round } from './rounds'
import { readSaved, type Saved } from './saved'

/**
 * What a node knows of its devices: it outlives every deploy in the process, and a restart in a store. Devices
 * are named `base/serial`.
 */
export interface NodeMemory {
  /** Copies what changes from now on into a store; in a new process what the store holds is taken over first. */
  keep(store: StateStore): void
  /** Its node closes: nothing is written after this until the next `keep`. */
  rest(): Promise<void>
  /**
   * Nothing is to be asked before, nor written: who takes a store that cannot be read for an empty one loses
   * records. After a failure it is read again. @throws EnvlogError `store-unreadable`
   */
  ready(): Promise<void>
  machine(device: string): Machine<Cursor, unknown>
  step(device: string, event: Event<Cursor, unknown>): Effect
  /** All devices that have a serial, or all there are. */
  forget(serials: readonly string[] | 'all'): void
  readonly round: Round
  /** Of current readings: what was last sent of a device. */
  mark(device: string): string | undefined
  setMarks(marks: readonly (readonly [string, string])[]): void
  /** Something changed that the store is to know. */
  save(): void
}

export function createMemory(clock: Clock): NodeMemory {
  const machines = new Map<string, Machine<Cursor, unknown>>()
  const marks = new Map<string, string>()
  const round = createRound()
  let keeper: Keeper | undefined
  let isLoaded = false
  /** Of the latest deploy: an earlier one's may still be on its way. */
  let kept: StateStore | undefined
  let loading: Promise<void> | undefined

  const save = () => keeper?.save()
  const machine = (device: string) => machines.get(device) ?? createMachine()

  function stepOn(device: string, event: Event<Cursor, unknown>): Effect {
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
    let saved: unknown
    try {
      saved = await readFrom(store, clock)
    } catch {
      throw new EnvlogError('store-unreadable')
    } finally {
      if (kept === store) loading = undefined
    }
    if (kept !== store) return
    take(readSaved(saved))
    isLoaded = true
    keeper = keepIn(store, clock, snapshot)
  }

  function begin(store: StateStore): Promise<void> {
    loading = load(store)
    // Nobody may wait for it, and that must not end Node-RED.
    loading.catch(() => {})
    return loading
  }

  /** What changed while it was read stays. */
  function take({ cursors, forgotten, marks: told, round: asked }: Saved): void {
    for (const device of new Set([...Object.keys(cursors), ...Object.keys(forgotten)])) {
      if (machines.has(device)) continue
      machines.set(device, createMachine(cursors[device] ?? null, forgotten[device] ?? 0))
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
    async ready() {
      if (!isLoaded && kept) await (loading ?? begin(kept))
    },

    keep(store) {
      kept = store
      if (!isLoaded) void begin(store)
      else {
        keeper = keepIn(store, clock, snapshot)
        for (const device of machines.keys()) stepOn(device, { kind: 'deploy' })
      }
    },

    async rest() {
      kept = undefined
      await keeper?.end()
    },

    forget(serials) {
      const isMeant = (device: string) =>
        serials === 'all' || serials.some((one) => device.endsWith(`/${one}`))
      for (const device of machines.keys()) if (isMeant(device)) stepOn(device, { kind: 'forget' })
      for (const device of marks.keys()) if (isMeant(device)) marks.delete(device)
      save()
    },

    setMarks(changed) {
      for (const [device, mark] of changed) marks.set(device, mark)
      if (changed.length > 0) save()
    },
  }
}
