/**
 * How a node delivers the new records or alerts of one device: cursor, backfill and receipts as one table of states
 * and events. It is pure: it returns what is to be done as a word, which `poll.ts` carries out.
 */

import { EnvlogError } from '../errors'

/** Made from an answer; the later cursor is the one further on. */
export interface Cursor {
  taken: number
}

/** `H` is a backfill as far as it has come, `N` what is kept of a delivery. */
export interface Machine<H, N> {
  /** What was delivered so far, or acknowledged; `null` before the first answer. */
  cursor: Cursor | null
  phase: Phase<H, N>
  /** It was told that the device's clock was set back. */
  warned: boolean
  /** The furthest cursor that was ever handed over, also where no receipt came: the next is further. */
  handed: number
  /** Receipts that are not further than this are void: they are of what was forgotten. */
  forgotten: number
}

export type Phase<H, N> =
  | { name: 'idle' }
  /** A request is on its way. */
  | { name: 'asking' }
  /** Records before those of the answer are being fetched; what came so far is kept over triggers. */
  | { name: 'filling'; hole: H; isFilled: boolean; trouble: Trouble }
  /** Delivered, and its receipt is awaited. */
  | ({ name: 'open'; until: number; news: N | null } & HandedOver)
  /** No receipt came in time: to be delivered again. */
  | ({ name: 'unanswered'; news: N } & HandedOver)

interface HandedOver {
  /** When it was delivered first: receipts of any delivery since then are for the same. */
  since: number
  next: Cursor
}

/** Failures for the same page that may be for good, and when the first came, monotonic ms; `null` where there are none. */
type Trouble = { count: number; since: number } | null

/** Whether a failure may be for good: the service refuses the device, or answers what cannot be understood. */
export type Failure = 'passing' | 'lasting'

/** What a failed request says of the next one. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof EnvlogError)) return 'passing'
  return error.reason === 'device-refused' || error.code === 'ENVLOG_REPLY' ? 'lasting' : 'passing'
}

export type Event<H, N> =
  | { kind: 'trigger' }
  /** Nothing that concerns the user is in the answer; the cursor may know more all the same. */
  | { kind: 'answer'; next: Cursor }
  | { kind: 'set-back' }
  | { kind: 'hole'; hole: H }
  /** The next page of the hole came: the hole as it is with it. */
  | { kind: 'page'; hole: H; isLast: boolean }
  /** The request failed, at an instant, monotonic ms. What came before it is kept where that `fits`. */
  | { kind: 'failed'; failure: Failure; now: number; fits: boolean }
  /** Delivered: done with it. */
  | { kind: 'sent'; next: Cursor }
  /**
   * Delivered: done with it when a receipt comes, or to be delivered again after an instant: as it is kept, else
   * asked for again. Where nothing was delivered before, `base` is the cursor from which it would come again.
   */
  | { kind: 'handed-over'; base: Cursor; next: Cursor; until: number; news: N | null }
  | { kind: 'receipt'; cursor: Cursor }
  | { kind: 'timeout' }
  /** With the wall clock, ms: a new process does not know what the last one handed over. */
  | { kind: 'forget'; now: number }
  /** The node closes: what is on its way comes to nothing. */
  | { kind: 'close' }
  /**
   * The node is made anew in the same process, with settings that may shape its messages differently. Receipts are
   * awaited until an instant at most, monotonic ms, or no more at all.
   */
  | { kind: 'deploy'; isReshaped: boolean; until: number | null }
  /** A new process: what was saved is all there is. */
  | { kind: 'restart'; cursor: Cursor | null; forgotten: number }

/** What is to be done now. */
export type Effect =
  | 'ask'
  /** Ask for the next page of the hole. */
  | 'fill'
  /** The hole is filled. */
  | 'deliver'
  /** The hole cannot be filled: deliver what there is. */
  | 'give-up'
  /** Deliver once more what is kept. */
  | 'again'
  | 'skip'
  | 'warn'
  | 'save'
  | 'nothing'

/** A page is given up after so many failures over so long: what fails for hours may be a gateway, or be mended. */
const GIVE_UP = { count: 3, afterMs: 86_400_000 }

type Step<H, N> = [Machine<H, N>, Effect]
type Transition<H, N, E, P> = (machine: Machine<H, N> & { phase: P }, event: E) => Step<H, N>
type Kinds = Event<unknown, unknown>['kind']
type Names = Phase<unknown, unknown>['name']
type Row<H, N, P = Phase<H, N>> = {
  [K in Kinds]?: Transition<H, N, Extract<Event<H, N>, { kind: K }>, P>
}
type Table<H, N> = {
  [P in Names]: Row<H, N, Extract<Phase<H, N>, { name: P }>>
}

const idle = { name: 'idle' } as const

/** Events that mean the same in every phase. */
function everywhere<H, N>(): Row<H, N> {
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
function answered<H, N>(): Row<H, N> {
  const done: Transition<H, N, { next: Cursor }, Phase<H, N>> = (machine, { next }) => [
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
function table<H, N>(): Table<H, N> {
  const common = everywhere<H, N>()
  const delivered = answered<H, N>()
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
function unanswered<N>({ since, next, news }: { since: number; next: Cursor; news: N | null }) {
  return news === null ? idle : ({ name: 'unanswered', since, next, news } as const)
}

const rows = table<unknown, unknown>()

/** Cursors go on from here, whatever the clock says. */
export function furthest<H, N>({ cursor, handed, forgotten }: Machine<H, N>): number {
  return Math.max(forgotten, handed, cursor?.taken ?? 0)
}

/** Of a device that nobody knows. */
export function createMachine<H, N>(forgotten = 0): Machine<H, N> {
  return { cursor: null, phase: idle, warned: false, handed: 0, forgotten }
}

/** One step. An event that the phase does not know changes nothing: a deploy may have come between. */
export function step<H, N>(machine: Machine<H, N>, event: Event<H, N>): Step<H, N> {
  const transition = rows[machine.phase.name][event.kind]
  return transition ? (transition(machine as never, event as never) as Step<H, N>) : [machine, 'nothing']
}
