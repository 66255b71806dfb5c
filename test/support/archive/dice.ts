import { chance, seedFrom } from '../../../simulator/random'

/** Chance that a seed repeats. */
export interface Dice {
  seed: string
  /** From 0 up to, not including, 1. */
  next(): number
  /** Between the two, small ones as likely as great ones by order of magnitude. */
  between(least: number, most: number): number
  shuffled<T>(items: readonly T[]): T[]
}

export function createDice(seed: string): Dice {
  const start = seedFrom(seed)
  let thrown = 0
  const next = () => chance(start, thrown++)
  return {
    seed,
    next,
    between: (least, most) => least * (most / least) ** next(),
    shuffled: (items) =>
      items
        .map((item) => ({ item, place: next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ item }) => item),
  }
}
