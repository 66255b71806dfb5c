import { z } from 'zod'
import { EnvlogError } from '../../../lib/errors'
import { isSerial } from '../../../shared/action'
import { migrateSettings, readVersion, SETTINGS_VERSION } from '../../../shared/versions'

/**
 * Parts of the schemas of saved properties (docs/nodes.md). A node reads its properties once, when it is created: they
 * are migrated to today's version, then parsed. A number may be saved as text, a blank value is the default, and
 * unknown properties are ignored.
 */

export const isBlank = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** A whole number; `fallback` where it is blank. */
export function wholeNumber(min: number, max: number, fallback: number) {
  return z.preprocess(
    (value) => (isBlank(value) ? fallback : Number(value)),
    z.number().int().min(min).max(max),
  )
}

/** A whole number; `null` where it is blank. */
export function optionalWholeNumber(min: number, max: number) {
  return z.preprocess(
    (value) => (isBlank(value) ? null : Number(value)),
    z.number().int().min(min).max(max).nullable(),
  )
}

/** One of `choices`; `fallback` where it is blank. */
export function choice<T extends string>(choices: readonly T[], fallback: T) {
  return z.preprocess((value) => (isBlank(value) ? fallback : value), z.enum(choices))
}

export const optionalText = z.preprocess((value) => (isBlank(value) ? '' : String(value)), z.string())
export const serial = optionalText.transform((value) => value.trim()).refine(isSerial)

/** As the service sends it: a name may be a number, or nothing but blanks. */
export const groupName = z.union([z.string().min(1), z.number().transform(String)])

export function flag(fallback: boolean) {
  return z.preprocess(
    (value) => (isBlank(value) ? fallback : value === true || value === 'true'),
    z.boolean(),
  )
}

export const arrayOf = <T extends z.ZodType>(item: T) => z.preprocess((value) => value ?? [], z.array(item))

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
export function parseSettings<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const path = result.error.issues[0]?.path ?? []
  throw new EnvlogError('setting-invalid', {
    property: path
      .map(String)
      .join('.')
      .replace(/^credentials\./, ''),
  })
}
