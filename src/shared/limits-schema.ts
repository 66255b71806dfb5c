import * as z from 'zod/mini'
import { MAX_CHANNEL } from './action'
import { groupName, namedDevice } from './action-schemas'
import type { Problem } from './problems'
import { QUANTITIES, TEMPERATURE_UNITS } from './quantity'
import {
  checked,
  flag,
  hasEnvVariable,
  MAX_MINUTES,
  MAX_TYPED_INPUT,
  nodeProperties,
  numberFrom,
  orDefault,
  orDefaultIfAbsent,
  serial,
  text,
  toProblem,
  trimmedText,
  wholeMinutes,
  wholeMinutesOrNull,
  wholeNumber,
} from './schema'

/** Settings of envlog-limits, for its form and its runtime (docs/limits.md). */

/** Names of conditions in events. */
export const CONDITIONS = ['above', 'below', 'error', 'silent', 'battery', 'no-data', 'no-match'] as const
export type ConditionName = (typeof CONDITIONS)[number]

export const LIMIT_SELECTS = ['all', 'list', 'base', 'group'] as const
/** Where the rows are: in the form, or in a value that is read for each message of measurements. */
export const LIMITS_TYPES = ['table', 'global', 'env'] as const

/** A limit must not have one of these names, which topics contain in place of its name. */
const RESERVED: readonly string[] = [...CONDITIONS, 'limit']

export const MAX_LIMITS = 1000
const MAX_NAME_LENGTH = 100

const limitName = trimmedText.check(
  checked((name) => {
    if (name.length > MAX_NAME_LENGTH) return { problem: 'too-long', most: MAX_NAME_LENGTH }
    return RESERVED.includes(name) ? { problem: 'limit-name', value: name } : undefined
  }),
)

/**
 * A row of the form: a limit for the values of some channels (docs/limits.md, *Limits*). With a misspelt property, it
 * would be another limit.
 */
const limit = z.strictObject({
  name: orDefault(limitName, ''),
  select: orDefault(z.enum(LIMIT_SELECTS), 'all'),
  devices: orDefault(z.array(namedDevice), []),
  bases: orDefault(z.array(serial), []),
  groups: orDefault(z.array(groupName), []),
  /** Either a quantity or a channel number. If both are blank, it is the temperature. */
  quantity: orDefault(z.nullable(z.enum(QUANTITIES)), null),
  channel: orDefault(z.nullable(wholeNumber(1, MAX_CHANNEL)), null),
  above: orDefault(z.nullable(numberFrom(Number.NEGATIVE_INFINITY)), null),
  below: orDefault(z.nullable(numberFrom(Number.NEGATIVE_INFINITY)), null),
  /** The unit of `above`, `below` and `margin` for temperatures. */
  unit: orDefault(z.enum(TEMPERATURE_UNITS), 'C'),
  minutes: orDefault(numberFrom(0), 0),
  margin: orDefault(numberFrom(0), 0),
})
export type Limit = z.output<typeof limit>

const NUMBERS = ['channel', 'above', 'below', 'minutes', 'margin']

/**
 * A saved row for the form, which may be damaged: a property that cannot be read has its default. One with an environment
 * variable stays as it is, and so does a wrong number, because without it the limit would be another one.
 */
export function repairLimit(saved: unknown): Limit {
  const properties = Object.entries(limit.shape).map(([name, property]) => {
    const value = Object(saved)[name]
    const result = z.safeParse(property as z.ZodMiniType, value)
    const isWrongNumber = NUMBERS.includes(name) && typeof value === 'string' && !result.success
    if (hasEnvVariable(value) || isWrongNumber) return [name, value]
    return [name, result.success ? result.data : z.parse(property as z.ZodMiniType, undefined)]
  })
  return Object.fromEntries(properties)
}

