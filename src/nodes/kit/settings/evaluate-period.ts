import { type Period, readRelativeTime, readTimeInput } from '../../../lib/collect/place-period'
import { type FromType, type PeriodType, readCalendarPeriod } from '../../../shared/period-types'
import { type Evaluate, formatTypedInput } from './typed-input'

interface PeriodSettings {
  from: string
  fromType: FromType
  to: string
  toType: PeriodType
}

/**
 * Determines the period from the settings or the message. A blank start means 24 hours ago; a blank end means now. If
 * the start is a calendar period, it also determines the end.
 * @param now ms since 1970 UTC
 * @throws EnvlogError `time-unreadable` with the property
 */
export async function evaluatePeriod(
  { from, fromType, to, toType }: PeriodSettings,
  now: number,
  evaluate: Evaluate,
): Promise<Period> {
  /** The value of a typed input, and its name in errors. */
  async function evaluateInput(value: string, type: FromType, property: string): Promise<[unknown, string]> {
    if (type === 'calendar' || type === 'rel' || type === 'date') return [value, property]
    return [await evaluate(value, type), formatTypedInput(value, type)]
  }
  const toTimeInput = (type: FromType, input: unknown, source: string) =>
    type === 'rel' ? readRelativeTime(String(input), now, source) : readTimeInput(input, now, source)

  const [start, type] = from.trim() === '' ? (['-24h', 'rel'] as const) : ([from, fromType] as const)
  const [input, source] = await evaluateInput(start, type, 'from')
  const calendar = readCalendarPeriod(input)
  if (calendar) return { calendar, now }
  return {
    from: toTimeInput(type, input, source),
    to: to.trim() === '' ? { instant: now } : toTimeInput(toType, ...(await evaluateInput(to, toType, 'to'))),
  }
}
