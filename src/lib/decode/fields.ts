import { MAX_RECORDS } from '../endpoints'
import { EnvlogError } from '../errors'
import { readNumber, sanitizeText } from './value'

/** Reads JSON, and the fields that responses have in common, in every spelling listed in docs/service.md, *Fields*. */

/** Parses JSON; `undefined` if the text is not valid JSON. Valid JSON never yields `undefined`. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Removes a byte order mark, which some hosts put at the beginning of responses. */
export function stripBom(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/** A JSON object from the service. */
export type Fields = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A text, or a number as text; blank for anything else. */
export function readText(value: unknown): string {
  if (typeof value === 'string') return sanitizeText(value)
  return typeof value === 'number' ? String(value) : ''
}

/** Whether a value means "no value" in the service's responses: absent, `null`, blank, `[]` or `{}`. */
export function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (typeof value !== 'object') return false
  if (Array.isArray(value)) return value.length === 0
  for (const key in value) if (Object.hasOwn(value, key)) return false
  return true
}

/** Whether a value is absent, or consists of blanks. */
export const isBlank = (value: unknown) => isAbsent(typeof value === 'string' ? value.trim() : value)

/**
 * The elements of a list except `null`; `undefined` if the value is not a list. A list with missing elements may be
 * sent as an object whose keys are indexes, which JavaScript keeps in ascending order.
 */
export function readElements(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value.includes(null) ? value.filter((element) => element !== null) : value
  const isIndexed = isObject(value) && !isAbsent(value) && Object.keys(value).every((key) => INDEX.test(key))
  return isIndexed ? readElements(Object.values(value)) : undefined
}

const INDEX = /^(?:0|[1-9]\d{0,8})$/

/** Reads a required list. @throws EnvlogError `response-unreadable`, `response-too-many` */
export function readList(fields: Fields, key: string): unknown[] {
  const elements = readElements(fields[key])
  if (!elements) throw new EnvlogError('response-unreadable', { part: key })
  if (elements.length > MAX_RECORDS) throw new EnvlogError('response-too-many', { most: MAX_RECORDS })
  return elements
}

/** A channel in the response's list. `num` begins at 0 or 1 (see `matchChannels`). */
export interface ListedChannel {
  num: number | null
  name: string
  unit: string
  /** Only in responses of `current`. */
  value?: unknown
}

/** Reads the list of channels, which is empty if absent; `undefined` if it is unreadable. */
export function readChannels({ channel }: Fields): ListedChannel[] | undefined {
  if (isAbsent(channel)) return []
  const elements = readElements(channel)
  if (!elements?.every(isObject)) return undefined
  return elements.map(({ num, name, unit, value }) => ({
    num: readNumber(num),
    name: readText(name),
    unit: readText(unit),
    value,
  }))
}

export interface Identity {
  serial: string
  model: string
  name: string
}

export const readIdentity = (fields: Fields, prefix: '' | 'remote-' | 'base-' = ''): Identity => ({
  serial: readText(fields[`${prefix}serial`]),
  model: readText(fields[`${prefix}model`]),
  name: readText(fields[`${prefix}name`]),
})
