import { isNeverBefore, readRelative, readTime } from '../shared/moment'
import { check, type FindProblem } from './properties'
import { type Form, translate } from './red'

const ENDS = { from: 'rel', to: 'date' } as const

/** The two ends of a period as typed inputs. */
export function preparePeriod(form: Form): void {
  for (const [end, fallback] of Object.entries(ENDS)) {
    // Node-RED puts the reason of a wrong value on the input that a typed input hides: its own types show theirs.
    const validate = (value: string) => check(form, end, value, findPeriodProblem)
    const rel = { value: 'rel', label: form._('period.rel'), icon: 'fa fa-history', validate }
    const date = { value: 'date', label: form._('period.date'), icon: 'fa fa-calendar', validate }
    $(`#node-input-${end}`).typedInput({
      default: fallback,
      typeField: `#node-input-${end}Type`,
      types: [rel, date, 'msg', 'flow', 'global', 'env', 'jsonata'],
    })
  }
  // Whether the end is after the beginning changes with both.
  $('#node-input-from').on('change', () => {
    $('#node-input-to').trigger('change')
  })
}

/**
 * What is wrong with one end of a period: a time, or a property that Node-RED can read. The end must not be before the
 * beginning.
 */
export const findPeriodProblem: FindProblem = (end, settings) => {
  const [text, type] = [String(settings[end] ?? ''), String(settings[`${end}Type`])]
  if (type === 'rel') {
    if (text !== '' && readRelative(text) === null) return { problem: 'relative' }
  } else if (type === 'date') {
    if (text !== '' && !readTime(text)) return { problem: 'time' }
  } else {
    const verdict = RED.utils.validateTypedProperty(text, type, { label: translate(`range.${end}`) })
    if (verdict !== true) return verdict
  }
  return end === 'to' && isEmptyPeriod(settings) ? { problem: 'period' } : undefined
}

/** Whether a period ends before it begins, as far as the form shows it; blank ends mean 24 hours ago and now. */
function isEmptyPeriod({ from, fromType, to, toType }: Readonly<Record<string, unknown>>): boolean {
  const begins = fromType === 'rel' ? readRelative(String(from || '-24h')) : null
  const ends = toType === 'rel' ? readRelative(String(to)) : to ? null : 0
  if (begins !== null && ends !== null) return ends >= begins
  const [one, other] = [readTime(String(from)), readTime(String(to))]
  return fromType === 'date' && toType === 'date' && !!one && !!other && isNeverBefore(one, other)
}
