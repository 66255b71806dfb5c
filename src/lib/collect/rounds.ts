import type { Target } from './devices'

/**
 * Which device a node asked longest ago: that one goes first, so that a round which the quota cuts short goes
 * on where it stopped (nodes.md, *Quota*: turns). Kept by node, over deploys.
 */
export interface Round {
  /** Targets in the order they are to be asked: those never asked first, as they were named. */
  order(targets: readonly Target[]): Target[]
  asked(target: Target): void
}

export function createRound(): Round {
  const turns = new Map<string, number>()
  let last = 0
  const key = ({ serial, base }: Target) => `${base}/${serial}`
  const turn = (target: Target) => turns.get(key(target)) ?? 0
  return {
    order: (targets) => [...targets].sort((a, b) => turn(a) - turn(b)),
    asked(target) {
      turns.set(key(target), ++last)
    },
  }
}
