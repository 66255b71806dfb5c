import { DAY_MS } from '../../shared/local-clock'
import { PAGE_RECORDS } from './page'
import { nextPauseMs } from './refusal'

/** A page is not made smaller than this. */
const MIN_PAGE_RECORDS = 300
/** After this many pages in a row that arrived, the next one is twice as large. */
const ARRIVED_TO_DOUBLE = 10
/** A gateway may fail for hours, so a hole is given up only after its smallest page has failed this often over this time. */
const GIVE_UP_AFTER = { count: 3, ms: DAY_MS }
/** Users are warned after the smallest page was not confirmed this often in a row. */
const WARN_AFTER = 3
/** After this many failures in a row because pages contradict each other, the records of the page are accepted. */
const MAX_CONTRADICTIONS = 2

/** What is saved of the pages of a hole. Times are ms since 1970 UTC. */
export interface SavedPages {
  /** Number of records of the next page. */
  number: number
  /** Number of failures in a row of the smallest page, and when the first one was. */
  failures: number
  since: number
  /** How often in a row the smallest page was sent, but not confirmed. */
  unconfirmed?: number
  /** Number of failures in a row because the page contradicted its neighbour. */
  contradictions: number
  /** When the page failed, and how long it is not requested since then. */
  failedAt: number
  pauseMs: number
}

const FIRST: SavedPages = {
  ...{ number: PAGE_RECORDS, failures: 0, since: 0, contradictions: 0, failedAt: 0, pauseMs: 0 },
}

/**
 * The size of the pages of a hole, and their pauses: a page that did not arrive is next requested with half the records.
 * Times are ms since 1970 UTC.
 */
export class HolePages {
  #saved: SavedPages
  #arrived = 0

  constructor(saved = FIRST) {
    this.#saved = saved
  }

  /** Number of records of the next page. */
  get number(): number {
    return this.#saved.number
  }

  /** Whether a page is accepted even if it contradicts its neighbour. */
  get acceptsContradiction(): boolean {
    return this.#saved.contradictions >= MAX_CONTRADICTIONS
  }

  /** How long no page is requested, ms. The clock may have been set. */
  left(now: number): number {
    const { failedAt, pauseMs } = this.#saved
    return Math.min(pauseMs, Math.max(0, failedAt + pauseMs - now))
  }

  /** Whether the smallest page is not confirmed, so that users are warned. */
  get isRefused(): boolean {
    return (this.#saved.unconfirmed ?? 0) >= WARN_AFTER
  }

  /** Whether the hole is given up when its page has failed. A database may be away for longer. */
  isHopeless(now: number): boolean {
    const { failures, since } = this.#saved
    return failures >= GIVE_UP_AFTER.count && now - since >= GIVE_UP_AFTER.ms
  }

  arrived(): void {
    const { number } = this.#saved
    const isDoubled = ++this.#arrived % ARRIVED_TO_DOUBLE === 0
    this.#saved = { ...FIRST, number: isDoubled ? Math.min(PAGE_RECORDS, 2 * number) : number }
  }

  /**
   * @param records number of records that the page had or could have had
   * @param cause if the service has sent the page
   */
  failed(records: number, now: number, cause?: 'contradicted' | 'unconfirmed'): void {
    const { failures, since, unconfirmed = 0, contradictions, pauseMs } = this.#saved
    const isSmallest = records <= MIN_PAGE_RECORDS
    const isUnconfirmed = cause === 'unconfirmed'
    const isRepeated = isSmallest && failures + unconfirmed > 0
    this.#arrived = 0
    this.#saved = {
      number: Math.max(MIN_PAGE_RECORDS, Math.floor(records / 2)),
      failures: isSmallest && !isUnconfirmed ? failures + 1 : 0,
      since: isSmallest && failures > 0 ? Math.min(since, now) : now,
      ...(isSmallest && isUnconfirmed && { unconfirmed: unconfirmed + 1 }),
      contradictions: cause === 'contradicted' ? contradictions + 1 : 0,
      failedAt: now,
      pauseMs: nextPauseMs(isRepeated ? pauseMs : 0),
    }
  }

  endPause(): void {
    this.#saved = { ...this.#saved, pauseMs: 0 }
  }

  /** `undefined` if there is nothing to save. */
  toSave(): SavedPages | undefined {
    const { number, failures, pauseMs } = this.#saved
    return number === PAGE_RECORDS && failures === 0 && pauseMs === 0 ? undefined : this.#saved
  }
}
