/** How long a permit is occupied after the response (docs/quota.md), ms: a second implementation, to detect errors. */
export const expectedOccupiedMs = (window: number) => window * 1000 + Math.min(1000, (window * 1000) / 50)

/** When a client that knows everything and obeys the rule sends its requests, given their latencies. */
export function idealSendTimes(
  { limit, window, concurrency }: { limit: number; window: number; concurrency: number },
  latencies: readonly number[],
): number[] {
  const connections = Array.from({ length: concurrency }, () => 0)
  const permits = Array.from({ length: limit }, () => 0)
  return latencies.map((latency) => {
    const at = Math.max(least(connections), least(permits))
    replaceLeast(connections, at + latency)
    replaceLeast(permits, at + latency + expectedOccupiedMs(window))
    return at
  })
}

const least = (list: readonly number[]) => Math.min(...list)
function replaceLeast(list: number[], value: number): void {
  list[list.indexOf(least(list))] = value
}
