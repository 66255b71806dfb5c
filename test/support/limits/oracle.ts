/**
 * An independent statement of the rule by which values are judged (docs/limits.md, *Judging*): it searches the whole
 * series for maximal runs.
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

/** An alarm in a series: its beginning, its first value inside (`null` if it lasts), and the side that raised it. */
export interface OracleAlarm {
  from: number
  until: number | null
  condition: 'above' | 'below'
}

/** @param values in the order of their times */
export function findAlarms(values: readonly OracleValue[], limit: OracleLimit): OracleAlarm[] {
  const { above, below, minutes, margin } = limit
  const isOutside = ({ value }: OracleValue) =>
    (above !== null && value > above) || (below !== null && value < below)
  const isInsideByMargin = ({ value }: OracleValue) =>
    (above === null || value <= above - margin) && (below === null || value >= below + margin)
  const alarms: OracleAlarm[] = []
  let rest = values
  while (rest.some(isOutside)) {
    rest = rest.slice(rest.findIndex(isOutside))
    const from = (rest[0] as OracleValue).time
    const endOfRun = indexIn(rest, (value) => !isOutside(value))
    const raised = rest.slice(0, endOfRun).find(({ time }) => time >= from + minutes * 60_000)
    if (!raised) {
      rest = rest.slice(endOfRun)
      continue
    }
    const end = indexIn(rest, (value) => value.time > raised.time && isInsideByMargin(value))
    const condition = above !== null && raised.value > above ? 'above' : 'below'
    alarms.push({ from, until: rest[end]?.time ?? null, condition })
    rest = rest.slice(end)
  }
  return alarms
}

/** The index of the first value of a kind, or the end. */
function indexIn(values: readonly OracleValue[], isWanted: (value: OracleValue) => boolean): number {
  const index = values.findIndex(isWanted)
  return index < 0 ? values.length : index
}
