import { linkAbort } from '../abort'
import { concernsOneDevice, EnvlogError, mayConcernOneDevice } from '../errors'

/** After this many ambiguous failures in a row, the account is assumed to be the cause. */
const MAX_AMBIGUOUS_IN_A_ROW = 3

/**
 * Processes items concurrently, in order. A failure of a single item is reported and the others continue; a failure of
 * the account ends all. An ambiguous failure may be either, so its report is delayed: it is attributed to the item once
 * another item succeeds, and to the account if several in a row fail ambiguously or none succeeds. After an ambiguous
 * failure, the next item is the last one that is not suspect. A suspect item may fail ambiguously again once any other
 * item has succeeded.
 * @param failed reports a failure of a single item
 * @param isSuspect whether the last failure of an item was ambiguous
 * @throws EnvlogError the failure of the account; `closed` if the signal is aborted
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
      // Read before `work`, which may change it.
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
  // Concurrent items were started before an item that is not suspect could be chosen.
  const max = Math.max(MAX_AMBIGUOUS_IN_A_ROW, concurrency + 1)
  let ambiguous: { item: T; error: EnvlogError }[] = []
  let fatal: unknown
  let hasSucceeded = false

  function end(error: unknown): void {
    fatal ??= error
    // The others' responses are still wanted, because their quota is already used.
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
