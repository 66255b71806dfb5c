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
  let next = 0
  while (next < values.length) {
    const [first] = values.slice(next).filter(isOutside)
    if (!first) break
    const begin = values.indexOf(first)
    const afterBegin = values.slice(begin)
    const endOfRun = afterBegin.findIndex((value) => !isOutside(value))
    const run = endOfRun < 0 ? afterBegin : afterBegin.slice(0, endOfRun)
    const raised = run.find(({ time }) => time >= first.time + minutes * 60_000)
    if (raised) {
      const end = values.findIndex((value) => value.time > raised.time && isInsideByMargin(value))
      const condition = above !== null && raised.value > above ? 'above' : 'below'
      alarms.push({ from: first.time, until: values[end]?.time ?? null, condition })
      if (end < 0) break
      next = end + 1
    } else if (endOfRun < 0) break
    else next = begin + endOfRun + 1
  }
  return alarms
}
