import type { Limit } from '../../shared/limits-schema'
import { dateOf } from '../../shared/local-clock'
import { localizeParams } from '../../shared/problems'
import { onlyUnitOf, type Quantity } from '../../shared/quantity'
import { MISSING } from '../decode/value'
import type { EnvlogError } from '../errors'
import { dateAndTime, longOffset, timeIn } from './local-time'
import { Phrases } from './phrases'
import type {
  AppliedLimit,
  Excursion,
  Missing,
  Outside,
  PeriodKind,
  ReportClock,
  ReportData,
  ReportedChannel,
  ReportedDevice,
} from './report-data'

/** Most decimals of a limit. */
const LIMIT_DECIMALS = 4

/** Codes in records in place of values (docs/service.md, *Fields*). */
const ERROR_CODES = ['E0', 'E1', 'E2', 'E3']

type MissingOfDevice = Exclude<Missing, { channel: ReportedChannel } | { kind: 'channel-absent' }>

/** What the verdict names, worst first. */
const FINDINGS = [
  'excursions',
  'unchecked',
  'noValue',
  'incomplete',
  'unreadable',
  'silent',
  'battery',
] as const
/** Of a check, in which a channel that is outside, silent or without a value has failed. */
const FINDINGS_OF_CHECK = ['failed', 'unchecked', 'unreadable', 'battery'] as const

type Bounds = Pick<AppliedLimit, 'above' | 'below'>

/** The sentences of a report: for the page, the table, and the subject of a mail. */
export class Wording extends Phrases {
  // The head

  /** The title of a report whose own title is blank. */
  title(kind: PeriodKind): string {
    return this.say(`title.${kind}`)
  }

  /** The date, the week, the month, or the times of a period. */
  period({ period, clock }: Pick<ReportData, 'period' | 'clock'>): string {
    const { kind, from, to } = period
    const show = (instant: number) => dateAndTime(clock, instant)
    const style = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(this.language, { ...options, timeZone: 'UTC' })
    const first = new Date(dateOf(clock, from))
    const date = { year: 'numeric', month: 'long', day: 'numeric' } as const
    if (kind === 'day') return style({ ...date, weekday: 'long' }).format(first)
    const last = new Date(dateOf(clock, to - 1))
    if (kind === 'week')
      return this.say('span', { from: style(date).format(first), to: style(date).format(last) })
    if (kind === 'month') return style({ year: 'numeric', month: 'long' }).format(first)
    return from === to ? show(to) : this.span(period, show)
  }

  /** Which local time it is: a time zone, or an offset. */
  zone({ clock, devices, period }: Pick<ReportData, 'clock' | 'devices' | 'period'>): string {
    if (clock.zone !== null) return clock.zone
    const offset = longOffset(clock.offsetAt(period.from))
    const isShared = devices.every((device) => longOffset(device.clock.offsetAt(period.from)) === offset)
    return this.say(isShared ? 'zone-of-devices' : 'zone-of-each', { offset })
  }

  /** What the report found, in one line. */
  verdict(data: Pick<ReportData, 'verdict' | 'period'>): string {
    const { devices, channels, withoutLimits, passed } = data.verdict.counts
    if (devices === 0) return this.say('verdict.no-devices')
    const found = this.findings(data)
    if (found.length > 0) return this.list(found)
    if (data.period.kind === 'now')
      return this.say(passed > 0 ? 'verdict.passed' : 'verdict.nothing-checked', { count: passed })
    return this.say(withoutLimits < channels ? 'verdict.normal' : 'verdict.without-limits', {
      count: devices,
    })
  }

  /** What is not as it should be, worst first: *2 excursions*. */
  findings({ verdict: { counts }, period }: Pick<ReportData, 'verdict' | 'period'>): string[] {
    const all = counts.failed + counts.passed
    return (period.kind === 'now' ? FINDINGS_OF_CHECK : FINDINGS)
      .filter((name) => counts[name] > 0)
      .map((name) => this.say(`verdict.${name}`, { count: counts[name], all }))
  }

  // Devices

  /** The name, with the serial number if another device has the same name. */
  device({ name, serial, group }: ReportedDevice, devices: readonly ReportedDevice[]): string {
    if (name === '') return serial || group
    const isShared = devices.some((other) => other.name === name && other.serial !== serial)
    return isShared ? this.say('named-serial', { name, serial }) : name
  }

  /** What is missing of a device, a sentence each. */
  missing(device: ReportedDevice): string[] {
    return device.missing.map((found) => {
      if (found.kind === 'channel-absent') return this.named(found.name, this.say('missing.channel-absent'))
      if (!('channel' in found)) return this.#missing(found, device.clock)
      const { channel, kind } = found
      const text = kind === 'no-value' ? this.noValue(channel) : this.#incomplete(channel, device)
      return this.named(device.channels.length > 1 ? channel.name : '', text)
    })
  }

