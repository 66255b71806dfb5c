import { CALENDAR_PERIODS, readCalendarPeriod, VALUE_TYPES } from '../shared/period-types'
import type { Problem } from '../shared/problems'
import { readRelative, readTime } from '../shared/time-input'
import { nameTypedInput } from './fields'
import { check, type FindProblem } from './properties'
import { type Form, translate } from './red'

/** Turns the two bounds of a period into typed inputs, and updates the rows that depend on them. */
export function preparePeriod(form: Form): void {
  const [from, to, time] = [$('#node-input-from'), $('#node-input-to'), $('#node-input-time')]
  const options = CALENDAR_PERIODS.map((value) => ({ value, label: translate(`period.${value}`) }))
  const calendar = { value: 'calendar', label: translate('period.calendar'), options }
  /** Options of the typed input for a bound. With an icon, its button would not show the name of the type. */
  const bound = (end: 'from' | 'to', fallback: string) => {
    // Node-RED attaches the reason for an invalid value to the input that the typed input hides. Therefore, our types
    // validate the value and show the reason themselves.
    const validate = (value: string) => check(form, end, value, findPeriodProblem)
    const rel = { value: 'rel', label: translate('period.rel'), validate }
    const expand = { icon: 'fa-calendar', minWidth: 230, content: dateContent }
    const date = { value: 'date', label: translate('period.date'), validate, expand }
    const types = [...(end === 'from' ? [calendar] : []), rel, date, ...VALUE_TYPES]
    return { default: fallback, typeField: `#node-input-${end}Type`, types }
  }
  from.typedInput(bound('from', 'rel'))
  to.typedInput(bound('to', 'date'))
  for (const field of [from, to]) nameTypedInput(field)
  const updateRows = () => {
    const isCalendar = $('#node-input-fromType').val() === 'calendar'
    $('label[for=node-input-from] span').text(translate(isCalendar ? 'range.period' : 'label.from'))
    // Nobody looks for calendar periods in the list of types.
    $('#envlog-calendar').toggle(!isCalendar)
    // Statistics are always in local time.
    const isLocal = time.val() === 'local' || $('#node-input-output').val() === 'statistics'
    $('.envlog-utc-days').toggle(isCalendar && !isLocal)
  }
  for (const [end, field] of Object.entries({ from, to })) clearUnreadable(end, field)
  from.add(time).add('#node-input-output').on('change', updateRows)
  $('#envlog-local-days').on('click', () => time.val('local').trigger('change'))
  $('#envlog-calendar button').on('click', () => void from.typedInput('type', 'calendar'))
  updateRows()
  // A change of the start may make the end valid or invalid.
  from.on('change', () => void to.trigger('change'))
}

/** Clears a bound when its type changes to one that cannot read its text. */
function clearUnreadable(end: string, field: JQuery): void {
  const typeField = $(`#node-input-${end}Type`)
  let type = typeField.val()
  field.on('change', () => {
    if (typeField.val() === type) return
    type = typeField.val()
    if (field.val() && findUnreadable(end, String(field.val()), String(type))) field.typedInput('value', '')
  })
}

/** Fills the panel of a typed input with the browser's date and time picker. */
function dateContent(this: { value(text?: string): string }, container: JQuery): { onclose(): void } {
  const [, date, clock = '00:00'] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d))?/.exec(this.value()) ?? []
  const picker = $('<input type="datetime-local" class="envlog-date-time">')
    .attr('aria-label', translate('period.date'))
    .val(date ? `${date}T${clock}` : '')
  picker.on('change', () => {
    if (picker.val()) this.value(String(picker.val()).replace('T', ' '))
  })
  container.append(picker)
  // Node-RED shows the panel only after this function returns.
  window.setTimeout(() => {
    picker.trigger('focus')
    ;(picker[0] as HTMLInputElement).showPicker()
  })
  return { onclose: () => {} }
}

/**
 * The problem with a bound of a period, if any. A bound must be a time or a property that Node-RED can read, and the
 * end must be later than the start.
 */
export const findPeriodProblem: FindProblem = (end, settings) => {
  const [text, type] = [String(settings[end] ?? ''), String(settings[`${end}Type`])]
  const isEmpty = end === 'to' && isEmptyPeriod(settings)
  return findUnreadable(end, text, type) ?? (isEmpty ? { problem: 'period' } : undefined)
}

/** The problem with the text of a bound, if a bound of its type cannot be read from it. */
function findUnreadable(end: string, text: string, type: string): Problem | string | undefined {
  const own = OWN_TYPES[type]
  if (own) return text !== '' && own.read(text) == null ? own.problem : undefined
  const result = RED.utils.validateTypedProperty(text, type, { label: translate(`label.${end}`) })
  return result === true ? undefined : result
}

/** The types of a bound that Node-RED does not validate. `read` returns nothing for a text with the `problem`. */
const OWN_TYPES: Record<string, { read(text: string): unknown; problem: Problem }> = {
  rel: { read: readRelative, problem: { problem: 'relative' } },
  date: { read: readTime, problem: { problem: 'time' } },
  calendar: {
    read: readCalendarPeriod,
    problem: { problem: 'choice', choices: CALENDAR_PERIODS.join(', ') },
  },
}

/** The largest and the smallest UTC offset in the world, in ms. */
const [EARLIEST_ZONE, LATEST_ZONE] = [14 * 3_600_000, -12 * 3_600_000]

/**
 * Whether the end is certainly not later than the start. False if a bound is known only at run time. A blank start
 * means 24 hours ago; a blank end means now.
 */
function isEmptyPeriod({ from, fromType, to, toType }: Readonly<Record<string, unknown>>): boolean {
  const start = from ? readBound(fromType, from, EARLIEST_ZONE) : readBound('rel', '-24h', 0)
  const end = to ? readBound(toType, to, LATEST_ZONE) : { now: 0 }
  // Only times with the same origin can be compared.
  return Object.entries(start).some(([origin, time]) => time >= (end[origin] ?? Number.POSITIVE_INFINITY))
}

/**
 * The time of a bound, in ms from each origin for which it is known: `now`, `instant` or `wallClock`.
 * @param zone UTC offset that converts a local time to an instant
 */
function readBound(type: unknown, value: unknown, zone: number): Record<string, number> {
  const text = String(value)
  const ago = type === 'rel' ? readRelative(text) : null
  if (ago !== null) return { now: -ago }
  const time = type === 'date' ? readTime(text) : null
  return time && 'wallClock' in time ? { ...time, instant: time.wallClock - zone } : { ...time }
}
