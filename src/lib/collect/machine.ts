/**
 * How a node delivers the news of one device: cursor, backfill and receipts as one table of states and events.
 * It is pure: what is to be done comes back as a word, and the nodes carry it out (`latest-news.ts`, `alert-news.ts`).
 */

import type { Cursor, Effect, Event, Machine, Phase, Trouble } from './states'

/** A page is given up after so many failures over so long: what fails for hours may be a gateway, or be mended. */
const GIVE_UP = { count: 3, afterMs: 86_400_000 }

type Step<C extends Cursor, H, N> = [Machine<C, H, N>, Effect]
type Transition<C extends Cursor, H, N, E, P> = (
  machine: Machine<C, H, N> & { phase: P },
  event: E,
) => Step<C, H, N>
type Kinds = Event<Cursor, unknown, unknown>['kind']
type Names = Phase<Cursor, unknown, unknown>['name']
type Row<C extends Cursor, H, N, P = Phase<C, H, N>> = {
  [K in Kinds]?: Transition<C, H, N, Extract<Event<C, H, N>, { kind: K }>, P>
}
type Table<C extends Cursor, H, N> = {
  [P in Names]: Row<C, H, N, Extract<Phase<C, H, N>, { name: P }>>
}

const idle = { name: 'idle' } as const

/** Events that mean the same in every phase. */
function everywhere<C extends Cursor, H, N>(): Row<C, H, N> {
  return {
    receipt: (machine, { cursor }) => {
      const { phase, forgotten } = machine
      const isAwaited = 'since' in phase && cursor.taken >= phase.since
      const isFurther = cursor.taken > forgotten && cursor.taken > (machine.cursor?.taken ?? 0)
      const after = isAwaited ? idle : phase
      return isFurther
        ? [{ ...machine, cursor, phase: after }, 'save']
        : [{ ...machine, phase: after }, 'nothing']
    },
    forget: (machine, { now }) => [
      { ...machine, cursor: null, phase: idle, warned: false, forgotten: Math.max(now, furthest(machine)) },
      'save',
    ],
    // What changed while it was read stays.
    restart: (machine, { cursor, forgotten }) => [
      {
        ...machine,
        cursor: (machine.cursor?.taken ?? 0) > (cursor?.taken ?? 0) ? machine.cursor : cursor,
        forgotten: Math.max(machine.forgotten, forgotten),
      },
      'nothing',
    ],
  }
}

/** Events of who has an answer, or all that it is going to get. */
function answered<C extends Cursor, H, N>(): Row<C, H, N> {
  const done: Transition<C, H, N, { next: C }, Phase<C, H, N>> = (machine, { next }) => [
    { ...machine, cursor: next, phase: idle, warned: false },
    'save',
  ]
  return {
    answer: done,
    sent: done,
    'handed-over': (machine, { base, next, until, news }) => {
      const since = machine.phase.name === 'unanswered' ? machine.phase.since : next.taken
      const phase = { name: 'open', since, next, until, news } as const
      const after = { ...machine, cursor: machine.cursor ?? base, phase, handed: next.taken, warned: false }
      return [after, machine.cursor ? 'nothing' : 'save']
    },
  }
}

/** Phase → event → what follows. What is not here changes nothing. */
function table<C extends Cursor, H, N>(): Table<C, H, N> {
  const common = everywhere<C, H, N>()
  const delivered = answered<C, H, N>()
  return {
    idle: {
      ...common,
      trigger: (machine) => [{ ...machine, phase: { name: 'asking' } }, 'ask'],
    },
    asking: {
      ...common,
      ...delivered,
      hole: (machine, { hole }) => [
        { ...machine, phase: { name: 'filling', hole, isFilled: false, trouble: null } },
        'fill',
      ],
      'set-back': (machine) => [
        { ...machine, phase: idle, warned: true },
        machine.warned ? 'nothing' : 'warn',
      ],
      failed: (machine) => [{ ...machine, phase: idle }, 'nothing'],
      close: (machine) => [{ ...machine, phase: idle }, 'nothing'],
    },
    // What was fetched stays where a page fails, over closing and a deploy.
    filling: {
      ...common,
      ...delivered,
      trigger: (machine) => [machine, machine.phase.isFilled ? 'deliver' : 'fill'],
      page: (machine, { hole, isLast }) => [
        { ...machine, phase: { name: 'filling', hole, isFilled: isLast, trouble: null } },
        isLast ? 'deliver' : 'fill',
      ],
      failed: (machine, { failure, now, fits }) => {
        const trouble = failure === 'passing' ? machine.phase.trouble : oneMore(machine.phase.trouble, now)
        const phase = { ...machine.phase, trouble }
        if (failure === 'lasting' && isHopeless(trouble, now)) return [{ ...machine, phase }, 'give-up']
        return [{ ...machine, phase: fits ? phase : idle }, 'nothing']
      },
      deploy: (machine, { isReshaped }) => [isReshaped ? { ...machine, phase: idle } : machine, 'nothing'],
    },
    open: {
      ...common,
      trigger: (machine) => [machine, 'skip'],
      timeout: (machine) => [{ ...machine, phase: unanswered(machine.phase) }, 'nothing'],
      // It goes on waiting, if it is to, and is asked for again in its new shape.
      deploy: (machine, { isReshaped, until }) => {
        const news = isReshaped ? null : machine.phase.news
        const open = { ...machine.phase, news, until: Math.min(machine.phase.until, until ?? 0) }
        return [{ ...machine, phase: until === null ? unanswered(open) : open }, 'nothing']
      },
    },
    unanswered: {
      ...common,
      ...delivered,
      trigger: (machine) => [machine, 'again'],
      deploy: (machine, { isReshaped }) => [isReshaped ? { ...machine, phase: idle } : machine, 'nothing'],
    },
  }
}

const oneMore = (trouble: Trouble, now: number): Trouble => ({
  count: (trouble?.count ?? 0) + 1,
  since: trouble?.since ?? now,
})

function isHopeless(trouble: Trouble, now: number): boolean {
  return trouble !== null && trouble.count >= GIVE_UP.count && now - trouble.since >= GIVE_UP.afterMs
}

/** No receipt came: what was kept is delivered again, else asked for again. */
function unanswered<C extends Cursor, N>({ since, next, news }: { since: number; next: C; news: N | null }) {
  return news === null ? idle : ({ name: 'unanswered', since, next, news } as const)
}

const rows = table<Cursor, unknown, unknown>()

/** Cursors go on from here, whatever the clock says. */
export function furthest<C extends Cursor, H, N>({ cursor, handed, forgotten }: Machine<C, H, N>): number {
  return Math.max(forgotten, handed, cursor?.taken ?? 0)
}

/** Of a device that nobody knows. */
export function createMachine<C extends Cursor, H, N>(forgotten = 0): Machine<C, H, N> {
  return { cursor: null, phase: idle, warned: false, handed: 0, forgotten }
}

/** One step. An event that the phase does not know changes nothing: a deploy may have come between. */
export function step<C extends Cursor, H, N>(
  machine: Machine<C, H, N>,
  event: Event<C, H, N>,
): Step<C, H, N> {
  const transition = rows[machine.phase.name][event.kind]
  return transition ? (transition(machine as never, event as never) as Step<C, H, N>) : [machine, 'nothing']
}
