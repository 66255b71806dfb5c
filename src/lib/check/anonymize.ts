import { parseChannelNumber } from '../readings/channel'
import { createStandIns, type StandIns } from './stand-ins'
import { maskWords } from './words'

/**
 * Makes answers fit to be shared: names, serial numbers and unknown fields become stand-ins, times move by whole weeks.
 * Values, units, models and the words of alerts that the package knows stay.
 */
export interface Anonymizer {
  /** Converts a body or the parameters of a request, in steps: a list has thousands of elements. */
  convert<T extends object>(value: T): Generator<undefined, T>
  /** A text of the service. */
  convertText(text: string): string
  /** True where a name, serial number or secret is left in it; in steps. */
  reveals(value: object): Generator<undefined, boolean>
}

export interface AnonymizeOptions {
  /** True where a text may hold credentials or the address: answers have none, unless the service repeats them. */
  hasSecret(text: string): boolean
  /** A random text; the same key gives the same stand-ins. */
  key: string
  /** Times move back by so many weeks. */
  weeks: number
}

const WEEK_SECONDS = 7 * 86_400

const SERIALS = new Set(['serial', 'remote-serial', 'base-serial'])
const NAMES = new Set(['name', 'remote-name', 'base-name'])
const TIMES = new Set(['unixtime', 'unixtime-from', 'unixtime-to'])
/** Texts that stay, because decoding depends on them. */
const PLAIN_TEXTS = new Set(['model', 'remote-model', 'base-model', 'unit', 'type'])
const NUMBERS = new Set([
  ...['num', 'number', 'battery', 'rssi', 'data-id', 'data_id', 'value'],
  ...['time-diff', 'time_diff', 'std-bias', 'std_bias', 'dst-bias', 'dst_bias', 'dst-flg', 'dst_flg'],
])
const MESSAGES = new Set(['battery-level', 'communication-status'])
const CONTAINERS = new Set(['devices', 'channel', 'data', 'alert-logs', 'baseunit', 'group'])
const NUMERIC = /^\s*[+-]?\d+(?:\.\d+)?\s*$/
/** The service gives channels without a name this one. */
const NUMBERED_CHANNEL = /^ch\d+$/i
/** A key that nobody has filled with data. */
const PLAIN_KEY = /^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*$/i
const MAX_KEY_LENGTH = 40
/** An answer is never nested deeper (docs/collecting.md, *Bounds*). */
const MAX_DEPTH = 100

/**
 * Creates an anonymizer in steps.
 * @param originals all bodies and parameters: what is a name in one of them must not stand anywhere in another
 */
