import { childOf } from '../abort'
import { concernsOneDevice, EnvlogError } from '../errors'

/**
 * Works on items side by side, so many at a time, in their order. An item's own failure is told and the others
 * go on; a failure of the account ends all of them.
 * @throws EnvlogError the failure of the account
 */
export async function eachOf<T>(
  items: readonly T[],
  concurrency: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
  failed: (item: T, error: EnvlogError) => void,
): Promise<void> {
  const inner = childOf(signal)
  let next = 0
  let fatal: unknown

  const worker = async () => {
    while (next < items.length && fatal === undefined && !signal.aborted) {
      const item = items[next++] as T
      try {
        await work(item, inner.signal)
      } catch (error) {
        if (error instanceof EnvlogError && concernsOneDevice(error)) failed(item, error)
        else {
          fatal ??= error
          // What was spent on the others is spent: their answers are wanted.
          if (!isShortOfQuota(error)) inner.abort()
        }
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
}

function isShortOfQuota(error: unknown): boolean {
  return error instanceof EnvlogError && error.code === 'ENVLOG_QUOTA'
}
