import * as z from 'zod/mini'
import { isSerial } from './action'
import type { Problem } from './problems'

/**
 * Parts of the schemas for saved properties (docs/nodes.md), used by forms and runtime. A number may be saved as text,
 * a blank or absent value means the default, and unknown properties are ignored.
 */

/** The `version` saved with every node (docs/versions.md). */
export const SETTINGS_VERSION = 1

const isBlank = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/**
 * Longest text of a setting, in characters. It is checked before anything reads the text, because the time that an
 * expression takes may grow with the square of the length, and Node-RED does nothing else meanwhile.
 */
export const MAX_TEXT = 2000
/** Longest typed input, which may be an expression in JSONata. */
export const MAX_TYPED_INPUT = 100_000
/** Most elements of a list. */
export const MAX_ELEMENTS = 10_000

/** Whether a value is `${NAME}`, which Node-RED replaces with the environment variable before it creates the node. */
export function isEnvVariable(value: unknown): boolean {
  if (typeof value !== 'string' || !value.startsWith('${')) return false
  const end = value.indexOf('}')
  return end > 2 && end === value.length - 1
}

/** Whether a value is such a variable, or an object or array that contains one. */
export function hasEnvVariable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isEnvVariable(value)
  return Object.values(value).some(hasEnvVariable)
}

/** The initial value of each property in a new node. */
const newValues = z.registry<{ value: unknown }>()
/** The schema of each property without its default. */
const filled = new WeakMap<object, z.ZodMiniType>()

/** The field for a property in a form. */
export type Field = 'flag' | 'seconds' | 'minutes' | 'number' | 'text'
const fields = new WeakMap<object, Field>()

function inField<T extends z.ZodMiniType>(field: Field, schema: T): T {
  fields.set(schema, field)
  return schema
}

/** A property for which a blank or absent value means the fallback. `null` is saved as a blank. */
export function orDefault<T extends z.ZodMiniType>(schema: T, fallback: z.input<T>, most = MAX_TEXT) {
  const unlessBlank = z.transform((value) => (isBlank(value) ? undefined : value) as z.input<T> | undefined)
  const property = z.pipe(unlessBlank.check(isWithin(most)), z.prefault(schema, fallback))
  newValues.add(property, { value: fallback ?? '' })
  filled.set(property, schema)
  return property
}

/** A property for which an absent value means the fallback, and a blank value something else. */
export function orDefaultIfAbsent<T extends z.ZodMiniType>(schema: T, fallback: z.input<T>, most = MAX_TEXT) {
  const unchanged = z.transform((value) => value as z.input<T> | undefined)
  const property = z.pipe(unchanged.check(isWithin(most)), z.prefault(schema, fallback))
  newValues.add(property, { value: fallback })
  filled.set(property, schema)
  return property
}

/** A check that finds the problem with a value. */
export const checked =
  <T>(find: (value: T) => Problem | undefined) =>
  ({ value, issues }: z.core.ParsePayload<T>): void => {
    const params = find(value)
    if (params) issues.push({ code: 'custom', input: value, params })
  }

/** The texts of a value, and of the elements of a list and their fields. A field with a list is a property itself. */
function textsIn(value: unknown): unknown[] {
  if (!Array.isArray(value)) return [value]
  return value.flatMap((element) => (typeof element === 'object' ? Object.values(element ?? {}) : [element]))
}

/** Whether the texts and lists of a property have an accepted length. */
const isWithin = (most: number) =>
  checked<unknown>((value) => {
    if (Array.isArray(value) && value.length > MAX_ELEMENTS)
      return { problem: 'too-many', most: MAX_ELEMENTS }
    const isLong = textsIn(value).some((text) => typeof text === 'string' && text.length > most)
    return isLong ? { problem: 'too-long', most } : undefined
  })

const isWhole = (least: number, most: number, problem: 'whole' | 'seconds' | 'minutes' = 'whole') =>
  checked<number | null>((number) =>
    number === null || (Number.isInteger(number) && number >= least && number <= most)
      ? undefined
      : { problem, least, most },
  )

export const wholeNumber = (least: number, most: number) =>
  inField('number', z.transform(Number).check(isWhole(least, most)))

export const wholeSeconds = (least: number, most: number) =>
  inField('seconds', z.transform(Number).check(isWhole(least, most, 'seconds')))

export const wholeMinutes = (least: number, most: number) =>
  inField('minutes', z.transform(Number).check(isWhole(least, most, 'minutes')))

/** Maximum value of settings in minutes. */
export const MAX_MINUTES = 100_000

/** Whole minutes, or `null` if it is blank. */
export const wholeMinutesOrNull = (least: number, most: number) =>
  inField(
    'minutes',
    z.transform((value) => (isBlank(value) ? null : Number(value))).check(isWhole(least, most, 'minutes')),
  )

