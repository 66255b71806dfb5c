import { type Target, targetKey } from './devices'

/**
 * Which device a node asked longest ago: that one goes first, so that a round which the quota cuts short goes
 * on where it stopped (nodes.md, *Quota*: turns).
 */
export interface Round {
  /** Targets in the order they are to be asked: those never asked first, as they were named. */
  order(targets: readonly Target[]): Target[]
  /** @param isDoubtful it failed in a way that may be its own, or everybody's */
  asked(target: Target, isDoubtful?: boolean): void
  /** Whether it failed so when it was asked last. */
  isDoubtful(target: Target): boolean
  /** A device that is no more. */
  drop(key: string): void
  /** Keys of targets, the one asked longest ago first. */
  save(): string[]
  load(keys: readonly string[]): void
}

export function createRound(): Round {
  /** In the order of asking: who is asked again goes to the end. */
  const asked = new Set<string>()
  const doubtful = new Set<string>()
  return {
    order(targets) {
      const turns = new Map([...asked].map((key, index) => [key, index + 1]))
      const turn = (target: Target) => turns.get(targetKey(target)) ?? 0
      return [...targets].sort((a, b) => turn(a) - turn(b))
    },
    asked(target, isDoubtful = false) {
      const key = targetKey(target)
      asked.delete(key)
      asked.add(key)
      if (isDoubtful) doubtful.add(key)
      else doubtful.delete(key)
    },
    isDoubtful: (target) => doubtful.has(targetKey(target)),
    drop(key) {
      asked.delete(key)
      doubtful.delete(key)
    },
    save: () => [...asked],
    load(keys) {
      const since = [...asked]
      asked.clear()
      for (const key of [...keys, ...since]) {
        asked.delete(key)
        asked.add(key)
      }
    },
  }
}
