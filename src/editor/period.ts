import type { Form } from './red'

/** The two ends of a period as typed inputs. */
export function preparePeriod(form: Form): void {
  const rel = { value: 'rel', label: form._('period.rel'), icon: 'fa fa-history' }
  const date = { value: 'date', label: form._('period.date'), icon: 'fa fa-calendar' }
  for (const [end, fallback] of [
    ['from', 'rel'],
    ['to', 'date'],
  ] as const) {
    $(`#node-input-${end}`).typedInput({
      default: fallback,
      typeField: `#node-input-${end}Type`,
      types: [rel, date, 'msg', 'flow', 'global', 'env', 'jsonata'],
    })
  }
}
