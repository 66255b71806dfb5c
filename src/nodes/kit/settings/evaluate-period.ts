import { type Period, readRelativeTime, readTimeInput } from '../../../lib/collect/period'
import { EnvlogError } from '../../../lib/errors'
import { type FromType, type PeriodType, readCalendarPeriod } from '../../../shared/period'
import { type Evaluate, formatTypedInput } from './typed-input'

interface PeriodSettings {
  from: string
  fromType: FromType
  to: string
  toType: PeriodType
}

/**
 * The period named by the settings or the message. A blank start is 24 hours ago, a blank end is now. If the start is a
 * calendar period, it determines the end too.
 * @param now ms since 1970 UTC
 * @throws EnvlogError `time-unreadable` with the property
 */
export async function evaluatePeriod(
  { from, fromType, to, toType }: PeriodSettings,
  now: number,
  evaluate: Evaluate,
): Promise<Period> {
  /** The value of a typed input, and its name in errors. */
  async function evaluated(value: string, type: FromType, property: string): Promise<[unknown, string]> {
    if (type === 'calendar' || type === 'rel' || type === 'date') return [value, property]
    const source = formatTypedInput(value, type)
    const found = await evaluate(value, type).catch(() => {
      throw new EnvlogError('time-unreadable', { property: source })
    })
    return [found, source]
  }
  const toTimeInput = (type: FromType, found: unknown, source: string) =>
    type === 'rel' ? readRelativeTime(String(found), now, source) : readTimeInput(found, source)

  const [begin, type] = from.trim() === '' ? (['-24h', 'rel'] as const) : ([from, fromType] as const)
  const [found, source] = await evaluated(begin, type, 'from')
  const calendar = readCalendarPeriod(found)
  if (calendar) return { calendar, now }
  return {
    from: toTimeInput(type, found, source),
    to: to.trim() === '' ? { instant: now } : toTimeInput(toType, ...(await evaluated(to, toType, 'to'))),
  }
}
