import * as z from 'zod/mini'
import { flag, nodeProperties, orDefault, text, usedIf } from './schema'

/** Settings of envlog-alarms, for its form and its runtime (docs/limits.md). */

export const ALARMS_OUTPUTS = ['text', 'event', 'states', 'summary'] as const
export const ALARMS_SENDS = ['each', 'all'] as const

/** The saved properties of envlog-alarms. */
export const alarmsSchema = usedIf(
  z.object({
    ...nodeProperties,
    limits: orDefault(text, ''),
    output: orDefault(z.enum(ALARMS_OUTPUTS), 'text'),
    send: orDefault(z.enum(ALARMS_SENDS), 'each'),
    latch: orDefault(flag, false),
  }),
  {
    send: ({ output }) => output !== 'states' && output !== 'summary',
    latch: ({ output }) => output === 'states',
  },
)
export type AlarmsSettings = z.output<typeof alarmsSchema>
