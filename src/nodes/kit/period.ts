import type { Node, NodeAPI, NodeMessage } from 'node-red'
import { type Moment, type Period, readMoment, relativeMoment } from '../../lib/collect/period'
import { EnvlogError } from '../../lib/errors'
import type { PeriodType } from '../../shared/action'

/** One end of a period as it is saved. */
interface End {
  value: string
  type: PeriodType
  property: string
  /** What blank means. */
  blank: Moment
}

/** @throws EnvlogError `time-unreadable` naming the property */
export async function periodFrom(
  settings: { from: string; fromType: PeriodType; to: string; toType: PeriodType },
  now: number,
  evaluate: (value: string, type: PeriodType) => Promise<unknown>,
): Promise<Period> {
  const end = async ({ value, type, property, blank }: End): Promise<Moment> => {
    if (value.trim() === '') return blank
    if (type === 'rel') return relativeMoment(value, now, property)
    if (type === 'date') return readMoment(value, property)
    return readMoment(await evaluate(value, type), `${type}.${value}`)
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

/** A value from the message, a context, the environment or JSONata. @throws EnvlogError `time-unreadable` */
export function evaluator(RED: NodeAPI, node: Node, msg: NodeMessage) {
  return async (value: string, type: string): Promise<unknown> => {
    try {
      return await new Promise((resolve, reject) => {
        RED.util.evaluateNodeProperty(value, type, node as never, msg as never, (error, result) => {
          if (error) reject(error)
          else resolve(result)
        })
      })
    } catch {
      throw new EnvlogError('time-unreadable', { property: `${type}.${value}` })
    }
  }
}
