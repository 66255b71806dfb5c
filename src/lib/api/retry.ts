const BASE_DELAY_MS = 1000
const MAX_DELAY_MS = 30_000

/**
 * Delay before retry `retry`, counted from 0: min(30 s, 1 s · 2^retry), ± 50 % jitter.
 * @param random 0 ≤ random < 1
 */
export function retryDelayMs(retry: number, random: number): number {
  return Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** retry) * (0.5 + random)
}
