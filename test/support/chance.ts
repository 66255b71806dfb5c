/**
 * Random numbers for the tests, the same in each run.
 *
 * - `SEED`: other numbers: an integer from 0, or `random`
 * - `LONG=1`: as in `npm run test:long`
 * - `RUNS`: how often a model runs
 */
import { seedFrom } from '../../simulator/random'

const { env } = process

export const isLong = env.LONG === '1'

if (env.SEED === 'random') env.SEED = String(Date.now() % 0x8000_0000)
// All processes of the run inherit it.
env.SEED ??= '1'
export const seed = Number(env.SEED)
export const isOwnSeed = seed !== 1

/** How often a model runs: a quarter of the usual number in the long tests, a fortieth in `npm test`. */
export const runs = (usual: number): number => Number(env.RUNS ?? Math.ceil(isLong ? usual / 4 : usual / 40))

/** A pseudo-random generator. @param start the seed */
export function createRandom(start: number | string) {
  let state = typeof start === 'string' ? seedFrom(start) : start >>> 0
  /** 0 ≤ x < 1 (mulberry32). */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    /** An integer from 0 (inclusive) to the end (exclusive). */
    below: (end: number) => Math.floor(next() * end),
    chance: (share: number) => next() < share,
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
    /** Between the two; every order of magnitude is equally likely. */
    between: (min: number, max: number) => min * (max / min) ** next(),
    shuffled: <T>(items: readonly T[]): T[] =>
      items
        .map((item) => ({ item, place: next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ item }) => item),
  }
}

export type Random = ReturnType<typeof createRandom>
