/** Without record numbers, fewer records do not show whether others are missing between them. */
const MIN_UNNUMBERED = 10

/**
 * The recording interval of a device in ms: the median time between consecutive records. If the record numbers show that
 * some are missing in between, the time is divided. `null` if it cannot be known.
 * @param records with a time, in order
 */
export function recordingInterval(
  records: readonly { timestamp: number | null; dataId: number | null }[],
): number | null {
  const isNumbered = records.some(({ dataId }) => dataId)
  if (!isNumbered && records.length < MIN_UNNUMBERED) return null
  const intervals: number[] = []
  records.forEach(({ timestamp, dataId }, index) => {
    const before = records[index - 1]
    if (!before) return
    const ms = (timestamp as number) - (before.timestamp as number)
    // Numbers may start over.
    const steps = Math.max(1, (dataId ?? 0) - (before.dataId ?? 0))
    if (ms > 0) intervals.push(ms / steps)
  })
  intervals.sort((a, b) => a - b)
  return intervals[(intervals.length - 1) >> 1] ?? null
}
