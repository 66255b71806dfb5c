import { STARTS } from '../shared/action'
import type { Form } from './red'

/** The part of the form about what is new: only with *Only new*, and the wait for receipts only with them. */
export function prepareNews(form: Form, { withTime }: { withTime: boolean }): void {
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
    $('.envlog-news').toggle(onlyNew.is(':checked'))
    $('.envlog-acknowledged').toggle(onlyNew.is(':checked') && advance.val() === 'acknowledged')
  }
  onlyNew.on('change', show)
  advance.on('change', show)
  // Whether receipts are possible hangs on these: Node-RED checks a field again when it changes.
  onlyNew.add('#node-input-output, #node-input-send').on('change', () => void advance.trigger('change'))
  show()
}
