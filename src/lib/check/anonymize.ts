import { randomInt } from 'node:crypto'
import { type Fields, isObject } from '../decode/fields'
import { readNumber } from '../decode/value'
import { classifyAlert } from '../readings/alert-kind'
import { parseChannelNumber } from '../readings/channel'
import { type Exchange, isSuccessful } from './exchange'

/**
 * The kind of each known field, which determines the part of it that a report keeps (docs/check.md, *Save a report*).
 * Of all other fields, only the name is kept.
 */
const FIELDS = {
  container: 'devices channel data alert-logs baseunit group',
  serial: 'serial remote-serial base-serial',
  name: 'name remote-name base-name',
  time: 'unixtime unixtime-from unixtime-to',
  label: 'model remote-model base-model unit type',
  value:
    'num number battery rssi data-id value battery-level communication-status time-diff std-bias dst-bias dst-flg',
} as const
type Kind = keyof typeof FIELDS

const KINDS = new Map(
  Object.entries(FIELDS).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind as Kind])),
)
const kindOf = (field: string): Kind | undefined =>
  KINDS.get(parseChannelNumber(field) ? 'value' : field.replaceAll('_', '-'))

/** The owner of a name, by the containing field. */
const OWNERS: Readonly<Record<string, string>> = { group: 'Group', channel: 'Channel' }

const WEEK_SECONDS = 7 * 86_400
/** Times are moved back by a number of weeks in this range, so that the day of the week and the hour stay the same. */
const WEEKS = [4, 104] as const

/** Shorter texts and numbers with fewer digits occur in many words and values, so they identify nobody. */
const MIN_LETTERS = 3
const MIN_DIGITS = 6
/** Only the beginning of an alert is compared with the known wordings, so a longer alert counts as unknown. */
const MAX_ALERT_LENGTH = 200
/** No measured value has this many digits, but a telephone number may. */
const MANY_DIGITS = /\d{8}/

/** A key of a list that is sent as an object. */
const INDEX = /^\d{1,5}$/
/** The form of the service's own keys. */
const PLAIN_KEY = /^[a-z]{1,20}(?:[-_][a-z]{1,20}){0,3}$/
/** The service's name for an unnamed channel. */
const UNNAMED = /^ch\d{1,5}$/
const ERROR_CODE = /^\s*E\d{1,2}\s*$/

const digitsIn = (text: string) => text.replace(/\D/g, '').length
/** Texts are compared regardless of case, character width and surrounding blanks. */
const fold = (text: string) => text.normalize('NFKC').toLowerCase().trim()
/** Replaces a text, unless it is a replacement from an earlier report. */
const elide = (text: string) => (ELIDED.test(text) ? text : `… (${text.length} characters)`)
const ELIDED = /^… \(\d{1,9} characters\)$/

/**
 * Anonymizes the exchanges of a check, so that they can be shared. Everything that is not explicitly allowed is
 * removed.
 */
export class Anonymizer {
  readonly exchanges: readonly Exchange[]
  readonly #hasSecret: (text: string) => boolean
  readonly #weeks: number
  /** Serial numbers and names with their pseudonyms, by owner. */
  readonly #pseudonyms = new Map<string, Map<string, string>>()
  /** Serial numbers and names, normalized. */
  #originals: readonly string[] = []

  /** @param hasSecret whether a text contains credentials or the address, which a service may repeat */
  constructor(
    originals: readonly Exchange[],
    hasSecret: (text: string) => boolean,
    weeks = randomInt(...WEEKS),
  ) {
    this.#hasSecret = hasSecret
    this.#weeks = weeks
    // The first pass finds all serial numbers and names, and the second pass replaces them everywhere.
    for (const exchange of originals) this.#convert(exchange)
    const texts = [...this.#pseudonyms.values()].flatMap((pseudonyms) => [...pseudonyms.keys()].map(fold))
    this.#originals = texts.filter((text) => {
      const isNumber = /^[\d.+-]*$/.test(text)
      return isNumber ? digitsIn(text) >= MIN_DIGITS : text.length >= MIN_LETTERS
    })
    this.exchanges = originals.map((exchange) => this.#convert(exchange))
  }

