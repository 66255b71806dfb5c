import { linkAbort } from '../abort'
import { concernsOneDevice, EnvlogError, isAmbiguous } from '../errors'

/** After this many ambiguous failures in a row, the account is assumed to be the cause. */
export const MAX_AMBIGUOUS_IN_A_ROW = 3

interface ItemWork<T> {
  /** @param passOn counts the item as successful, and starts the next one in its place, before it is complete */
  work(item: T, signal: AbortSignal, passOn: () => void): Promise<void>
  /** Reports a failure of a single item. */
  reportFailure(item: T, error: EnvlogError): void
  /** Whether an item failed ambiguously in the previous round. */
  hasFailedAmbiguously(item: T): boolean
}

/**
 * Processes items concurrently, in order. If a single item fails, this is reported and the others continue. If the
 * account fails, all items end. An ambiguous failure may be either, so its report is delayed. It is attributed to the
 * item once another item succeeds, and to the account if several items in a row fail ambiguously or none succeeds.
 * After an ambiguous failure, the next item is the last one that did not fail ambiguously in the previous round. If an
 * item has failed ambiguously in both, this is attributed to the item as soon as any other item has succeeded.
 * @throws EnvlogError the failure of the account; `closed` if the signal is aborted
 */
export async function forEachConcurrent<T>(
  items: readonly T[],
  concurrency: number,
  signal: AbortSignal,
  { work, reportFailure, hasFailedAmbiguously }: ItemWork<T>,
): Promise<void> {
  // A single item has no others to end.
  const inner = items.length > 1 ? linkAbort(signal) : undefined
  const waiting = [...items]
  // Concurrent items were started before the next item could be chosen.
  const max = Math.max(MAX_AMBIGUOUS_IN_A_ROW, concurrency + 1)
  const ambiguous: { item: T; error: EnvlogError }[] = []
  let hasSucceeded = false
  let fatal: unknown

  function end(error: unknown): void {
    fatal ??= error
    // If the quota is used up, requests in progress continue, because their quota is already used.
    if (!isShortOfQuota(error)) inner?.abort()
  }

  function fail(item: T, error: unknown, isRepeated: boolean): void {
    if (!(error instanceof EnvlogError)) end(error)
    else if (concernsOneDevice(error)) reportFailure(item, error)
    else if (!isAmbiguous(error)) end(error)
    else if (isRepeated && hasSucceeded) reportFailure(item, error)
    else if (ambiguous.push({ item, error }) === max) end(error)
  }

  function succeed(): void {
    hasSucceeded = true
    for (const { item, error } of ambiguous.splice(0)) reportFailure(item, error)
  }

  async function worker(): Promise<void> {
    let successor: Promise<void> | undefined
    const passOn = () => {
      succeed()
      successor ??= worker()
    }
    while (waiting.length > 0 && fatal === undefined && !signal.aborted && !successor) {
      const index = ambiguous.length > 0 ? waiting.findLastIndex((item) => !hasFailedAmbiguously(item)) : 0
      const item = waiting.splice(Math.max(0, index), 1)[0] as T
      // Read before `work`, which may change it.
      const isRepeated = hasFailedAmbiguously(item)
      try {
        await work(item, inner?.signal ?? signal, passOn)
        succeed()
      } catch (error) {
        fail(item, error, isRepeated)
      }
    }
    await successor
  }

  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  } finally {
    inner?.abort('done')
  }
  if (signal.aborted) throw new EnvlogError('closed')
  if (fatal !== undefined) throw fatal
  if (!hasSucceeded && ambiguous[0]) throw ambiguous[0].error
  for (const { item, error } of ambiguous) reportFailure(item, error)
}

export function isShortOfQuota(error: unknown): boolean {
  return error instanceof EnvlogError && error.code === 'ENVLOG_QUOTA'
}
