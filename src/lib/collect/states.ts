/** What there is to know of how a node delivers the news of one device, and what may happen to it: see `machine.ts`. */

/** Made of an answer; the later is the further one. */
export interface Cursor {
  taken: number
}

/** `H` is a hole as far as it is filled, `N` what is kept of a delivery. */
export interface Machine<C extends Cursor, H, N> {
  /** What was delivered so far, or acknowledged; `null` before the first answer. */
  cursor: C | null
  phase: Phase<C, H, N>
  /** It was told that the device's clock was set back. */
  warned: boolean
  /** The furthest cursor that was ever handed over, also where no receipt came: the next is further. */
  handed: number
  /** Receipts that are not further than this are void: they are of what was forgotten. */
  forgotten: number
}

export type Phase<C extends Cursor, H, N> =
  | { name: 'idle' }
  /** A request is on its way. */
  | { name: 'asking' }
  /** Records before those of the answer are being fetched; what came so far is kept over triggers. */
  | { name: 'filling'; hole: H; isFilled: boolean; trouble: Trouble }
  /** Delivered, and its receipt is awaited. */
  | ({ name: 'open'; until: number; news: N | null } & HandedOver<C>)
  /** No receipt came in time: to be delivered again. */
  | ({ name: 'unanswered'; news: N } & HandedOver<C>)

interface HandedOver<C> {
  /** When it was delivered first: receipts of any delivery since then are for the same. */
  since: number
  next: C
}

/** Failures for the same page that may be for good, and when the first came, monotonic ms; `null` where there are none. */
export type Trouble = { count: number; since: number } | null

/** Whether a failure may be for good: the service refuses the device, or answers what cannot be understood. */
export type Failure = 'passing' | 'lasting'

export type Event<C extends Cursor, H, N> =
  | { kind: 'trigger' }
  /** Nothing that concerns the user is in the answer; the cursor may know more all the same. */
  | { kind: 'answer'; next: C }
  | { kind: 'set-back' }
  | { kind: 'hole'; hole: H }
  /** The next page of the hole came: the hole as it is with it. */
  | { kind: 'page'; hole: H; isLast: boolean }
  /** The request failed, at an instant, monotonic ms. What came before it is kept where that `fits`. */
  | { kind: 'failed'; failure: Failure; now: number; fits: boolean }
  /** Delivered: done with it. */
  | { kind: 'sent'; next: C }
  /**
   * Delivered: done with it when a receipt comes, or to be delivered again after an instant: as it is kept, else
   * asked for again. Where nothing was delivered before, `base` is the cursor from which it would come again.
   */
  | { kind: 'handed-over'; base: C; next: C; until: number; news: N | null }
  | { kind: 'receipt'; cursor: C }
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
  | { kind: 'restart'; cursor: C | null; forgotten: number }

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