/** A number, which may be saved as text. */
export const numberFrom = (least: number) =>
  z
    .transform((value) => (typeof value === 'string' ? Number(value) : value) as number)
    .check(
      checked((number) => {
        if (Number.isFinite(number) && number >= least) return undefined
        return Number.isFinite(least) ? { problem: 'number-least', least } : { problem: 'number' }
      }),
    )

/** A number is also text, but a list or an object is not, because the texts in it may be long. */
function toText(value: unknown, { issues }: z.core.ParsePayload): string {
  if (typeof value !== 'object' || value === null) return isBlank(value) ? '' : String(value)
  issues.push({ code: 'custom', input: value, params: { problem: 'text' } })
  return ''
}

export const text = z.transform(toText)

/** A text that meets a condition. */
export const textThat = (isValid: (text: string) => boolean, problem: Problem['problem']) =>
  text.check(checked((value) => (isValid(value) ? undefined : { problem })))

export const trimmedText = z.transform((value, payload) => toText(value, payload).trim())

const serialThat = (isValid: (text: string) => boolean) =>
  trimmedText.check(checked((value) => (isValid(value) ? undefined : { problem: 'serial', value })))

export const serial = serialThat(isSerial)
export const serialOrBlank = serialThat((value) => value === '' || isSerial(value))

export const flag = inField(
  'flag',
  z.transform((value) => value === true || value === 'true'),
)

/**
 * Settings of a newer version are rejected, because they may have another meaning. It would be worse to request the
 * wrong devices, or to send rows in another format to a database.
 */
const version = wholeNumber(1, 1_000_000).check(
  checked((saved) =>
    saved > SETTINGS_VERSION ? { problem: 'newer', saved, known: SETTINGS_VERSION } : undefined,
  ),
)

/** Properties of all nodes. The version is checked before everything that depends on it. */
export const nodeProperties = { name: orDefault(text, ''), version: orDefault(version, SETTINGS_VERSION) }

/** The settings of one type of node. */
export type Schema = z.ZodMiniObject

export type Settings = Readonly<Record<string, unknown>>

/** By property: whether a node with these settings uses it. Settings that are not known yet are `undefined`. */
type Conditions = Readonly<Record<string, (known: Settings) => boolean>>
const conditions = new WeakMap<Schema, Conditions>()

/** Adds conditions to a schema. A property without one is always used. */
export function usedIf<S extends Schema>(schema: S, all: Conditions): S {
  conditions.set(schema, all)
  return schema
}

export function conditionalProperties(schema: Schema): readonly string[] {
  return Object.keys(conditions.get(schema) ?? {})
}

/** Whether a node with these settings uses a property. Forms show it, and forms and runtime check it, only then. */
export function isUsed(schema: Schema, property: string, settings: Settings): boolean {
  return conditions.get(schema)?.[property]?.(knownValues(schema, settings)) ?? true
}

/** The values of settings. Invalid ones and environment variables are `undefined`. */
function knownValues(schema: Schema, settings: Settings): Settings {
  return new Proxy(settings, {
    get(_, name) {
      const value = settings[String(name)]
      if (isEnvVariable(value)) return undefined
      const property = schema.shape[String(name)]
      return property ? z.safeParse(property as z.ZodMiniType, value).data : value
    },
  })
}

/** The value of a property in a new node. */
export function newValueOf(schema: Schema, property: string): unknown {
  return newValues.get(schema.shape[property] as z.ZodMiniType)?.value
}

/** The field for a property in a form; for text, if nothing else is known. */
export function fieldOf(schema: Schema, property: string): Field {
  const values = valuesOf(schema, property)
  const inner = values instanceof z.ZodMiniNullable ? values._zod.def.innerType : values
  return fields.get(inner as object) ?? 'text'
}

/** The values from which a property is chosen. */
export function choicesOf(schema: Schema, property: string): readonly string[] {
  const values = valuesOf(schema, property)
  return values instanceof z.ZodMiniEnum ? values.options.map(String) : []
}

const valuesOf = (schema: Schema, property: string) => filled.get(schema.shape[property] as object)

/** Converts a schema's issue to a problem, for which the catalogs have a sentence. */
export function toProblem(issue: z.core.$ZodIssue): Problem {
  if (issue.code === 'custom') return issue.params as Problem
  if (issue.code === 'invalid_value') return { problem: 'choice', choices: issue.values.join(', ') }
  const isList = issue.code === 'invalid_type' && issue.expected === 'array'
  return { problem: isList ? 'list' : 'text' }
}

/** The problem with the value of one property. Variables, also in lists, are known only at run time. */
export function findProblem(schema: Schema, property: string, value: unknown): Problem | undefined {
  const { issues = [] } = z.safeParse(schema.shape[property] as z.ZodMiniType, value).error ?? {}
  const issue = issues.find(({ path }) => !isEnvVariable(valueAt(value, path)))
  return issue && toProblem(issue)
}

const valueAt = (value: unknown, path: readonly PropertyKey[]) =>
  path.reduce<unknown>((outer, key) => Object(outer)[key], value)
