import { z } from 'zod'
import { readNumber } from './number'
import { sanitizeText } from './text'

/** Schemas of the fields that answers share. They accept every spelling of docs/service.md, *Fields*. */

/** A text, or a number as text; absent and `null` are blank. */
export const textField = z
  .union([z.string(), z.number(), z.null()])
  .optional()
  .transform((value) => (value === null || value === undefined ? '' : sanitizeText(String(value))))

/** A number, or text that is one; blank and absent are `null`; anything else is an issue. */
const numberField = z
  .union([z.string(), z.number(), z.null()])
  .optional()
  .transform((value, context) => {
    if (value === null || value === undefined || (typeof value === 'string' && value.trim() === ''))
      return null
    const number = readNumber(value)
    if (number === null) context.addIssue({ code: 'custom', message: 'not a number' })
    return number
  })

/** A number that the rest of the answer does not depend on: whatever is not one is `null`. */
const lenientNumberField = z.unknown().optional().transform(readNumber)

/** True for what the service sends in place of nothing: absent, `null`, blank, `[]`, `{}`. */
export function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (typeof value !== 'object') return false
  for (const key in value) if (Object.hasOwn(value, key)) return false
  return true
}

/**
 * The elements of a list without `null` ones; `undefined` where the value is no list. A list with a missing element
 * may come as an object whose keys are indexes, which JavaScript keeps in ascending order.
 */
export function readElements(value: unknown): unknown[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value) && (isAbsent(value) || !Object.keys(value).every((key) => INDEX.test(key)))) {
    return undefined
  }
  return Object.values(value).filter((element) => element !== null)
}

const INDEX = /^(?:0|[1-9]\d{0,8})$/

/** A list that has to be there. */
export const requiredListOf = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => readElements(value) ?? value, z.array(schema))

/** A list; whatever stands for nothing is an empty one. */
export const listOf = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (isAbsent(value) ? [] : value), requiredListOf(schema))

export const channelField = z.object({ num: lenientNumberField, name: textField, unit: textField })
/** A channel as the answer lists it. `num` counts from 0 or from 1: see `matchChannels`. */
export type ListedChannel = z.infer<typeof channelField>

export interface Identity {
  serial: string
  model: string
  name: string
}

/** Where a device belongs and what it is called. */
export interface KnownFields {
  /** Serial of its base unit; its own where it is standalone. */
  base: string
  name: string
  /** Name of its group; blank for none. */
  group: string
}

/** A device that cannot be decoded in an answer about several. */
export interface UnreadableDevice {
  /** Blank where the serial cannot be read either. */
  serial: string
  /** What is needed to request its records; `null` where that cannot be read either. */
  known: KnownFields | null
  /** Path of the invalid part in the answer, such as `devices.3.channel`. */
  part: string
}

/** Minutes, rounded to whole ones, of at most a day either way. */
const minutesField = numberField
  .refine((value) => value === null || Math.abs(value) <= 1440)
  .transform((value) => value && Math.round(value))

/** The four fields of the time offset, each in both spellings. */
export const offsetFields = {
  'time-diff': minutesField,
  time_diff: minutesField,
  'std-bias': minutesField,
  std_bias: minutesField,
  'dst-bias': minutesField,
  dst_bias: minutesField,
  'dst-flg': numberField,
  dst_flg: numberField,
}

/** In minutes. `dstFlag` is `null` where the answer has none. */
export interface Offsets {
  timeDiff: number
  stdBias: number
  dstBias: number
  dstFlag: number | null
}

const offsetsObject = z.object(offsetFields)
/** The offsets of an answer; absent minutes are 0. */
export function readOffsets(fields: z.infer<typeof offsetsObject>): Offsets {
  return {
    timeDiff: fields['time-diff'] ?? fields.time_diff ?? 0,
    stdBias: fields['std-bias'] ?? fields.std_bias ?? 0,
    dstBias: fields['dst-bias'] ?? fields.dst_bias ?? 0,
    dstFlag: fields['dst-flg'] ?? fields.dst_flg ?? null,
  }
}
