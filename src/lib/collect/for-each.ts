import { childOf } from '../abort'
import { concernsOneDevice, EnvlogError, mayConcernOneDevice } from '../errors'
import { type Target, targetKey } from './devices'

/** So many items in a row fail as one alone may: then it is none of them. */
const MAX_IN_A_ROW = 3

/**
 * Works on items side by side, so many at a time, in their order. An item's own failure is reported and the others go
 * on; a failure of the account ends all of them. One that may be either is held back: it is the item's own where others
 * are answered, and the account's where three in a row fail so or none is answered. So the next after it is the last of
 * those that can be relied on; and who failed so the last time may do so again once any other was answered.
 * @param isDoubtful whether an item failed so the last time
 * @throws EnvlogError the failure of the account
 */
export async function eachOf<T>(
  items: readonly T[],
  concurrency: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
  failed: (item: T, error: EnvlogError) => void,
  isDoubtful: (item: T) => boolean = () => false,
): Promise<void> {
  const inner = childOf(signal)
  const left = [...items]
  // Those that are on their way side by side are asked before one that can be relied on.
  const most = Math.max(MAX_IN_A_ROW, concurrency + 1)
  let fatal: unknown
  let isAnyDone = false
  let held: { item: T; error: EnvlogError }[] = []
  const release = () => {
    for (const { item, error } of held) failed(item, error)
    held = []
  }

  const end = (error: unknown) => {
    fatal ??= error
    // What was spent on the others is spent: their answers are wanted.
    if (!isShortOfQuota(error)) inner.abort()
  }

  const next = (): T => {
    const reliable = held.length > 0 ? left.findLastIndex((item) => !isDoubtful(item)) : 0
    return left.splice(Math.max(0, reliable), 1)[0] as T
  }

  const worker = async () => {
    while (left.length > 0 && fatal === undefined && !signal.aborted) {
      const item = next()
      // Work may change it.
      const wasDoubtful = isDoubtful(item)
      try {
        await work(item, inner.signal)
        isAnyDone = true
        release()
      } catch (error) {
        if (error instanceof EnvlogError && concernsOneDevice(error)) failed(item, error)
        else if (error instanceof EnvlogError && mayConcernOneDevice(error)) {
          if (isAnyDone && wasDoubtful) {
            failed(item, error)
            continue
          }
          held.push({ item, error })
          if (held.length === most) end(error)
        } else end(error)
      }
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  } finally {
    inner.release()
  }
  if (signal.aborted) throw new EnvlogError('closed')
  if (fatal !== undefined) throw fatal
  if (isAnyDone) release()
  const [first] = held
  if (first) throw first.error
}

function isShortOfQuota(error: unknown): boolean {
  return error instanceof EnvlogError && error.code === 'ENVLOG_QUOTA'
}
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