  /** Whether a text contains a serial number, a name or a secret. */
  reveals(text: string): boolean {
    const folded = fold(text)
    return this.#hasSecret(text) || this.#originals.some((original) => folded.includes(original))
  }

  #convert(exchange: Exchange): Exchange {
    const params = this.#object(exchange.params, '')
    const body = isSuccessful(exchange) ? { body: this.#object(exchange.body, '') } : {}
    return { ...exchange, params, ...body }
  }

  /** @param name the field that contains the object */
  #object(object: Fields, name: string): Fields {
    const entries = Object.entries(object).map(([field, value]) => {
      if (INDEX.test(field)) return [field, this.#value(name, value, name)]
      const isShown = kindOf(field) || (PLAIN_KEY.test(field) && !this.reveals(field))
      return [isShown ? field : 'field', this.#value(field, value, name)]
    })
    return Object.fromEntries(entries)
  }

  #value(field: string, value: unknown, parent: string): unknown {
    const kind = kindOf(field)
    if (Array.isArray(value)) return kind ? value.map((element) => this.#value(field, element, parent)) : []
    if (isObject(value)) return kind === 'container' ? this.#object(value, field) : {}
    if (typeof value !== 'string' && typeof value !== 'number') return value
    return this.#scalar(kind, value, OWNERS[parent] ?? 'Device')
  }

  /** @param owner the kind of thing that has the name, if it is one */
  #scalar(kind: Kind | undefined, value: string | number, owner: string): string | number {
    const text = String(value)
    if (text.trim() === '' || (kind === 'name' && UNNAMED.test(text))) return value
    if (kind === 'serial') return this.#pseudonym('S', text)
    if (kind === 'name') return this.#pseudonym(owner, text)
    const number = readNumber(value)
    if (number !== null) {
      const kept = this.#number(kind, number, text)
      return typeof value === 'number' ? Number(kept) : kept
    }
    if (kind === 'label') return this.reveals(text) ? elide(text) : text
    return kind === 'value' ? this.#wording(text) : elide(text)
  }

  #number(kind: Kind | undefined, number: number, text: string): string {
    if (kind === 'time') return number === 0 ? text : String(number - this.#weeks * WEEK_SECONDS)
    const isPublic = kind === 'value' || kind === 'label'
    return isPublic && (digitsIn(text) < MIN_DIGITS || !this.reveals(text)) ? text : '0'
  }

  /** Converts an alert or the error of a value, which is kept if its complete wording is known. */
  #wording(text: string): string {
    const isKnown = (name: string) => ERROR_CODE.test(text) || classifyAlert('ch1', text, name) !== 'other'
    const channels = this.#pseudonyms.get('Channel') ?? new Map<string, string>()
    const names = isKnown('') ? [] : [...channels.keys()].filter((name) => text.includes(name))
    const [name = ''] = names.sort((a, b) => b.length - a.length)
    const shown = text.replace(name, channels.get(name) ?? '')
    const isPublic = text.length <= MAX_ALERT_LENGTH && !MANY_DIGITS.test(text) && !this.reveals(shown)
    return isKnown(name) && isPublic ? shown : elide(text)
  }

  /** Always returns the same pseudonym for the same text. */
  #pseudonym(owner: string, text: string): string {
    const pseudonyms = this.#pseudonyms.get(owner) ?? new Map<string, string>()
    this.#pseudonyms.set(owner, pseudonyms)
    const number = `${pseudonyms.size + 1}`
    // A serial number keeps its length, because the length is checked.
    const serial = `S${number.padStart(text.length - 1, '0')}`
    const pseudonym = pseudonyms.get(text) ?? (owner === 'S' ? serial : `${owner} ${number}`)
    pseudonyms.set(text, pseudonym)
    return pseudonym
  }
}
