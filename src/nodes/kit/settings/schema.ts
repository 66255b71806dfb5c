import * as v from 'valibot'
import { EnvlogError } from '../../../lib/errors'
import { isSerial } from '../../../shared/action'
import { migrateSettings, readVersion, SETTINGS_VERSION } from '../../../shared/versions'

/**
 * Parts of the schemas of saved properties (docs/nodes.md). A node reads its properties once, when it is created: they
 * are migrated to today's version, then parsed. A number may be saved as text, a blank or absent value is the default,
 * and unknown properties are ignored.
 */

export const isBlank = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** A property that may be absent: `convert` gets `null` for it, and returns what `schema` checks. */
export const property = <T>(convert: (value: unknown) => unknown, schema: v.GenericSchema<unknown, T>) =>
  v.optional(v.pipe(v.unknown(), v.transform(convert), schema), null)

const numberBetween = (min: number, max: number) =>
  v.pipe(v.unknown(), v.number(), v.integer(), v.minValue(min), v.maxValue(max))

/** A whole number; `fallback` where it is blank. */
export const wholeNumber = (min: number, max: number, fallback: number) =>
  property((value) => (isBlank(value) ? fallback : Number(value)), numberBetween(min, max))

/** A whole number; `null` where it is blank. */
export const optionalWholeNumber = (min: number, max: number) =>
  property((value) => (isBlank(value) ? null : Number(value)), v.nullable(numberBetween(min, max)))

/** One of `choices`; `fallback` where it is blank. */
export const choice = <T extends string>(choices: readonly T[], fallback: T) =>
  property((value) => (isBlank(value) ? fallback : value), v.pipe(v.unknown(), v.picklist(choices)))

const toText = (value: unknown) => (isBlank(value) ? '' : String(value))

/** A text; blank where it is absent. */
export const optionalText = property(toText, v.pipe(v.unknown(), v.string()))

/** A text that fulfils a condition; blank where it is absent. */
export const textThat = (isValid: (text: string) => boolean) =>
  property(toText, v.pipe(v.unknown(), v.string(), v.check(isValid)))

/** The same, without blanks at its ends. */
export const trimmedText = (isValid: (text: string) => boolean) =>
  property(toText, v.pipe(v.unknown(), v.string(), v.trim(), v.check(isValid)))

export const serial = trimmedText(isSerial)

/** As the service sends it: a name may be a number, or nothing but blanks. */
export const groupName = v.union([
  v.pipe(v.string(), v.minLength(1)),
  v.pipe(v.number(), v.transform(String)),
])

export const flag = (fallback: boolean) =>
  property(
    (value) => (isBlank(value) ? fallback : value === true || value === 'true'),
    v.pipe(v.unknown(), v.boolean()),
  )

export const arrayOf = <T>(item: v.GenericSchema<unknown, T>) =>
  property((value) => value ?? [], v.pipe(v.unknown(), v.array(item)))

/**
 * Migrates saved properties to today's version. Those of a newer package are rejected, because they may have another
 * meaning: requesting the wrong devices, or sending rows of another shape to a database, would be worse.
 * @throws EnvlogError `setting-invalid`, `settings-newer`
 */
export function migrateToToday(type: Parameters<typeof migrateSettings>[0], config: object): object {
  const saved = { ...config }
  const version = readVersion(saved)
  if (version === undefined) throw new EnvlogError('setting-invalid', { property: 'version' })
  if (version > SETTINGS_VERSION)
    throw new EnvlogError('settings-newer', { saved: version, known: SETTINGS_VERSION })
  return migrateSettings(type, saved, version)
}

/** @throws EnvlogError `setting-invalid` with the first invalid property */
export function parseSettings<T>(schema: v.GenericSchema<unknown, T>, value: unknown): T {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  const path = v.getDotPath(result.issues[0]) ?? ''
  throw new EnvlogError('setting-invalid', { property: path.replace(/^credentials\./, '') })
}
