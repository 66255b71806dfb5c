import { type Period, readMoment, relativeMoment } from '../../../lib/collect/period'
import { EnvlogError } from '../../../lib/errors'
import type { PeriodType } from '../../../shared/action'
import type { Moment } from '../../../shared/moment'
import type { Evaluate } from './typed-input'

/** One end of a period as it is saved. */
interface End {
  value: string
  type: PeriodType
  property: string
  /** What blank means. */
  blank: Moment
}

/** @throws EnvlogError `time-unreadable` naming the property */
export async function evaluatePeriod(
  settings: { from: string; fromType: PeriodType; to: string; toType: PeriodType },
  now: number,
  evaluate: Evaluate,
): Promise<Period> {
  const end = async ({ value, type, property, blank }: End): Promise<Moment> => {
    if (value.trim() === '') return blank
    if (type === 'rel') return relativeMoment(value, now, property)
    if (type === 'date') return readMoment(value, property)
    const told = `${type}.${value}`
    const found = await evaluate(value, type).catch(() => {
      throw new EnvlogError('time-unreadable', { property: told })
    })
    return readMoment(found, told)
  }
  const { from, fromType, to, toType } = settings
  return {
    from: await end({
      value: from,
      type: fromType,
      property: 'from',
      blank: relativeMoment('-24h', now, 'from'),
    }),
    to: await end({ value: to, type: toType, property: 'to', blank: { instant: now } }),
  }
}
