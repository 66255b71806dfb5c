/**
 * An independent statement of the rule by which values are judged (docs/judging.md, *Values*): it searches the whole
 * series, in the order of the times, for one run after the other.
 */

export interface OracleLimit {
  above: number | null
  below: number | null
  minutes: number
  margin: number
}

export interface OracleValue {
  /** ms since 1970 UTC. */
  time: number
  value: number
}

export type Side = 'above' | 'below'

/** An alarm in a series: its beginning, its first value inside (`null` if it lasts), its side and its furthest value. */
export interface OracleAlarm {
  from: number
  until: number | null
  condition: Side
  extreme: number
}

/** Successive values outside on one side. */
export interface OracleRun extends OracleAlarm {
  isAlarm: boolean
}

/** @param values in the order of their times, without missing ones, because these neither end nor lengthen a run */
export function findAlarms(values: readonly OracleValue[], limit: OracleLimit): OracleAlarm[] {
  return findRuns(values, limit)
    .filter(({ isAlarm }) => isAlarm)
    .map(({ isAlarm: _, ...alarm }) => alarm)
}

/** All runs, also those that are too short for an alarm. */
export function findRuns(values: readonly OracleValue[], limit: OracleLimit): OracleRun[] {
  const runs: OracleRun[] = []
  let next = 0
  while (next < values.length) {
    const first = values[next] as OracleValue
    const side = sideOf(first.value, limit)
    if (side === null) {
      next++
      continue
    }
    const { end, isAlarm } = endOf(values, next, side, limit)
    const outside = values.slice(next, end).map(({ value }) => value)
    const extreme = side === 'above' ? Math.max(...outside) : Math.min(...outside)
    runs.push({ from: first.time, until: values[end]?.time ?? null, condition: side, extreme, isAlarm })
    next = end
  }
  return runs
}

/**
 * Where a run ends.
 *
 * - While it is pending: with the first value that is not outside on its side.
 * - It is an alarm from the first value that was measured at least `minutes` after its beginning.
 * - Then it ends with the first value that is inside its own limit by `margin`, or outside on the other side.
 */
function endOf(values: readonly OracleValue[], begin: number, side: Side, limit: OracleLimit) {
  const due = (values[begin] as OracleValue).time + limit.minutes * 60_000
  let end = begin
  while (end < values.length && sideOf(valueAt(values, end), limit) === side) {
    if ((values[end] as OracleValue).time >= due) {
      while (end < values.length && !endsAlarm(valueAt(values, end), side, limit)) end++
      return { end, isAlarm: true }
    }
    end++
  }
  return { end, isAlarm: false }
}

const valueAt = (values: readonly OracleValue[], index: number) => (values[index] as OracleValue).value

function sideOf(value: number, { above, below }: OracleLimit): Side | null {
  if (above !== null && value > above) return 'above'
  return below !== null && value < below ? 'below' : null
}

function endsAlarm(value: number, side: Side, limit: OracleLimit): boolean {
  const { above, below, margin } = limit
  if (side === 'above') return value <= (above as number) - margin || sideOf(value, limit) === 'below'
  return value >= (below as number) + margin || sideOf(value, limit) === 'above'
}
