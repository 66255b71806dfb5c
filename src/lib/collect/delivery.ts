/**
 * How a node delivers the new records or alerts of one device: cursor, backfill and receipts as one table of phases
 * and events. It is pure: each transition returns the next state and what is to be done, which `poll.ts` carries out.
 * States and table are in one file, despite its length, because each can only be understood with the other.
 */

import { EnvlogError } from '../errors'

/** Marks how far the records or alerts of a device were delivered; `feeds.ts` knows what else is in it. */
export interface Cursor {
  /**
   * Orders the cursors of a device: a later one is greater. It is the time at which the cursor's answer was received,
   * in ms since 1970 UTC, or one more than the latest before if the host's clock was set back.
   */
  sequence: number
}

/** The state of one device. `B` is a backfill in progress, `R` a retained delivery. */
export interface DeliveryState<B, R> {
  /** What was delivered or, with receipts, acknowledged; `null` before the first answer. */
  cursor: Cursor | null
  phase: DeliveryPhase<B, R>
  /** Sequence of the latest cursor that a receipt was issued for, acknowledged or not: the next one is later. */
  lastIssued: number
  /** Receipts of cursors up to this sequence are void: they are of what was forgotten. */
  receiptsVoidUpTo: number
  /** What was sent with a receipt that has not come back. */
  unacknowledged?: Unacknowledged | null
  /** A backfill was given up, and no page has been received since: the next one that is refused is given up at once. */
  hasGivenUp?: boolean
}

/** After so many resends without a receipt, people are told: with the next one. */
export const MAX_QUIET_RESENDS = 3

export interface Unacknowledged {
  /** Sequence of its first delivery, which is when its answer was received, ms since 1970 UTC. */
  since: number
  /** How often it was sent again. */
  resends: number
  /** The cursor once it is acknowledged. */
  next: Cursor
}

export type DeliveryPhase<B, R> =
  | { name: 'idle' }
  | { name: 'requesting' }
  /** Records before those of the answer are being fetched; received ones are kept from one trigger to the next. */
  | { name: 'backfilling'; backfill: B; isComplete: boolean; failures: PageFailures }
  /** Delivered with a receipt that was not returned yet; `overdueAt` in monotonic ms. */
  | ({ name: 'awaiting-receipt'; overdueAt: number; retained: R | null } & Issued)
  /** The receipt was not returned in time: the delivery is to be repeated. */
  | ({ name: 'receipt-overdue'; retained: R } & Issued)

interface Issued {
  /** Sequence of the first of its deliveries: receipts of any delivery since then are for the same records. */
  firstSequence: number
  /** The cursor once the receipt arrives. */
  next: Cursor
}

/** Failures of one page that may be permanent, and when the first occurred, in monotonic ms; `null` where there are none. */
type PageFailures = { count: number; firstAt: number } | null

/** May be permanent: the service refuses the device (`refused`), or its answer cannot be decoded (`unreadable`). */
export type FailureKind = 'transient' | 'refused' | 'unreadable'

export function classifyFailure(error: unknown): FailureKind {
  if (!(error instanceof EnvlogError)) return 'transient'
  if (error.reason === 'device-refused') return 'refused'
  return error.code === 'ENVLOG_REPLY' ? 'unreadable' : 'transient'
}

export type DeliveryEvent<B, R> =
  | { kind: 'trigger' }
  /** The answer contains nothing to deliver; the cursor may still advance. */
  | { kind: 'nothing-new'; next: Cursor }
  /** Records between the cursor and the answer have to be fetched. */
  | { kind: 'backfill-needed'; backfill: B }
  /** The next page of the backfill was received and added to it. */
  | { kind: 'page-received'; backfill: B; isLast: boolean }
  /** A request failed at `now`, in monotonic ms. What was received before it is retained where there is room for it. */
  | { kind: 'failed'; failureKind: FailureKind; now: number; canRetain: boolean }
  | { kind: 'delivered'; next: Cursor }
  /** Is about to be delivered with a receipt. A device without a cursor gets `before`: the same records are new from it. */
  | { kind: 'before-receipt'; before: Cursor }
  /**
   * Delivered with a receipt. Where it is overdue, at `overdueAt` in monotonic ms, what is retained is delivered
   * again; what is not retained is requested again.
   */
  | { kind: 'receipt-issued'; next: Cursor; overdueAt: number; retained: R | null }
  /** What a receipt was issued for was sent. */
  | { kind: 'handed-over'; next: Cursor }
  | { kind: 'receipt-received'; cursor: Cursor }
  | { kind: 'receipt-overdue' }
  /** What awaits its receipt counts as delivered. */
  | { kind: 'skip' }
  /** `now` in ms since 1970 UTC: this process does not know which receipts one before it issued. */
  | { kind: 'forget'; now: number }
  /** The node closes: no answer arrives any more. */
  | { kind: 'close' }
  /**
   * The node is made again in the same process. New settings may give its messages another shape. Receipts are
   * overdue at `overdueAt` at the latest, in monotonic ms; `null` where they are no longer awaited.
   */
  | { kind: 'deploy'; hasNewSettings: boolean; overdueAt: number | null }
  /** The saved state was read. */
  | { kind: 'restore'; cursor: Cursor | null; receiptsVoidUpTo: number }

