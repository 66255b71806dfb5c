import { z } from 'zod'
import { readNumber } from './number'
import { sanitizeText } from './text'

/** What fields of answers are made of, read leniently (docs/service.md, *Fields*). */

/** Text, also where a number was sent; absent and `null` are blank. */
export const text = z
  .union([z.string(), z.number(), z.null()])
  .optional()
  .transform((value) => (value === null || value === undefined ? '' : sanitizeText(String(value))))

/** A number, also as text; blank and absent are `null`; anything else is unreadable. */
const optionalNumber = z
  .union([z.string(), z.number(), z.null()])
  .optional()
  .transform((value, context) => {
    if (value === null || value === undefined || (typeof value === 'string' && value.trim() === ''))
      return null
    const number = readNumber(value)
    if (number === null) context.addIssue({ code: 'custom', message: 'not a number' })
    return number
  })

/** A number nobody can do without losing only that number: unreadable is `null` too. */
const anyNumber = z.unknown().optional().transform(readNumber)

/** What stands for nothing: absent, `null`, blank, `[]`, `{}`. */
export function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  if (typeof value !== 'object') return false
  for (const key in value) if (Object.hasOwn(value, key)) return false
  return true
}

/**
 * The elements of a list, `null` ones left out; nothing where it is none. A list with a hole may come as an object
 * whose keys are the places: JavaScript has those in order.
 */
export function readElements(found: unknown): unknown[] | undefined {
  if (typeof found !== 'object' || found === null) return undefined
  if (!Array.isArray(found) && (isAbsent(found) || !Object.keys(found).every((key) => PLACE.test(key)))) {
    return undefined
  }
  return Object.values(found).filter((element) => element !== null)
}

const PLACE = /^(?:0|[1-9]\d{0,8})$/

/** A list that must be there. */
export const elements = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => readElements(value) ?? value, z.array(schema))

/** A list; absent and `null` are empty. */
export const list = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (isAbsent(value) ? [] : value), elements(schema))

export const channel = z.object({ num: anyNumber, name: text, unit: text })
/** One listed channel; `num` as listed, counted from 0 or from 1 (see `readings/channel.ts`). */
export type ListedChannel = z.infer<typeof channel>

export interface Identity {
  serial: string
  model: string
  name: string
}

/** A device of an answer about several that cannot be read: the others can. */
export interface UnreadableDevice {
  /** Blank where not even that can be read. */
  serial: string
  /** What has to be known to ask for its records; `null` where that cannot be read either. */
  known: { base: string; name: string; group: string } | null
  /** Which part of the answer. */
  part: string
}

/** Whole minutes of at most a day either way. */
const minutes = optionalNumber
  .refine((value) => value === null || Math.abs(value) <= 1440)
  .transform((value) => value && Math.round(value))

/** The four offset fields in both spellings. */
export const offsetFields = {
  'time-diff': minutes,
  time_diff: minutes,
  'std-bias': minutes,
  std_bias: minutes,
  'dst-bias': minutes,
  dst_bias: minutes,
  'dst-flg': optionalNumber,
  dst_flg: optionalNumber,
}

/** Minutes; `dstFlag` is `null` where the answer has none. */
export interface Offsets {
  timeDiff: number
  stdBias: number
  dstBias: number
  dstFlag: number | null
}

const offsetsObject = z.object(offsetFields)
/** The offsets that an answer tells; what it does not tell is 0. */
export function readOffsets(found: z.infer<typeof offsetsObject>): Offsets {
  return {
    timeDiff: found['time-diff'] ?? found.time_diff ?? 0,
    stdBias: found['std-bias'] ?? found.std_bias ?? 0,
    dstBias: found['dst-bias'] ?? found.dst_bias ?? 0,
    dstFlag: found['dst-flg'] ?? found.dst_flg ?? null,
  }
}
