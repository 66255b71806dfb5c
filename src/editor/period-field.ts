import { CALENDAR_PERIODS, readCalendarPeriod } from '../shared/period-types'
import type { Problem } from '../shared/problems'
import { readRelative, readTime } from '../shared/time-input'
import { check, type FindProblem } from './properties'
import { type Form, translate } from './red'

const BOUNDS = { from: 'rel', to: 'date' } as const

/** Turns the two bounds of a period into typed inputs, and updates the rows that depend on them. */
export function preparePeriod(form: Form): void {
  for (const [end, fallback] of Object.entries(BOUNDS)) {
    // Node-RED attaches the reason for an invalid value to the input that the typed input hides. Therefore, our types
    // validate the value and show the reason themselves.
    const validate = (value: string) => check(form, end, value, findPeriodProblem)
    const rel = { value: 'rel', label: form._('period.rel'), icon: 'fa fa-history', validate }
    const date = {
      ...{ value: 'date', label: form._('period.date'), icon: 'fa fa-clock-o', validate },
      expand: { icon: 'fa-calendar', minWidth: 230, content: dateContent },
    }
    $(`#node-input-${end}`).typedInput({
      default: fallback,
      typeField: `#node-input-${end}Type`,
      types: [
        ...(end === 'from' ? [calendarType(form)] : []),
        rel,
        date,
        'msg',
        'flow',
        'global',
        'env',
        'jsonata',
      ],
    })
  }
  const time = $('#node-input-time')
  const updateRows = () => {
    const isCalendar = $('#node-input-fromType').val() === 'calendar'
    $('.envlog-period-end').toggle(!isCalendar)
    $('label[for=node-input-from] span').text(isCalendar ? form._('range.period') : form._('label.from'))
    // Statistics are always in local time.
    const isLocal = time.val() === 'local' || $('#node-input-output').val() === 'statistics'
    $('.envlog-utc-days').toggle(isCalendar && !isLocal)
  }
  $('#node-input-from, #node-input-time, #node-input-output').on('change', updateRows)
  $('#envlog-local-days').on('click', () => time.val('local').trigger('change'))
  updateRows()
  // A change of the start may make the end valid or invalid.
  $('#node-input-from').on('change', () => {
    $('#node-input-to').trigger('change')
  })
}

function calendarType(form: Form): object {
  const options = CALENDAR_PERIODS.map((value) => ({ value, label: form._(`period.${value}`) }))
  return { value: 'calendar', label: form._('period.calendar'), icon: 'fa fa-calendar', options }
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
  // The calendar period determines the end.
  if (end === 'to' && settings.fromType === 'calendar') return undefined
  if (type === 'calendar') return findCalendarProblem(end, text)
  if (type === 'rel') {
    if (text !== '' && readRelative(text) === null) return { problem: 'relative' }
  } else if (type === 'date') {
    if (text !== '' && !readTime(text)) return { problem: 'time' }
  } else {
    const result = RED.utils.validateTypedProperty(text, type, { label: translate(`label.${end}`) })
    if (result !== true) return result
  }
  return end === 'to' && isEmptyPeriod(settings) ? { problem: 'period' } : undefined
}

function findCalendarProblem(end: string, text: string): Problem | undefined {
  if (end === 'from' && (text === '' || readCalendarPeriod(text))) return undefined
  return { problem: 'choice', choices: CALENDAR_PERIODS.join(', ') }
}

/**
 * Whether the end is certainly not later than the start. False if a bound is known only at run time. A blank start
 * means 24 hours ago; a blank end means now.
 */
function isEmptyPeriod({ from, fromType, to, toType }: Readonly<Record<string, unknown>>): boolean {
  const start = from ? readBound(fromType, String(from)) : readBound('rel', '-24h')
  const end = to ? readBound(toType, String(to)) : { relativeTo: 'now', ms: 0 }
  return !!start && !!end && start.relativeTo === end.relativeTo && start.ms >= end.ms
}

/** Reads a bound. Only times relative to the same point can be compared. */
function readBound(type: unknown, text: string): { relativeTo: string; ms: number } | null {
  const ago = type === 'rel' ? readRelative(text) : null
  if (ago !== null) return { relativeTo: 'now', ms: -ago }
  const time = type === 'date' ? readTime(text) : null
  if (!time) return null
  return 'instant' in time
    ? { relativeTo: 'UTC', ms: time.instant }
    : { relativeTo: 'local time', ms: time.wallClock }
}