/** What is to be done after an event. */
export type DeliveryEffect =
  | 'request'
  | 'request-page'
  | 'deliver-backfill'
  /** The backfill cannot be completed: deliver what was received, and report why. */
  | 'give-up-backfill'
  | 'redeliver'
  | 'save'
  | 'none'

/** A gateway may fail for hours, so a page is given up only after this many persistent failures over this long. */
const GIVE_UP_AFTER = { count: 3, ms: 86_400_000 }

type Step<B, R> = [DeliveryState<B, R>, DeliveryEffect]
type Transition<B, R, E, P> = (state: DeliveryState<B, R> & { phase: P }, event: E) => Step<B, R>
type EventKind = DeliveryEvent<unknown, unknown>['kind']
type PhaseName = DeliveryPhase<unknown, unknown>['name']
type Transitions<B, R, P = DeliveryPhase<B, R>> = {
  [K in EventKind]?: Transition<B, R, Extract<DeliveryEvent<B, R>, { kind: K }>, P>
}
type TransitionTable<B, R> = {
  [P in PhaseName]: Transitions<B, R, Extract<DeliveryPhase<B, R>, { name: P }>>
}

const idle = { name: 'idle' } as const

/** Events that mean the same in every phase. */
function inEveryPhase<B, R>(): Transitions<B, R> {
  return {
    'receipt-received': (state, { cursor }) => {
      const { phase, receiptsVoidUpTo } = state
      const isAwaited = 'firstSequence' in phase && cursor.sequence >= phase.firstSequence
      const isLater = cursor.sequence > receiptsVoidUpTo && cursor.sequence > (state.cursor?.sequence ?? 0)
      const after = isAwaited ? idle : phase
      const { unacknowledged: sent = null } = state
      const unacknowledged = sent && cursor.sequence >= sent.since ? null : sent
      const next = { ...state, phase: after, unacknowledged }
      return isLater ? [{ ...next, cursor }, 'save'] : [next, 'none']
    },
    // Its receipt may have come back during the sending.
    'handed-over': (state, { next }) => {
      const { cursor, unacknowledged: before } = state
      if (cursor && cursor.sequence >= next.sequence) return [state, 'none']
      const resends = before ? before.resends + 1 : 0
      return [{ ...state, unacknowledged: { since: before?.since ?? next.sequence, resends, next } }, 'none']
    },
    // What is being requested was compared with the cursor before.
    skip: (state) => {
      const { unacknowledged } = state
      if (!unacknowledged) return [state, 'none']
      return [{ ...state, cursor: unacknowledged.next, phase: idle, unacknowledged: null }, 'save']
    },
    forget: (state, { now }) => {
      const receiptsVoidUpTo = Math.max(now, latestSequence(state))
      const forgotten = { cursor: null, unacknowledged: null, hasGivenUp: false }
      return [{ ...state, ...forgotten, phase: idle, receiptsVoidUpTo }, 'save']
    },
    // What changed while it was read stays.
    restore: (state, { cursor, receiptsVoidUpTo }) => {
      const isOlder = (state.cursor?.sequence ?? 0) > (cursor?.sequence ?? 0)
      const voidUpTo = Math.max(state.receiptsVoidUpTo, receiptsVoidUpTo)
      return [{ ...state, cursor: isOlder ? state.cursor : cursor, receiptsVoidUpTo: voidUpTo }, 'none']
    },
  }
}

/** Events in a phase that ends with a delivery, or with nothing to deliver. */
function onDelivery<B, R>(): Transitions<B, R> {
  const finish: Transition<B, R, { next: Cursor }, DeliveryPhase<B, R>> = (state, { next }) => [
    { ...state, cursor: next, phase: idle, unacknowledged: null },
    'save',
  ]
  return {
    'nothing-new': finish,
    delivered: finish,
    'before-receipt': (state, { before }) =>
      state.cursor ? [state, 'none'] : [{ ...state, cursor: before }, 'save'],
    'receipt-issued': (state, { next, overdueAt, retained }) => {
      const { phase: current } = state
      const isRepeated = current.name === 'receipt-overdue'
      const firstSequence = isRepeated ? current.firstSequence : next.sequence
      const phase = { name: 'awaiting-receipt', firstSequence, next, overdueAt, retained } as const
      return [{ ...state, phase, lastIssued: next.sequence }, 'none']
    },
  }
}