export function* createAnonymizer(
  originals: readonly object[],
  { hasSecret, key, weeks }: AnonymizeOptions,
): Generator<undefined, Anonymizer> {
  const standIns = createStandIns(key)
  const names = new Set<string>()
  for (const original of originals) {
    for (const part of partsOf(original)) {
      collectNames(part, standIns, names, 0)
      yield undefined
    }
  }
  // Longer ones first: a name may be a part of another. Short ones stand in other words as well.
  const byLength = [...names]
    .filter((name) => standIns.reveals(name))
    .sort((one, other) => other.length - one.length)

  const revealsText = (text: string) => standIns.reveals(text) || hasSecret(text)
  /** Keeps a text that reveals nothing. */
  const keep = (text: string) => (revealsText(text) ? standIns.mask(text) : text)
  const message = (text: string) => keep(maskWords(text, byLength, standIns))

  function convertScalar(name: string, value: string | number): string | number {
    const text = String(value)
    const asBefore = (converted: string) => (typeof value === 'number' ? Number(converted) || 0 : converted)
    if (SERIALS.has(name)) return text === '' ? value : asBefore(standIns.of(text))
    if (NAMES.has(name)) return isPublicName(text) ? value : asBefore(standIns.of(text))
    const isNumeric = typeof value === 'number' || NUMERIC.test(text)
    if (TIMES.has(name)) return isNumeric ? shift(value) : message(text)
    if (NUMBERS.has(name) || parseChannelNumber(name) !== undefined) {
      return isNumeric ? asBefore(keep(text)) : message(text)
    }
    if (MESSAGES.has(name)) return asBefore(message(text))
    if (PLAIN_TEXTS.has(name)) return asBefore(keep(text))
    return asBefore(standIns.mask(text))
  }

  /** Seconds, as number or text; 0 means none. */
  function shift(value: string | number): string | number {
    const seconds = Number(value)
    if (seconds === 0) return value
    const shifted = seconds - weeks * WEEK_SECONDS
    return typeof value === 'number' ? shifted : String(shifted)
  }

  function convertValue(name: string, value: unknown, isKnown: boolean, depth: number): unknown {
    if (typeof value === 'string' || typeof value === 'number') {
      return convertScalar(isKnown ? name : '', value)
    }
    if (typeof value !== 'object' || value === null) return value
    if (depth > MAX_DEPTH) return null
    if (Array.isArray(value)) return value.map((element) => convertValue(name, element, isKnown, depth + 1))
    const entries = Object.entries(value).map(([field, inner]) => {
      const isDeeperKnown = isKnown && (isDescribed(field) || /^\d+$/.test(field))
      return [convertKey(field), convertValue(field, inner, isDeeperKnown, depth + 1)]
    })
    return Object.fromEntries(entries)
  }

  const revealsKey = (field: string) => !isPublicKey(field) && revealsText(field)

  function convertKey(field: string): string {
    const isPlain = /^\d+$/.test(field) || (PLAIN_KEY.test(field) && field.length <= MAX_KEY_LENGTH)
    return isPublicKey(field) || (isPlain && !revealsText(field)) ? field : standIns.mask(field)
  }

  function revealsWithin(value: unknown, depth = 0): boolean {
    if (typeof value === 'string' || typeof value === 'number') return revealsText(String(value))
    if (typeof value !== 'object' || value === null) return false
    if (depth > MAX_DEPTH + 1) return true
    return Object.entries(value).some(
      ([field, inner]) => revealsKey(field) || revealsWithin(inner, depth + 1),
    )
  }

  return {
    *convert(value) {
      const converted: Record<string, unknown> = {}
      for (const [field, inner] of Object.entries(value)) {
        const isKnown = isDescribed(field)
        if (Array.isArray(inner)) {
          const list: unknown[] = []
          for (const element of inner) {
            list.push(convertValue(field, element, isKnown, 1))
            yield undefined
          }
          converted[convertKey(field)] = list
        } else converted[convertKey(field)] = convertValue(field, inner, isKnown, 1)
      }
      return converted as typeof value
    },
    convertText: message,
    *reveals(value) {
      for (const part of partsOf(value)) {
        if (revealsWithin(part)) return true
        yield undefined
      }
      return false
    },
  }
}

/** The fields of a body, and the elements of its lists, one by one. */
function* partsOf(value: object): Generator<object> {
  for (const [field, inner] of Object.entries(value)) {
    for (const element of Array.isArray(inner) ? inner : [inner]) yield { [field]: element }
  }
}

const isDescribed = (field: string) =>
  [SERIALS, NAMES, TIMES, PLAIN_TEXTS, NUMBERS, MESSAGES, CONTAINERS].some((fields) => fields.has(field)) ||
  parseChannelNumber(field) !== undefined

/** Keys of the description and of a report are no names, also where a device is called *Battery*. */
const isPublicKey = (field: string) => isDescribed(field) || field === 'words'

const isPublicName = (text: string) => text.trim() === '' || NUMBERED_CHANNEL.test(text)

/** Finds what has to be replaced: the texts of identifying fields, wherever they stand. */
function collectNames(value: unknown, standIns: StandIns, names: Set<string>, depth: number): void {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return
  for (const [field, inner] of Object.entries(value)) {
    const isName = NAMES.has(field)
    if (isName || SERIALS.has(field)) {
      for (const one of Array.isArray(inner) ? inner : [inner]) {
        if (typeof one !== 'string' && typeof one !== 'number') continue
        const text = String(one)
        if (isName && isPublicName(text)) continue
        standIns.protect(text)
        names.add(text)
      }
    }
    collectNames(inner, standIns, names, depth + 1)
  }
}
