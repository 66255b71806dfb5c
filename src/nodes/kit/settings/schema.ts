import { z } from 'zod'
import { EnvlogError } from '../../../lib/errors'
import { isSerial } from '../../../shared/action'
import { migrateSettings, readVersion, SETTINGS_VERSION } from '../../../shared/versions'

/**
 * The saved properties (docs/nodes.md), read once when a node is made: first brought to today's version, then
 * checked. Numbers may be saved as text, blanks mean the default, and properties we do not know are left alone.
 */

export const blank = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

export function whole(least: number, most: number, fallback: number) {
  return z.preprocess(
    (value) => (blank(value) ? fallback : Number(value)),
    z.number().int().min(least).max(most),
  )
}

/** Blank is `null`. */
export function optionalWhole(least: number, most: number) {
  return z.preprocess(
    (value) => (blank(value) ? null : Number(value)),
    z.number().int().min(least).max(most).nullable(),
  )
}

/** One of a list; blank is the default. */
export function choice<T extends string>(choices: readonly T[], fallback: T) {
  return z.preprocess((value) => (blank(value) ? fallback : value), z.enum(choices))
}

export const text = z.preprocess((value) => (blank(value) ? '' : String(value)), z.string())
export const serial = text.transform((value) => value.trim()).refine(isSerial)

export function flag(fallback: boolean) {
  return z.preprocess((value) => (blank(value) ? fallback : value === true || value === 'true'), z.boolean())
}

export const listOf = <T extends z.ZodType>(item: T) => z.preprocess((value) => value ?? [], z.array(item))

/**
 * What a newer package has saved may mean something else: rather nothing is asked than the wrong devices, or rows of
 * another shape sent to somebody's database.
 */
export function migrateSaved(type: Parameters<typeof migrateSettings>[0], config: object): object {
  const saved = { ...config }
  const version = readVersion(saved)
  if (version === undefined) throw new EnvlogError('setting-invalid', { property: 'version' })
  if (version > SETTINGS_VERSION)
    throw new EnvlogError('settings-newer', { saved: version, known: SETTINGS_VERSION })
  return migrateSettings(type, saved, version)
}

export function parse<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
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