/** The problem of a limit whose properties do not fit together, and the property at which the form shows it. */
function findConflict(found: Limit): [property: keyof Limit, Problem['problem']] | undefined {
  const { select, devices, bases, groups, quantity, channel, above, below, margin } = found
  if (select === 'list' && devices.length + bases.length === 0) return ['devices', 'no-devices']
  if (select === 'base' && bases.length === 0) return ['bases', 'no-bases']
  if (select === 'group' && groups.length === 0) return ['groups', 'no-groups']
  if (quantity !== null && channel !== null) return ['channel', 'limit-either']
  if (above === null && below === null) return ['above', 'limit-blank']
  if (above === null || below === null) return undefined
  if (above <= below) return ['above', 'limit-order']
  // 5.6 - 5.4 is a little less than 0.2.
  const excess = Math.round((2 * margin - (above - below)) * 1e9)
  return excess > 0 ? ['margin', 'limit-margin'] : undefined
}

/** Whether a limit applies to all channels of another one below it, which therefore never applies. */
export const covers = (above: Limit, below: Limit) =>
  above.select === 'all' &&
  above.name === below.name &&
  above.channel === below.channel &&
  quantityOf(above) === quantityOf(below)

const quantityOf = ({ channel, quantity }: Limit) => (channel === null ? (quantity ?? 'temperature') : null)

/** Rows are compared with each other, so their number is checked before. */
const rows = z
  .array(z.unknown())
  .check(
    checked(({ length }) => (length > MAX_LIMITS ? { problem: 'limits-many', most: MAX_LIMITS } : undefined)),
  )

const comparedRows = z.array(limit).check(({ value, issues }) => {
  for (const [row, found] of value.entries()) {
    const isCovered = value.slice(0, row).some((above) => covers(above, found))
    const [property, problem] = findConflict(found) ?? (isCovered ? ['name', 'limit-covered'] : [])
    if (property) issues.push({ code: 'custom', input: found, path: [row, property], params: { problem } })
  }
})

const limits = z.pipe(rows, comparedRows)

/** The problem of the list itself (`limits`), or of a property of a row (`limits`, row and property, with dots). */
export interface LimitProblem {
  property: string
  problem: Problem
}

/** A row that names devices or groups is about these, also if it does not say how they are selected. */
function withSelect(row: unknown): unknown {
  const { select, devices, bases, groups } = Object(row) as Partial<Record<keyof Limit, unknown>>
  if (select !== undefined) return row
  const names = (list: unknown) => Array.isArray(list) && list.length > 0
  if (names(devices) || names(bases)) return { ...Object(row), select: 'list' }
  return names(groups) ? { ...Object(row), select: 'group' } : row
}

/** Reads rows, which may come from the context or the environment. */
export function readLimits(value: unknown): readonly Limit[] | LimitProblem {
  const result = z.safeParse(limits, Array.isArray(value) ? value.map(withSelect) : value)
  if (result.success) return result.data
  const [issue] = result.error.issues as [z.core.$ZodIssue]
  // Neither the list nor an element that is not an object has a property to name.
  if (issue.path.length < 2 && issue.code === 'invalid_type')
    return { property: 'limits', problem: { problem: 'limits-list' } }
  const property = ['limits', ...issue.path.slice(0, 2)].join('.')
  if (issue.code !== 'unrecognized_keys') return { property, problem: toProblem(issue) }
  const [unknown = ''] = issue.keys
  const choices = Object.keys(limit.shape).join(', ')
  return {
    property,
    problem: { problem: 'limit-unknown', value: unknown.slice(0, MAX_NAME_LENGTH), choices },
  }
}

/** Minutes; `null` if blank, for never. */
const minutesOrNever = (initial: number) => orDefaultIfAbsent(wholeMinutesOrNull(1, MAX_MINUTES), initial)

/** The saved properties of envlog-limits. The rows in `limits` are read by `readLimits`. */
export const limitsSchema = z.object({
  ...nodeProperties,
  account: orDefault(text, ''),
  limits: orDefaultIfAbsent(z.unknown(), [], MAX_TYPED_INPUT),
  limitsType: orDefault(z.enum(LIMITS_TYPES), 'table'),
  /** The rows of the form while `limitsType` is another type. Only the form uses them. */
  rows: orDefaultIfAbsent(z.unknown(), []),
  errorAfter: minutesOrNever(10),
  silentAfter: minutesOrNever(90),
  battery: orDefault(flag, true),
  remind: orDefault(wholeMinutes(0, MAX_MINUTES), 0),
})
export type LimitsSettings = z.output<typeof limitsSchema>