  #missing(found: MissingOfDevice, clock: ReportClock): string {
    const show = (instant: number) => dateAndTime(clock, instant)
    switch (found.kind) {
      case 'failed':
        // What to do about it is told where the technician is, not on the page.
        return found.error.reason === 'device-refused'
          ? this.say('missing.refused', found.error.params)
          : this.say('missing.failed', { why: this.failure(found.error, clock) })
      case 'left-out':
        return this.failure(found.error, clock)
      case 'no-channels':
        return this.say('missing.no-channels')
      case 'no-records':
        return this.say(found.isRemote ? 'missing.no-records-remote' : 'missing.no-records')
      case 'lost':
        if (found.period === null) return this.say('missing.lost-some')
        return this.say('missing.lost', { span: this.span(found.period, show) })
      case 'silent':
        if (found.since === null) return this.say('missing.never-measured')
        return this.say('missing.silent', { since: show(found.since) })
    }
  }

  #incomplete(channel: ReportedChannel, device: ReportedDevice): string {
    const { coverage, gaps, gapsLeftOut, errors } = channel
    const show = (instant: number) => timeIn(device, device.clock, instant)
    const texts = gaps.map((gap) =>
      this.say('gap-text', { text: this.lengthOf(gap), span: this.span(gap, show) }),
    )
    if (gapsLeftOut > 0) texts.push(this.say('more-gaps', { count: gapsLeftOut }))
    if (coverage !== null) texts.unshift(this.say('measured-part', { percent: this.percent(coverage) }))
    if (errors > 0) {
      const records = this.number(errors)
      texts.push(this.say('missing.errors', { count: errors, records, why: this.error(channel.errorText) }))
    }
    return this.list(texts)
  }

  /** *no value*, and why. */
  noValue({ errors, errorText }: Pick<ReportedChannel, 'errors' | 'errorText'>): string {
    return errors > 0 ? this.named(this.say('no-value'), this.error(errorText)) : this.say('no-value')
  }

  /** What the service sent in place of a value, with the meaning of its code: *E1: sensor*. */
  error(text: string): string {
    if (text === '' || text === MISSING) return this.say('no-text')
    return ERROR_CODES.includes(text) ? this.named(text, this.say(`error.${text}`)) : text
  }

  /** Why something failed. */
  failure({ reason, params }: EnvlogError, clock: ReportClock): string {
    const { retryAt } = params
    const localized = {
      ...localizeParams(params, this.translate),
      ...(typeof retryAt === 'string' && { retryAt: dateAndTime(clock, Date.parse(retryAt)) }),
    }
    return this.translate(`errors.${reason}`, localized).trim()
  }

  /** What a channel measures; blank if unknown. */
  quantity(quantity: Quantity | null): string {
    return quantity === null ? '' : this.translate(`quantity.${quantity}`)
  }

  // Limits

  /** What a limit allows: *2 to 8 °C (for 30 min)*. */
  bounds(bounds: Bounds & { minutes: number }, unit: string): string {
    return this.#lasting(this.#range(bounds, unit), bounds.minutes)
  }

  #range({ above, below }: Bounds, unit: string): string {
    const show = (value: number) => this.withUnit(value, unit, 0, LIMIT_DECIMALS)
    if (above === null) return this.say('from', { below: show(below ?? 0) })
    if (below === null) return this.say('up-to', { above: show(above) })
    return this.say('between', { below: this.number(below, 0, LIMIT_DECIMALS), above: show(above) })
  }

  #lasting(text: string, minutes: number): string {
    return minutes > 0 ? this.say('lasting', { text, minutes: this.number(minutes) }) : text
  }

  /** The limits that apply to a channel, also in its own unit if that is another one; blank if none. */
  limits({ limits, unit }: Pick<ReportedChannel, 'limits' | 'unit'>, isLasting = true): string {
    const texts = limits.map((limit) => {
      const drawn = { above: limit.drawnAbove, below: limit.drawnBelow }
      const range = both(this.#range(limit, limit.unit), this.#range(drawn, unit))
      return this.named(limit.name, this.#lasting(range, isLasting ? limit.minutes : 0))
    })
    return this.list(texts)
  }

  /** The limit that was broken: *Too warm: above 8 °C*. @param unit of the channel */
  broken({ limit, side }: Pick<Outside, 'limit' | 'side'>, unit: string): string {
    const show = (value: number | null, own: string) => this.withUnit(value ?? 0, own, 0, LIMIT_DECIMALS)
    const drawn = side === 'above' ? limit.drawnAbove : limit.drawnBelow
    const value = both(show(limit[side], limit.unit), show(drawn, unit))
    return this.named(limit.name, this.say(side, { value }))
  }

  begin({ from, isFromKnown }: Excursion, clock: ReportClock): string {
    const time = dateAndTime(clock, from)
    return isFromKnown ? time : this.say('since-before', { time })
  }

  end({ until, isUntilKnown }: Excursion, clock: ReportClock): string {
    const time = dateAndTime(clock, until)
    return isUntilKnown ? time : this.say('lasts-beyond', { time })
  }

  length({ minutes, isFromKnown, isUntilKnown }: Excursion): string {
    const text = this.duration(minutes)
    return isFromKnown && isUntilKnown ? text : this.say('at-least', { text })
  }

  /** What a row of limits measures, and the unit of its values. */
  measured({ channel, quantity, unit }: Limit): { what: string; unit: string } {
    if (channel !== null) return { what: `ch${channel}`, unit: '' }
    const measured = quantity ?? 'temperature'
    const own = measured === 'temperature' ? `°${unit}` : onlyUnitOf(measured)
    return { what: this.translate(`quantity.${measured}`), unit: own ?? '' }
  }
}

/** A text in the unit of the limit, and in that of the channel. */
const both = (one: string, other: string) => (one === other ? one : `${one} / ${other}`)
