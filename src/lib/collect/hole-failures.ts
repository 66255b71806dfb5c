import { DAY_MS } from '../../shared/local-clock'
import type { EnvlogError } from '../errors'
import type { Hole } from './holes'
import { Pause } from './pause'

/** A gateway may fail for hours, so a hole is given up only after its page has failed this often over this time. */
const GIVE_UP_AFTER = { count: 3, ms: DAY_MS }
/** After this many failures in a row because pages contradict each other, the records of the page are accepted. */
const MAX_CONTRADICTIONS = 2

/** The failures of a hole since a page of it was last received. Times are monotonic ms. */
export class HoleFailures {
  readonly #pause = new Pause()
  #count = 0
  #firstAt = 0
  #contradictions = 0

  /** Whether a page is accepted even if it contradicts its neighbour. */
  get acceptsContradiction(): boolean {
    return this.#contradictions >= MAX_CONTRADICTIONS
  }

  isPaused(now: number): boolean {
    return this.#pause.left(now) > 0
  }

  /** @returns after how many ms the page is requested again; `undefined` if the hole is given up */
  add(error: EnvlogError, now: number): number | undefined {
    if (this.#count === 0) this.#firstAt = now
    this.#count++
    this.#contradictions = error.reason === 'response-lacks-record' ? this.#contradictions + 1 : 0
    const isPersistent = this.#count >= GIVE_UP_AFTER.count && now - this.#firstAt >= GIVE_UP_AFTER.ms
    return isPersistent ? undefined : this.#pause.begin(now)
  }
}

/** The failures of a device's holes, which their beginnings identify. */
export class FailuresByHole {
  readonly #failures = new Map<number, HoleFailures>()

  /** @param holes all holes of the device; the failures of others are deleted */
  get({ from }: Hole, holes: readonly Hole[]): HoleFailures {
    const failures = this.#failures.get(from) ?? new HoleFailures()
    this.#failures.set(from, failures)
    const beginnings = new Set(holes.map((hole) => hole.from))
    for (const other of this.#failures.keys()) if (!beginnings.has(other)) this.#failures.delete(other)
    return failures
  }

  isPaused({ from }: Hole, now: number): boolean {
    return this.#failures.get(from)?.isPaused(now) ?? false
  }

  delete({ from }: Hole): void {
    this.#failures.delete(from)
  }

  clear(): void {
    this.#failures.clear()
  }
}
