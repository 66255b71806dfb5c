const POWERS = Array.from({ length: 11 }, (_, exponent) => 10 ** exponent)

/**
 * How many decimals a number has.
 * @param least the fewest that are of interest @param most the most that are of interest, at most 10
 */
export function countDecimals(value: number, least: number, most: number): number {
  let decimals = least
  for (; decimals < most; decimals++) {
    const power = POWERS[decimals] as number
    if (Math.round(value * power) / power === value) break
  }
  return decimals
}