/** Phase → event → transition. An event that is not here changes nothing. */
function createTable<B, R>(): TransitionTable<B, R> {
  const common = inEveryPhase<B, R>()
  const delivery = onDelivery<B, R>()
  return {
    idle: {
      ...common,
      trigger: (state) => [{ ...state, phase: { name: 'requesting' } }, 'request'],
    },
    requesting: {
      ...common,
      ...delivery,
      'backfill-needed': (state, { backfill }) => [
        { ...state, phase: { name: 'backfilling', backfill, isComplete: false, failures: null } },
        'request-page',
      ],
      failed: (state) => [{ ...state, phase: idle }, 'none'],
      close: (state) => [{ ...state, phase: idle }, 'none'],
    },
    // What was fetched outlives failed pages, a close and a deploy.
    backfilling: {
      ...common,
      ...delivery,
      trigger: (state) => [state, state.phase.isComplete ? 'deliver-backfill' : 'request-page'],
      'page-received': (state, { backfill, isLast }) => [
        {
          ...state,
          phase: { name: 'backfilling', backfill, isComplete: isLast, failures: null },
          hasGivenUp: false,
        },
        isLast ? 'deliver-backfill' : 'request-page',
      ],
      failed: (state, { failureKind, now, canRetain }) => {
        const isPersistent = failureKind !== 'transient'
        const isRefusedAgain = failureKind === 'refused' && state.hasGivenUp
        const failures = isPersistent ? countFailure(state.phase.failures, now) : state.phase.failures
        const phase = { ...state.phase, failures }
        if (isRefusedAgain || (isPersistent && isHopeless(failures, now)))
          return [{ ...state, phase, hasGivenUp: true }, 'give-up-backfill']
        return [{ ...state, phase: canRetain ? phase : idle }, 'none']
      },
      deploy: (state, { hasNewSettings }) => [hasNewSettings ? { ...state, phase: idle } : state, 'none'],
    },
    'awaiting-receipt': {
      ...common,
      'receipt-overdue': (state) => [{ ...state, phase: toOverdue(state.phase) }, 'none'],
      // The receipt is still awaited, if receipts are; what is not acknowledged is requested again in its new shape.
      deploy: (state, { hasNewSettings, overdueAt }) => {
        const retained = hasNewSettings ? null : state.phase.retained
        const earlier = Math.min(state.phase.overdueAt, overdueAt ?? 0)
        const phase = { ...state.phase, retained, overdueAt: earlier }
        return [{ ...state, phase: overdueAt === null ? toOverdue(phase) : phase }, 'none']
      },
    },
    'receipt-overdue': {
      ...common,
      ...delivery,
      trigger: (state) => [state, 'redeliver'],
      deploy: (state, { hasNewSettings }) => [hasNewSettings ? { ...state, phase: idle } : state, 'none'],
    },
  }
}

const countFailure = (failures: PageFailures, now: number): PageFailures => ({
  count: (failures?.count ?? 0) + 1,
  firstAt: failures?.firstAt ?? now,
})

function isHopeless(failures: PageFailures, now: number): boolean {
  if (failures === null) return false
  return failures.count >= GIVE_UP_AFTER.count && now - failures.firstAt >= GIVE_UP_AFTER.ms
}

/** What is retained is delivered again, what is not is requested again. */
function toOverdue<R>({ firstSequence, next, retained }: Issued & { retained: R | null }) {
  return retained === null ? idle : ({ name: 'receipt-overdue', firstSequence, next, retained } as const)
}

const table = createTable<unknown, unknown>()

/** The sequence that the next cursor has to exceed. */
export function latestSequence<B, R>({ cursor, lastIssued, receiptsVoidUpTo }: DeliveryState<B, R>): number {
  return Math.max(receiptsVoidUpTo, lastIssued, cursor?.sequence ?? 0)
}

/** The state of a device that nothing is known of. */
export function createDeliveryState<B, R>(receiptsVoidUpTo = 0): DeliveryState<B, R> {
  return { cursor: null, phase: idle, lastIssued: 0, receiptsVoidUpTo }
}

/** The state after an event, and its effect. Any event may occur in any phase, because of deploys in between. */
export function transition<B, R>(state: DeliveryState<B, R>, event: DeliveryEvent<B, R>): Step<B, R> {
  const apply = table[state.phase.name][event.kind]
  return apply ? (apply(state as never, event as never) as Step<B, R>) : [state, 'none']
}
