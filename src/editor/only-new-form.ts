import { STARTS } from '../shared/action'
import { translate } from './red'

/** Prepares the fields that are shown with *Only new*, and the receipt timeout, which is shown with receipts. */
export function prepareOnlyNew(): void {
  const [onlyNew, advance] = [$('#node-input-onlyNew'), $('#node-input-advance')]
  const show = () => {
    $('.envlog-only-new').toggle(onlyNew.is(':checked'))
    $('.envlog-acknowledged').toggle(onlyNew.is(':checked') && advance.val() === 'acknowledged')
  }
  onlyNew.add(advance).on('change', show)
  // These fields determine whether receipts are possible. A `change` event makes Node-RED validate `advance` again.
  onlyNew.add('#node-input-output, #node-input-send').on('change', () => void advance.trigger('change'))
  show()
}

/** Turns the property `start`, which is a word or a time, into a typed input. */
export function prepareStart(): void {
  const start = $('#node-input-start')
  const saved = String(start.val() ?? '')
  const words = STARTS.map((value) => ({ value, label: translate(`start.${value}`), hasValue: false }))
  const time = { value: 'time', label: translate('start.time'), icon: 'fa fa-clock-o' }
  const isWord = (STARTS as readonly string[]).includes(saved)
  const field = $('#envlog-start').typedInput({ types: [...words, time] })
  field.typedInput('type', isWord ? saved : 'time')
  if (!isWord) field.typedInput('value', saved)
  field.on('change', () => {
    const type = field.typedInput('type')
    start.val(type === 'time' ? field.typedInput('value') : type)
  })
}
