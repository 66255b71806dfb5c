import { STARTS } from '../shared/action'
import type { Form } from './red'

/** Prepares the fields that are shown with *Only new*, and the receipt timeout, which is shown with receipts. */
export function prepareOnlyNew(form: Form, { withTime }: { withTime: boolean }): void {
  const start = $('#node-input-start')
  const saved = String(start.val() ?? '')
  const words = STARTS.map((value) => ({ value, label: form._(`start.${value}`), hasValue: false }))
  const time = { value: 'time', label: form._('start.time'), icon: 'fa fa-clock-o' }
  const isWord = (STARTS as readonly string[]).includes(saved)
  const field = $('#envlog-start').typedInput({ types: withTime ? [...words, time] : words })
  field.typedInput('type', isWord ? saved : 'time')
  if (!isWord) field.typedInput('value', saved)
  field.on('change', () => {
    const type = field.typedInput('type')
    start.val(type === 'time' ? field.typedInput('value') : type)
  })

  const [onlyNew, advance] = [$('#node-input-onlyNew'), $('#node-input-advance')]
  const show = () => {
    $('.envlog-only-new').toggle(onlyNew.is(':checked'))
    $('.envlog-acknowledged').toggle(onlyNew.is(':checked') && advance.val() === 'acknowledged')
  }
  onlyNew.on('change', show)
  advance.on('change', show)
  // These fields determine whether receipts are possible. A `change` event makes Node-RED validate `advance` again.
  onlyNew.add('#node-input-output, #node-input-send').on('change', () => void advance.trigger('change'))
  show()
}
