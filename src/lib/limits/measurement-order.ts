import type { MeasuredValue } from './measurements'

/** Measurements in the order of their times; of one time, those with a value first. */
export function inOrder(values: readonly MeasuredValue[]): readonly MeasuredValue[] {
  if (values.length < 2) return values
  // Nearly always they are, and to see that is ten times as fast as to sort them.
  const isSorted = values.every(
    (value, index) => index === 0 || compare(values[index - 1] as MeasuredValue, value) <= 0,
  )
  return isSorted ? values : values.toSorted(compare)
}

const compare = (a: MeasuredValue, b: MeasuredValue) =>
  a.time - b.time || Number(a.value === null) - Number(b.value === null)

/** The usual pause between three measurements or more: the median, so that two that are a second apart do not count. */
export function usualPauseOf(values: readonly MeasuredValue[]): number | undefined {
  if (values.length < 3) return undefined
  const pauses: number[] = []
  for (let index = 1; index < values.length; index++) {
    const pause = (values[index] as MeasuredValue).time - (values[index - 1] as MeasuredValue).time
    if (pause > 0) pauses.push(pause)
  }
  if (pauses.length < 2) return undefined
  pauses.sort((a, b) => a - b)
  const middle = pauses.length / 2
  const [lower, upper] = [pauses[Math.ceil(middle) - 1] as number, pauses[Math.floor(middle)] as number]
  return (lower + upper) / 2
}
