import type { NodeAPI } from 'node-red'
import type { TimeStyle } from '../../lib/decode/time'
import { splitDuration } from '../../lib/duration'
import type { LimitEvent, Report } from '../../lib/limits/event'
import { toOneLine } from '../../lib/redact'
import {
  DAY_MS,
  dateOf,
  fixedClock,
  type LocalClock,
  shortOffset,
  TimeZone,
  timeOf,
} from '../../shared/local-clock'
import { withUnit } from '../../shared/quantity'
import { toShortLine } from '../kit/report/localize'
import { hostClock } from '../kit/report/times'
import { translate } from '../kit/report/translate'

interface Surroundings {
  /** The age from which a value is no longer that of now, ms. */
  silentAfterMs?: number
  /** ms since 1970 UTC */
  now?: () => number
  /** The clock of the machine that runs Node-RED. */
  host?: LocalClock
}

/** Writes events in the language of Node-RED, with times in the time zone of the account. */
export class Sentences {
  readonly #translate: (key: string, params?: object) => string
  readonly #zone: LocalClock | undefined
  readonly #silentAfterMs: number
  readonly #now: () => number
  readonly #host: LocalClock

  constructor(
    RED: NodeAPI,
    localTime: Exclude<TimeStyle, 'utc'>,
    { silentAfterMs = Number.POSITIVE_INFINITY, now = Date.now, host = hostClock }: Surroundings = {},
  ) {
    this.#translate = (key, params = {}) => translate(RED, key, params)
    this.#zone = localTime instanceof TimeZone ? localTime : undefined
    this.#silentAfterMs = silentAfterMs
    this.#now = now
    this.#host = host
  }

