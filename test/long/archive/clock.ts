import type { MovableClock } from '../../../simulator'

/** A clock that stands still, then runs `speed` times as fast as real time up to an instant, and stands still again. */
export interface FastClock extends MovableClock {
  begin(): void
  isOver(): boolean
}

export function fastClock({ from, until, speed }: { from: number; until: number; speed: number }): FastClock {
  let began: number | undefined
  const now = () => {
    if (began === undefined) return from
    return Math.min(until, from + (performance.now() - began) * speed)
  }
  return {
    now,
    advance: () => {},
    begin: () => {
      began = performance.now()
    },
    isOver: () => now() >= until,
  }
}
