import { type Period, readMoment, relativeMoment } from '../../../lib/collect/period'
import { EnvlogError } from '../../../lib/errors'
import type { PeriodType } from '../../../shared/action'
import type { Moment } from '../../../shared/moment'
import { type Evaluate, formatTypedInput } from './typed-input'

interface PeriodSettings {
  from: string
  fromType: PeriodType
  to: string
  toType: PeriodType
}

/**
 * The period that the settings or the message name. A blank beginning is 24 hours ago, a blank end is now.
 * @param now ms since 1970 UTC
 * @throws EnvlogError `time-unreadable` with the property
 */
export async function evaluatePeriod(
  { from, fromType, to, toType }: PeriodSettings,
  now: number,
  evaluate: Evaluate,
): Promise<Period> {
  async function readEnd(value: string, type: PeriodType, property: string): Promise<Moment> {
    if (type === 'rel') return relativeMoment(value, now, property)
    if (type === 'date') return readMoment(value, property)
    const source = formatTypedInput(value, type)
    const found = await evaluate(value, type).catch(() => {
      throw new EnvlogError('time-unreadable', { property: source })
    })
    return readMoment(found, source)
  }
  return {
    from: from.trim() === '' ? relativeMoment('-24h', now, 'from') : await readEnd(from, fromType, 'from'),
    to: to.trim() === '' ? { instant: now } : await readEnd(to, toType, 'to'),
  }
}
