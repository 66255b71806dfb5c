/**
 * How a node delivers the news of one device: cursor, backfill and receipts as one table of states and events.
 * It is pure: what is to be done comes back as a word, and the nodes carry it out (`news.ts`).
 */

/** Made of an answer; the later is the further one. */
export interface Cursor {
  taken: number
}

export interface Machine<C extends Cursor, H> {
  /** What was delivered so far, or acknowledged; `null` before the first answer. */
  cursor: C | null
  phase: Phase<C, H>
  /** It was told that the device's clock was set back. */
  warned: boolean
  /** The furthest cursor that was ever handed over, also where no receipt came: the next is further. */
  handed: number
  /** Receipts that are not further than this are void: they are of what was forgotten. */
  forgotten: number
}

type Phase<C, H> =
  | { name: 'idle' }
  /** A request is on its way. */
  | { name: 'asking' }
  /** Records before those of the answer are being fetched; what came so far is kept over triggers. */
  | { name: 'filling'; hole: H }
  /** Delivered, and its receipt is awaited. */
  | { name: 'open'; next: C; until: number }

export type Event<C, H> =
  | { kind: 'trigger' }
  /** Nothing that concerns the user is in the answer; the cursor may know more all the same. */
  | { kind: 'answer'; next: C }
  | { kind: 'set-back' }
  | { kind: 'hole'; hole: H }
  /** The request failed, or the node was closed while it was on its way. */
  | { kind: 'failed' }
  /** Delivered: done with it. */
  | { kind: 'sent'; next: C }
  /**
   * Delivered: done with it when a receipt comes, or to be delivered again after an instant. Where nothing was
   * delivered before, `base` is the cursor from which it would come again.
   */
  | { kind: 'handed-over'; base: C; next: C; until: number }
  | { kind: 'receipt'; cursor: C }
  | { kind: 'timeout' }
  | { kind: 'forget' }
  /** The node was made anew in the same process. */
  | { kind: 'deploy' }
  /** A new process: what was saved is all there is. */
  | { kind: 'restart' }

/** What is to be done now. */
export type Effect = 'ask' | 'fill' | 'skip' | 'warn' | 'save' | 'nothing'

type Step<C extends Cursor, H> = [Machine<C, H>, Effect]
type Transition<C extends Cursor, H, K> = (
  machine: Machine<C, H>,
  event: Extract<Event<C, H>, { kind: K }>,
) => Step<C, H>
type Row<C extends Cursor, H> = { [K in Event<C, H>['kind']]?: Transition<C, H, K> }

const idle = { name: 'idle' } as const

/** Events that mean the same in every phase. */
function everywhere<C extends Cursor, H>(): Row<C, H> {
  return {
    receipt: (machine, { cursor }) => {
      const { phase, forgotten } = machine
      const awaited = phase.name === 'open' && cursor.taken >= phase.next.taken
      const isFurther = cursor.taken > forgotten && cursor.taken > (machine.cursor?.taken ?? 0)
      const after = awaited ? idle : phase
      return isFurther
        ? [{ ...machine, cursor, phase: after }, 'save']
        : [{ ...machine, phase: after }, 'nothing']
    },
    forget: (machine) => [
      { ...machine, cursor: null, phase: idle, warned: false, forgotten: furthest(machine) },
      'save',
    ],
    // What was on its way is asked for again; what waits for a receipt goes on waiting, what was fetched stays.
    deploy: (machine) => [machine.phase.name === 'asking' ? { ...machine, phase: idle } : machine, 'nothing'],
    restart: (machine) => [{ ...machine, phase: idle, warned: false }, 'nothing'],
    failed: (machine) => [machine, 'nothing'],
    timeout: (machine) => [machine, 'nothing'],
  }
}

/** Phase → event → what follows. What is not here cannot happen, and is left alone. */
function table<C extends Cursor, H>(): Record<Phase<C, H>['name'], Row<C, H>> {
  const common = everywhere<C, H>()
  const delivered: Row<C, H> = {
    answer: (machine, { next }) => [{ ...machine, cursor: next, phase: idle, warned: false }, 'save'],
    sent: (machine, { next }) => [{ ...machine, cursor: next, phase: idle, warned: false }, 'save'],
    'handed-over': (machine, { base, next, until }) => [
      {
        ...machine,
        cursor: machine.cursor ?? base,
        phase: { name: 'open', next, until },
        handed: next.taken,
        warned: false,
      },
      machine.cursor ? 'nothing' : 'save',
    ],
    hole: (machine, { hole }) => [{ ...machine, phase: { name: 'filling', hole } }, 'fill'],
    'set-back': (machine) => [{ ...machine, phase: idle, warned: true }, machine.warned ? 'nothing' : 'warn'],
  }
  return {
    idle: {
      ...common,
      trigger: (machine) => [{ ...machine, phase: { name: 'asking' } }, 'ask'],
    },
    asking: {
      ...common,
      ...delivered,
      failed: (machine) => [{ ...machine, phase: idle }, 'nothing'],
    },
    filling: {
      ...common,
      ...delivered,
      // What it needs did not come the last time: on from where it stopped.
      trigger: (machine) => [machine, 'fill'],
    },
    open: {
      ...common,
      trigger: (machine) => [machine, 'skip'],
      timeout: (machine) => [{ ...machine, phase: idle }, 'nothing'],
    },
  }
}

/** Cursors go on from here, whatever the clock says. */
export function furthest<C extends Cursor, H>({ cursor, handed, forgotten }: Machine<C, H>): number {
  return Math.max(forgotten, handed, cursor?.taken ?? 0)
}

export function createMachine<C extends Cursor, H>(cursor: C | null = null, forgotten = 0): Machine<C, H> {
  return { cursor, phase: idle, warned: false, handed: 0, forgotten }
}

/** One step. An event that the phase does not know changes nothing: a deploy may have come between. */
export function step<C extends Cursor, H>(machine: Machine<C, H>, event: Event<C, H>): Step<C, H> {
  const row = table<C, H>()[machine.phase.name]
  const transition = row[event.kind] as Transition<C, H, typeof event.kind> | undefined
  return transition ? transition(machine, event as never) : [machine, 'nothing']
}