  /**
   * A sentence, such as *Freezer 3, Inside: too warm, above -15 °C for 12 minutes, now -9.8 °C (since 02:10)*, or
   * *Freezer 3, Inside (too warm): normal again at -18 °C, …*.
   */
  sentence(report: Report): string {
    const { event } = report
    if (event.leftOut !== undefined) return this.#translate('alarms.text.left-out', { count: event.leftOut })
    if (event.test) return this.#translate(`alarms.text.${testKeyOf(event)}`, { place: this.#place(event) })
    if (isNotice(event)) return this.#notice(report)
    if (event.from === null)
      return this.#translate('alarms.text.normal', { place: this.#placeAndName(event) })
    const text = this.#withAcknowledged(
      this.#translate(`alarms.text.${keyOf(event)}`, this.#params(report)),
      event,
    )
    const remark = event.state === 'reminder' ? 'reminder' : remarkOf(event)
    return remark ? this.#translate(`alarms.text.${remark}`, { text }) : text
  }

  /** Says that no alarm lasts now, or was over within these hours. */
  nothing(hours?: number): { payload: string; topic: string } {
    const topic = this.#translate('alarms.subject.none')
    if (hours === undefined) return { payload: this.#translate('alarms.text.none-now'), topic }
    return { payload: this.#translate('alarms.text.none-over', { count: hours }), topic }
  }

  /** What a command has done, or that a mute is over, such as *Freezer 3: muted until 16:00 by the night shift*. */
  #notice({ event, utcOffset }: Report): string {
    const { state, until } = event
    return this.#translate(`alarms.text.${state}`, {
      place: this.#place(event),
      what: this.#what(event),
      until: this.#period(this.#clockOf(utcOffset), null, until).until,
      ...this.#signature(event),
    })
  }

  /** Says of an alarm that is over that it was acknowledged. */
  #withAcknowledged(text: string, event: LimitEvent): string {
    if (event.state !== 'ended' || event.acknowledged === null) return text
    return this.#translate('alarms.text.over-acknowledged', { text, ...this.#signature(event) })
  }

  #signature({ acknowledged }: LimitEvent): { by: string; note: string } {
    const { by, note } = acknowledged ?? { by: null, note: null }
    return {
      by: by ? this.#translate('alarms.text.by', { by: toShortLine(by) }) : '',
      note: note ? this.#translate('alarms.text.note', { note: toShortLine(note) }) : '',
    }
  }

  #clockOf(utcOffset: number | null): LocalClock {
    return this.#zone ?? (utcOffset === null ? this.#host : fixedClock(utcOffset))
  }

  #params({ event, utcOffset, measuredAt }: Report) {
    const { state, condition, limit, above, below, value, extreme, minutes, from, until, detail } = event
    const clock = this.#clockOf(utcOffset)
    const isOver = state === 'normal' || state === 'ended'
    const measured = shown(value, event)
    return {
      place: isOver ? this.#placeAndName(event) : this.#place(event),
      name: limit ? this.#translate('alarms.text.name', { name: toShortLine(limit) }) : '',
      duration: this.#duration(minutes ?? 0),
      ...this.#period(clock, from, until),
      bound: shown(condition === 'above' ? above : below, event),
      value: measured,
      now: this.#present(clock, measured, measuredAt),
      extreme: shown(extreme, event),
      devices: detail,
      detail: inBrackets(detail && (condition === 'no-match' ? toOneLine(detail) : toShortLine(detail))),
    }
  }

  /** A subject of one line for several events, such as *Alarm: Freezer 3, Inside: too warm (and 2 more)*. */
  subject([first, ...others]: readonly Report[]): string {
    if (!first) return ''
    const { state, leftOut, test } = first.event
    const place = this.#place(first.event)
    if (test) return this.#translate(`alarms.subject.${testKeyOf(first.event)}`, { place })
    if (leftOut !== undefined) return this.#translate('alarms.subject.left-out')
    const kind = remarkOf(first.event) ?? state
    const text = this.#translate(`alarms.subject.${kind}`, { place, what: this.#what(first.event) })
    return others.length > 0 ? this.#translate('alarms.subject.more', { text, count: others.length }) : text
  }

  /** The name of the limit, or the condition. */
  #what({ limit, condition }: LimitEvent): string {
    return (limit && toShortLine(limit)) || (condition ? this.#translate(`alarms.subject.${condition}`) : '')
  }

  /** The device and the channel. */
  #place({ condition, name, base, serial, channel, label }: LimitEvent): string {
    if (condition === 'no-match') return this.#translate('alarms.text.limits')
    if (condition === 'silent' && serial === null && base !== null) {
      const unit = toShortLine(base)
      const named = name ? `${toShortLine(name)}${inBrackets(unit)}` : unit
      return this.#translate('alarms.text.base-unit', { base: named })
    }
    if (serial === null) return this.#translate('alarms.text.all-devices')
    const device = toShortLine(name || serial)
    if (channel === null) return device
    return this.#translate('alarms.text.place', { device, channel: toShortLine(label || `ch${channel}`) })
  }

  #placeAndName(event: LimitEvent): string {
    return this.#place(event) + inBrackets(event.limit && toShortLine(event.limit))
  }

  /** The newest value of a run that lasts, which may be old. */
  #present(clock: LocalClock, value: string, measuredAt: number | undefined): string {
    const isOld = measuredAt !== undefined && this.#now() - measuredAt > this.#silentAfterMs
    if (!isOld) return this.#translate('alarms.text.now', { value })
    const time = this.#time(clock, measuredAt) + this.#offset(clock, measuredAt)
    return this.#translate('alarms.text.last', { value, time })
  }

  #duration(minutes: number): string {
    const { key, ...numbers } = splitDuration(minutes)
    return this.#translate(`alarms.text.${key}`, numbers)
  }

  /** The beginning and the end, with their offset once if it is the same. */
  #period(clock: LocalClock, from: string | null, until: string | null): { since: string; until: string } {
    const time = (iso: string | null) => (iso === null ? '' : this.#time(clock, Date.parse(iso)))
    const offset = (iso: string | null) => (iso === null ? '' : this.#offset(clock, Date.parse(iso)))
    const isRepeated = until !== null && offset(from) === offset(until)
    return { since: time(from) + (isRepeated ? '' : offset(from)), until: time(until) + offset(until) }
  }

  /** The time of day, with the date if it is a day or more away. */
  #time(clock: LocalClock, instant: number): string {
    const time = timeOf(clock, instant)
    return Math.abs(this.#now() - instant) < DAY_MS ? time : `${dateOf(clock, instant).slice(5)} ${time}`
  }

  /** ` UTC+9`, if the clock of the machine that runs Node-RED shows another time. */
  #offset(clock: LocalClock, instant: number): string {
    const offset = clock.offsetAt(instant)
    return offset === this.#host.offsetAt(instant) ? '' : ` ${shortOffset(offset)}`
  }
}

const shown = (measured: number | null, { unit }: LimitEvent) =>
  measured === null ? '' : withUnit(measured, toShortLine(unit ?? ''))

const inBrackets = (text: string | null) => (text ? ` (${text})` : '')

/** What must be said of an event that tells of the past. */
function remarkOf({ state, late, revised }: LimitEvent): 'revised' | 'late' | undefined {
  if (state === 'acknowledged') return undefined
  if (revised) return 'revised'
  return late ? 'late' : undefined
}

/** Whether an event tells what a command has done, or that a mute is over. */
const isNotice = ({ state }: LimitEvent) => ['acknowledged', 'muted', 'unmuted'].includes(state)

/** The key of the texts of a test, which may be about a device. */
const testKeyOf = ({ serial }: LimitEvent) => (serial === null ? 'test' : 'test-device')

/** The key of the sentence about an event, below `alarms.text`. */
function keyOf({ state, condition, serial, detail, minutes }: LimitEvent): string {
  if (state === 'normal' || state === 'ended') return `${condition}.${state}`
  if (condition === 'battery') return `${detail}`
  if (condition === 'silent' && serial === null) return 'silent.base'
  if (condition === 'silent' && detail === 'never') return 'silent.never'
  return `${condition}.${minutes === 0 ? 'begins' : 'lasts'}`
}
