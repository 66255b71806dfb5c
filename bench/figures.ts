/** Statistics of several runs. */

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

export interface Spread {
  median: number
  /** The quartiles: half of the values are between these two. */
  low: number
  high: number
  max: number
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  // Between two values where there are few.
  const at = (share: number) => {
    const place = share * (sorted.length - 1)
    const [below = Number.NaN, above = below] = sorted.slice(Math.floor(place))
    return below + (above - below) * (place % 1)
  }
  return { median: median(values), low: at(0.25), high: at(0.75), max: at(1) }
}
