import type { NodeAPI } from 'node-red'
import type { TimeStyle } from '../../lib/decode/time'
import type { LimitEvent, Report } from '../../lib/limits/event'
import { toOneLine } from '../../lib/redact'
import { DAY_MS, fixedClock, formatLocalTime, type LocalClock, TimeZone } from '../../shared/local-clock'
import { toShortLine } from '../kit/report/localize'
import { hostClock } from '../kit/report/times'
import { translate } from '../kit/report/translate'

/** Writes events in the language of Node-RED, with times in the time zone of the account. */
export class Sentences {
  readonly #translate: (key: string, params?: object) => string
  readonly #zone: LocalClock | undefined
  readonly #now: () => number

  /** @param now ms since 1970 UTC */
  constructor(RED: NodeAPI, localTime: Exclude<TimeStyle, 'utc'>, now = () => Date.now()) {
    this.#translate = (key, params = {}) => translate(RED, key, params)
    this.#zone = localTime instanceof TimeZone ? localTime : undefined
    this.#now = now
  }

  /** A sentence, such as *Freezer 3, Inside: above -15 °C for 12 minutes, now -9.8 °C (since 02:10)*. */
  sentence({ event, utcOffset }: Report): string {
    const { state, from, leftOut, test } = event
    if (leftOut !== undefined) return this.#translate('limits.text.left-out', { count: leftOut })
    if (test) return this.#translate('limits.text.test')
    if (from === null) return this.#translate('limits.text.normal', { place: this.#place(event) })
    const clock = this.#zone ?? (utcOffset === null ? hostClock : fixedClock(utcOffset))
    const text = this.#translate(`limits.text.${keyOf(event)}`, this.#params(event, clock))
    return state === 'reminder' ? this.#translate('limits.text.reminder', { text }) : text
  }

  #params(event: LimitEvent, clock: LocalClock) {
    const { condition, above, below, value, extreme, unit, minutes, from, until, detail } = event
    const time = (iso: string | null) => iso && this.#time(clock, iso)
    const withUnit = (measured: number | null) =>
      measured === null ? '' : `${measured} ${toShortLine(unit ?? '')}`.trim()
    return {
      place: this.#place(event),
      duration: this.#duration(minutes ?? 0),
      since: time(from),
      until: time(until),
      bound: withUnit(condition === 'above' ? above : below),
      value: withUnit(value),
      extreme: withUnit(extreme),
      detail:
        detail === null ? '' : ` (${condition === 'no-match' ? toOneLine(detail) : toShortLine(detail)})`,
    }
  }

  /** A subject of one line for several events, such as *Alarm: Freezer 3, Inside: too warm (and 2 more)*. */
  subject([first, ...others]: readonly Report[]): string {
    if (!first) return ''
    const { state, condition, limit, leftOut, test } = first.event
    if (test) return this.#translate('limits.subject.test')
    if (leftOut !== undefined) return this.#translate('limits.subject.left-out')
    const what = (limit && toShortLine(limit)) || this.#translate(`limits.subject.${condition}`)
    const text = this.#translate(`limits.subject.${state}`, { place: this.#place(first.event), what })
    return others.length > 0 ? this.#translate('limits.subject.more', { text, count: others.length }) : text
  }

  /** The device and the channel. */
  #place({ condition, name, serial, channel, label }: LimitEvent): string {
    if (condition === 'no-match') return this.#translate('limits.text.limits')
    const device = toShortLine(name || serial || '')
    if (serial === null) return this.#translate('limits.text.all-devices')
    if (channel === null) return device
    return this.#translate('limits.text.place', { device, channel: toShortLine(label || `ch${channel}`) })
  }

  /** Whole minutes, hours or days. */
  #duration(minutes: number): string {
    if (minutes < 120) return this.#translate('limits.text.minutes', { count: minutes })
    if (minutes < 48 * 60) return this.#translate('limits.text.hours', { count: Math.floor(minutes / 60) })
    return this.#translate('limits.text.days', { count: Math.floor(minutes / 1440) })
  }

  /** The time of day, with the date if it is a day or more away. */
  #time(clock: LocalClock, iso: string): string {
    const instant = Date.parse(iso)
    const local = formatLocalTime(clock, instant)
    const time = local.slice(11, 16)
    return Math.abs(this.#now() - instant) < DAY_MS ? time : `${local.slice(5, 10)} ${time}`
  }
}

/** The key of the sentence about an event, below `limits.text`. */
function keyOf({ state, condition, detail, minutes, until }: LimitEvent): string {
  if (state === 'normal' || state === 'ended') return `${condition}.${until === null ? 'was' : state}`
  if (condition === 'battery') return `${detail}`
  if (condition === 'silent' && detail === 'never') return 'silent.never'
  return `${condition}.${minutes === 0 ? 'begins' : 'lasts'}`
}
