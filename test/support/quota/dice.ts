/** Numbers that look random and are the same for the same seed: one run is one seed. */
export function createDice(seed: number) {
  let state = seed >>> 0
  /** 0 ≤ x < 1 (mulberry32). */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    next,
    /** Whole, from 0 up to and without the end. */
    below: (end: number) => Math.floor(next() * end),
    chance: (share: number) => next() < share,
    pick: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
  }
}

export type Dice = ReturnType<typeof createDice>

/** So many runs of a model unless the environment asks for others. */
export const runs = (usual: number) => Number(process.env.RUNS ?? usual)
