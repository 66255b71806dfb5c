import type { Form } from './red'
import { checkPeriodEnd } from './validators'

/** The two ends of a period as typed inputs. */
export function preparePeriod(form: Form): void {
  for (const [end, fallback] of [
    ['from', 'rel'],
    ['to', 'date'],
  ] as const) {
    // Node-RED puts the reason of a wrong value on the input that a typed input hides: its own types show theirs.
    const validate = (value: string) => checkPeriodEnd(form, end, value)
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
