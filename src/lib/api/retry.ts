const FIRST_MS = 1000
const LONGEST_MS = 30_000

/** Wait before try number `tries + 2`: doubling from a second, spread over half of itself either way. */
export function retryDelayMs(tries: number, random: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** tries) * (0.5 + random)
}
