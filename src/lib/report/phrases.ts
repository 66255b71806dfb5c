import { MINUTE_MS } from '../../shared/local-clock'
import { withUnit } from '../../shared/quantity'
import { splitDuration } from '../duration'
import type { Span } from '../readings/coverage'
import type { Translate } from '../texts'

/** Words, numbers and lengths of time in the language of a report. */
export class Phrases {
  readonly language: string
  protected readonly translate: Translate
  readonly #formats = new Map<string, Intl.NumberFormat>()

  /** @param translate translates to the language of the report, which may not be that of Node-RED */
  constructor(language: string, translate: Translate) {
    this.language = language
    this.translate = translate
  }

  /** A text of the group `page` in the catalog. */
  say(key: string, params: Record<string, unknown> = {}): string {
    return this.translate(`page.${key}`, params)
  }

  list(texts: readonly string[]): string {
    return texts.join(this.say('comma'))
  }

  /** *Name: text*; only the text without a name. */
  named(name: string, text: string): string {
    return name === '' ? text : isolated(name) + this.say('colon') + text
  }

  // Numbers

  /** @param least the least number of decimals, and `most` the greatest */
  number(value: number, least = 0, most = least): string {
    const key = `${least} ${most}`
    let format = this.#formats.get(key)
    if (!format) {
      const digits = { minimumFractionDigits: least, maximumFractionDigits: most }
      format = new Intl.NumberFormat(this.language, { ...digits, signDisplay: 'negative' })
      this.#formats.set(key, format)
    }
    return format.format(value).replace('-', '\u2212')
  }

  withUnit(value: number, unit: string, least = 0, most = least): string {
    // A space that does not break the line.
    return withUnit(this.number(value, least, most), unit, '\u00a0')
  }

  /** A length of time, as in the texts of alarms. */
  duration(minutes: number): string {
    const { key, ...numbers } = splitDuration(minutes)
    return this.say(key, numbers)
  }

  lengthOf({ from, to }: Span): string {
    return this.duration(Math.round((to - from) / MINUTE_MS))
  }

  percent(value: number): string {
    return `${this.number(value, 0, 1)}%`
  }

  span({ from, to }: Span, show: (instant: number) => string): string {
    return this.say('span', { from: show(from), to: show(to) })
  }
}

/** Letters that are written from right to left, and characters that change the direction of what follows. */
const OTHER_DIRECTION = /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufefc]/

/** A name as part of a sentence, which must not change the order of the words and numbers beside it. */
export const isolated = (name: string): string => (OTHER_DIRECTION.test(name) ? `\u2068${name}\u2069` : name)
