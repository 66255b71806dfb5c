import { randomInt } from 'node:crypto'
import { readNumber } from '../decode/number'
import { classifyAlert } from '../readings/alert-kind'
import { parseChannelNumber } from '../readings/channel'
import { type Exchange, isAnswered, type Json } from './exchange'

/** What stays of each described field, by its name (docs/check.md, *Save a report*). Of all others only the name stays. */
const FIELDS = {
  container: 'devices channel data alert-logs baseunit group',
  serial: 'serial remote-serial base-serial',
  name: 'name remote-name base-name',
  time: 'unixtime unixtime-from unixtime-to',
  label: 'model remote-model base-model unit type',
  value:
    'num number battery rssi data-id data_id value battery-level communication-status ' +
    'time-diff time_diff std-bias std_bias dst-bias dst_bias dst-flg dst_flg',
} as const
type Kind = keyof typeof FIELDS

const KINDS = new Map(
  Object.entries(FIELDS).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind as Kind])),
)
const kindOf = (field: string): Kind | undefined => KINDS.get(parseChannelNumber(field) ? 'value' : field)

/** Whose name it is, by the field that contains it. */
const OWNERS: Readonly<Record<string, string>> = { group: 'Group', channel: 'Channel' }

const WEEK_SECONDS = 7 * 86_400
/** Times move back by a number of weeks between these: the day of the week and the hour stay. */
const WEEKS = [4, 104] as const

/** Shorter texts, and numbers with fewer digits, are part of many words and values: they identify nobody. */
const MIN_LETTERS = 3
const MIN_DIGITS = 6
/** Only the beginning of an alert is compared with the known wordings, so a longer one is unknown. */
const MAX_ALERT_LENGTH = 200
/** No value has this many digits, but a telephone number may. */
const MANY_DIGITS = /\d{8}/

/** The key of a list that comes as an object. */
const INDEX = /^\d{1,5}$/
/** What the service's own keys look like. */
const PLAIN_KEY = /^[a-z]{1,20}(?:[-_][a-z]{1,20}){0,3}$/
/** Says nothing: what the service calls a channel without a name, or a stand-in of an earlier report. */
const NUMBERED = /^(?:ch|Channel |Device |Group )\d{1,5}$/
const ERROR_CODE = /^\s*E\d{1,2}\s*$/

const digitsIn = (text: string) => text.replace(/\D/g, '').length
/** Texts are compared without case, width and blanks around them. */
const fold = (text: string) => text.normalize('NFKC').toLowerCase().trim()
/** In place of a text; that of an earlier report stays. */
const elide = (text: string) => (ELIDED.test(text) ? text : `… (${text.length} characters)`)
const ELIDED = /^… \(\d{1,9} characters\)$/

/** Makes the exchanges of a check fit to be shared: what is not on a list does not stay. */
export class Anonymizer {
  readonly exchanges: readonly Exchange[]
  readonly #hasSecret: (text: string) => boolean
  readonly #weeks: number
  /** Serial numbers and names with their stand-ins, by owner. */
  readonly #standIns = new Map<string, Map<string, string>>()
  /** Serial numbers and names, folded. */
  #originals: readonly string[] = []
  /** What was searched for originals and secrets: many devices share a model or a unit. */
  readonly #searched = new Map<string, boolean>()

  /** @param hasSecret finds credentials and the address, which a service may repeat */
  constructor(
    originals: readonly Exchange[],
    hasSecret: (text: string) => boolean,
    weeks = randomInt(...WEEKS),
  ) {
    this.#hasSecret = hasSecret
    this.#weeks = weeks
    // Once to find all serial numbers and names, and once more to leave none of them anywhere.
    for (const exchange of originals) this.#convert(exchange)
    const texts = [...this.#standIns.values()].flatMap((standIns) => [...standIns.keys()].map(fold))
    this.#originals = texts.filter((text) => {
      const isNumber = /^[\d.+-]*$/.test(text)
      return isNumber ? digitsIn(text) >= MIN_DIGITS : text.length >= MIN_LETTERS
    })
    this.#searched.clear()
    this.exchanges = originals.map((exchange) => this.#convert(exchange))
  }

  /** True for a text that contains a serial number, a name or a secret. */
  reveals(text: string): boolean {
    const known = this.#searched.get(text)
    if (known !== undefined) return known
    const folded = fold(text)
    const reveals = this.#hasSecret(text) || this.#originals.some((original) => folded.includes(original))
    this.#searched.set(text, reveals)
    return reveals
  }

  #convert(exchange: Exchange): Exchange {
    const params = this.#object(exchange.params, '')
    return isAnswered(exchange)
      ? { ...exchange, params, body: this.#object(exchange.body, '') }
      : { ...exchange, params }
  }

  /** @param name of the field that contains the object */
  #object(object: Json, name: string): Json {
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
    if (typeof value === 'object' && value !== null)
      return kind === 'container' ? this.#object(value as Json, field) : {}
    if (typeof value !== 'string' && typeof value !== 'number') return value
    const text = String(value)
    if (text.trim() === '' || (kind === 'name' && NUMBERED.test(text))) return value
    if (kind === 'serial') return this.#standIn('S', text)
    if (kind === 'name') return this.#standIn(OWNERS[parent] ?? 'Device', text)
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

  /** An alert, or the error of a value: stays if all of it is known. */
  #wording(text: string): string {
    const isKnown = (name: string) => ERROR_CODE.test(text) || classifyAlert('ch1', text, name) !== 'other'
    const channels = this.#standIns.get('Channel') ?? new Map<string, string>()
    const names = isKnown('') ? [] : [...channels.keys()].filter((name) => text.includes(name))
    const [name = ''] = names.sort((one, other) => other.length - one.length)
    const shown = text.replace(name, channels.get(name) ?? '')
    const isPublic = text.length <= MAX_ALERT_LENGTH && !MANY_DIGITS.test(text) && !this.reveals(shown)
    return isKnown(name) && isPublic ? shown : elide(text)
  }

  /** Always the same for one text. */
  #standIn(owner: string, text: string): string {
    const standIns = this.#standIns.get(owner) ?? new Map<string, string>()
    this.#standIns.set(owner, standIns)
    const number = `${standIns.size + 1}`
    // A serial number keeps its length, which the check looks at.
    const serial = `S${number.padStart(text.length - 1, '0')}`
    const standIn = standIns.get(text) ?? (owner === 'S' ? serial : `${owner} ${number}`)
    standIns.set(text, standIn)
    return standIn
  }
}
