import { linkAbort } from '../abort'
import { concernsOneDevice, EnvlogError, mayConcernOneDevice } from '../errors'

/** So many ambiguous failures in a row are no longer the items' own. */
const MAX_AMBIGUOUS_IN_A_ROW = 3

/**
 * Works on items concurrently, in their order. An item's own failure is reported, and the others go on; a failure of
 * the account ends all. An ambiguous failure may be either, so it is held back: it is the item's own once another item
 * succeeds, and the account's where several in a row fail so or none succeeds. After an ambiguous failure the next item
 * is the last one that is not suspect. A suspect item may fail so again once any other has succeeded.
 * @param failed reports an item's own failure
 * @param isSuspect whether the last failure of an item was ambiguous
 * @throws EnvlogError the failure of the account; `closed` where the signal is aborted
 */
export async function forEachConcurrent<T>(
  items: readonly T[],
  concurrency: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
  failed: (item: T, error: EnvlogError) => void,
  isSuspect: (item: T) => boolean = () => false,
): Promise<void> {
  const inner = linkAbort(signal)
  const waiting = [...items]
  const failures = createFailures(concurrency, failed, () => inner.abort())

  function takeNext(): T {
    const index = failures.hasAmbiguous() ? waiting.findLastIndex((item) => !isSuspect(item)) : 0
    return waiting.splice(Math.max(0, index), 1)[0] as T
  }

  async function worker(): Promise<void> {
    while (waiting.length > 0 && !failures.isFatal() && !signal.aborted) {
      const item = takeNext()
      // The work may change it.
      const wasSuspect = isSuspect(item)
      try {
        await work(item, inner.signal)
        failures.succeed()
      } catch (error) {
        failures.add(item, error, wasSuspect)
      }
    }
  }

  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  } finally {
    inner.release()
  }
  if (signal.aborted) throw new EnvlogError('closed')
  failures.finish()
}

/** Distinguishes failures of items from those of the account. */
function createFailures<T>(
  concurrency: number,
  report: (item: T, error: EnvlogError) => void,
  abort: () => void,
) {
  // Items that are worked on concurrently began before one that is not suspect could be chosen.
  const max = Math.max(MAX_AMBIGUOUS_IN_A_ROW, concurrency + 1)
  let ambiguous: { item: T; error: EnvlogError }[] = []
  let fatal: unknown
  let hasSucceeded = false

  function end(error: unknown): void {
    fatal ??= error
    // The answers of the others are still wanted, because their quota is used already.
    if (!isShortOfQuota(error)) abort()
  }

  function reportAmbiguous(): void {
    for (const { item, error } of ambiguous) report(item, error)
    ambiguous = []
  }

  return {
    hasAmbiguous: () => ambiguous.length > 0,
    isFatal: () => fatal !== undefined,
    succeed() {
      hasSucceeded = true
      reportAmbiguous()
    },
    add(item: T, error: unknown, wasSuspect: boolean) {
      if (!(error instanceof EnvlogError)) return end(error)
      const isAmbiguous = mayConcernOneDevice(error)
      if (concernsOneDevice(error) || (isAmbiguous && hasSucceeded && wasSuspect)) return report(item, error)
      if (!isAmbiguous) return end(error)
      ambiguous.push({ item, error })
      if (ambiguous.length === max) end(error)
    },
    /** @throws EnvlogError the failure of the account */
    finish() {
      if (fatal !== undefined) throw fatal
      if (hasSucceeded) reportAmbiguous()
      const [first] = ambiguous
      if (first) throw first.error
    },
  }
}

function isShortOfQuota(error: unknown): boolean {
  return error instanceof EnvlogError && error.code === 'ENVLOG_QUOTA'
}
