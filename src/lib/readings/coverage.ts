/**
 * Which part of a period was measured (docs/messages.md, *Statistics*), by the times of the values alone, so that it
 * is right if the recording interval changes.
 */

/** From inclusive, to exclusive; ms since 1970 UTC. */
export interface Span {
  from: number
  to: number
}

/** A time that was not measured, and the usual step beside it, ms. */
export interface Unmeasured extends Span {
  step: number
}

/** A longer step than this many usual ones does not count as measured. */
const MAX_STEPS = 1.9

/** With fewer values, it is not known how long a step usually is. */
const MIN_VALUES = 3

/**
 * The times of a period that were not measured, in order; `undefined` if it cannot be known. A step between two values
 * is one if it is longer than 1.9 usual steps: the shorter of the two before it or of the two after it, whichever is
 * longer. So are the steps from the beginning to the first value and from the last one to the end.
 * @param times of the values in the period, in order, ms since 1970 UTC
 */
export function findUnmeasured(times: readonly number[], { from, to }: Span): Unmeasured[] | undefined {
  if (times.length === 0) return [{ from, to, step: to - from }]
  const different = times.filter((time, index) => time !== times[index - 1])
  if (different.length < MIN_VALUES) return undefined
  const gaps: Unmeasured[] = []
  const last = different.length - 1
  /** The step after a value; infinite if it is the last one, or before the first. */
  const stepAfter = (index: number) =>
    index < 0 || index >= last
      ? Number.POSITIVE_INFINITY
      : (different[index + 1] as number) - (different[index] as number)
  const usualFrom = (one: number, other: number) => Math.min(stepAfter(one), stepAfter(other))
  const add = (begin: number, end: number, step: number) => {
    if (end - begin > MAX_STEPS * step) gaps.push({ from: begin, to: end, step })
  }
  add(from, different[0] as number, usualFrom(0, 1))
  for (let index = 0; index < last; index++) {
    const before = usualFrom(index - 1, index - 2)
    const after = usualFrom(index + 1, index + 2)
    const usual = Math.max(before, after)
    const isKnown = usual !== Number.POSITIVE_INFINITY
    add(different[index] as number, different[index + 1] as number, isKnown ? usual : Math.min(before, after))
  }
  add(different[last] as number, to, usualFrom(last - 1, last - 2))
  return gaps
}

/** The share of parts of a period that was measured. */
export class Coverage {
  readonly #gaps: readonly Unmeasured[] | undefined
  #next = 0

  constructor(gaps: readonly Unmeasured[] | undefined) {
    this.#gaps = gaps
  }

  /**
   * In percent with one decimal; `null` if it cannot be known. Parts must be asked for in order.
   * @param part a part of the period
   */
  of({ from, to }: Span): number | null {
    const gaps = this.#gaps
    if (!gaps || to <= from) return null
    while ((gaps[this.#next]?.to ?? to) <= from) this.#next++
    let unmeasured = 0
    for (let index = this.#next; (gaps[index]?.from ?? to) < to; index++) {
      const gap = gaps[index] as Unmeasured
      unmeasured += Math.min(to, gap.to) - Math.max(from, gap.from)
    }
    return Math.round(1000 * (1 - unmeasured / (to - from))) / 10
  }
}
