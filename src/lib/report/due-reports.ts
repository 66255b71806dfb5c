import * as z from 'zod/mini'
import { DAY_MS, type LocalClock } from '../../shared/local-clock'
import type { Clock } from '../clock'
import { isTimestamp } from '../decode/time'
import { readState, type StateStore, StoredState } from '../stored-state'
import { dueTimes, nextDue, type Schedule } from './schedule'

/** How far back reports are made that became due while Node-RED was off. */
export const MAX_LATE_MS = 7 * DAY_MS
/** When a report that is not done is tried again. */
export const RETRY_MS = 15 * 60_000
/** The clock may be set, so what is due is determined again after this time at the latest. */
const MAX_WAIT_MS = 60_000
/** Kept entries, which are more than can be due. */
const MAX_KEPT = 50

/** Its property names are a contract, because stores contain it. */
const savedReports = z.object({
  version: z.literal(1),
  /** What was due until then is not made. `null`: reports are not made by themselves. */
  since: z.nullable(z.custom<number>(isTimestamp)),
  /** Which reports the node has made by itself since then. */
  kind: z.optional(z.string()),
  /** The reports that were made, and those whose page *Not done* was sent. */
  made: z.array(z.string()),
  told: z.array(z.string()),
})
type SavedReports = z.output<typeof savedReports>

/** A report that is to be made by itself. */
export interface DueReport {
  /** When it was due, ms since 1970 UTC. */
  at: number
  key: string
  /** Whether its page *Not done* was sent. */
  isTold: boolean
}

interface Settings {
  /** `null`: reports are made only when a message arrives. */
  schedule: Schedule | null
  clock: LocalClock
  /** Of which periods the reports are. */
  kind: string
  /** What is made once; of two with the same key, the first. */
  keyOf(due: number): string
  /** Whether only the newest is made of those that are due. */
  isOnlyNewest: boolean
}

/**
 * The reports that a node makes by itself (docs/report.md, *By itself*): each once, over restarts. What became due while
 * Node-RED was off, or was interrupted, is made later, oldest first.
 */
export class DueReports {
  readonly #clock: Clock
  readonly #settings: Settings
  readonly #state: StoredState<SavedReports>
  readonly #store: StateStore
  #saved: SavedReports = { version: 1, since: null, made: [], told: [] }
  /** When the node was deployed, ms since 1970 UTC. */
  readonly #deployedAt: number
  /** When reports that are not done are tried again, monotonic ms. */
  readonly #retryAt = new Map<string, number>()

  constructor(clock: Clock, store: StateStore, settings: Settings) {
    this.#clock = clock
    this.#deployedAt = clock.now()
    this.#settings = settings
    this.#store = store
    this.#state = new StoredState(clock, {
      read: (contents) => readState(contents, 1, (found) => z.safeParse(savedReports, found).data),
      restore: (saved) => {
        this.#saved = saved ?? this.#saved
      },
      toSave: () => this.#saved,
    })
    this.#state.open(store)
  }

  /** Waits until it is known what was made. @throws EnvlogError `store-newer`, `store-damaged`, `store-unreadable` */
  async ready(): Promise<void> {
    await this.#state.ready()
    this.#begin()
  }

  close(): Promise<void> {
    return this.#state.close(this.#store)
  }

  /** The oldest report that is to be made now. Call this when it is ready. */
  next(): DueReport | undefined {
    const now = this.#clock.monotonic()
    return this.#open().find(({ key }) => (this.#retryAt.get(key) ?? now) <= now)
  }

  /** How long to wait until there may be a next one, ms; `undefined` if there never is. */
  get waitMs(): number | undefined {
    const { schedule, clock } = this.#settings
    if (!schedule) return undefined
    const now = this.#clock.now()
    return Math.min(nextDue(schedule, clock, now) - now, MAX_WAIT_MS)
  }

  /** When the next report becomes due, ms since 1970 UTC. */
  get nextAt(): number | undefined {
    const { schedule, clock } = this.#settings
    return schedule ? nextDue(schedule, clock, this.#clock.now()) : undefined
  }

  /** Call this when a report has been sent. Resolves when it is saved that it was made. */
  async made({ key }: DueReport): Promise<void> {
    this.#retryAt.delete(key)
    await this.#change({ made: [...this.#saved.made, key].slice(-MAX_KEPT) })
  }

  /** Call this when a report is not done, and its page has been sent if it was not before. */
  async failed({ key, isTold }: DueReport): Promise<void> {
    this.#retryAt.set(key, this.#clock.monotonic() + RETRY_MS)
    if (!isTold) await this.#change({ told: [...this.#saved.told, key].slice(-MAX_KEPT) })
  }

  #open(): DueReport[] {
    const { schedule, clock, keyOf, isOnlyNewest } = this.#settings
    const { since, made, told } = this.#saved
    if (!schedule || since === null) return []
    const now = this.#clock.now()
    const due = dueTimes(schedule, clock, { after: Math.max(since, now - MAX_LATE_MS), until: now })
    const wanted = isOnlyNewest ? due.slice(-1) : due
    const open = wanted.map((at) => ({ at, key: keyOf(at) })).filter(({ key }) => !made.includes(key))
    return open.map((report) => ({ ...report, isTold: told.includes(report.key) }))
  }

  /** A node that is new, or has not made such reports by itself until now, makes none for the time before. */
  #begin(): void {
    const { schedule, kind: ofPeriods } = this.#settings
    const { since: before, kind: kindBefore } = this.#saved
    const kind = schedule ? `${schedule.every} ${ofPeriods}` : undefined
    const isOther = kindBefore !== undefined && kindBefore !== kind
    const begin = (isOther ? null : before) ?? this.#deployedAt
    const since = schedule ? Math.min(begin, this.#clock.now()) : null
    // A node that makes none by itself has nothing to save.
    if (since === before && kind === kindBefore) return
    this.#saved = { ...this.#saved, since, kind }
    this.#state.save()
  }

  async #change(changed: Partial<SavedReports>): Promise<void> {
    this.#saved = { ...this.#saved, ...changed }
    this.#state.save()
    await this.#state.written()
  }
}
