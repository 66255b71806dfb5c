import { STARTS } from '../shared/action'
import { nameTypedInput } from './fields'
import { translate } from './red'

/** Validates *Delivered when* again after a change of the fields that determine whether receipts are possible. */
export function prepareOnlyNew(): void {
  const fields = $('#node-input-onlyNew, #node-input-output, #node-input-send')
  fields.on('change', () => void $('#node-input-advance').trigger('change'))
}

/** Turns the property `start`, which is a word or a time, into a typed input. */
export function prepareStart(): void {
  const start = $('#node-input-start')
  const saved = String(start.val() ?? '')
  const words = STARTS.map((value) => ({ value, label: translate(`start.${value}`), hasValue: false }))
  const time = { value: 'time', label: translate('start.time'), icon: 'fa fa-clock-o' }
  const isWord = (STARTS as readonly string[]).includes(saved)
  const field = $('#envlog-start').typedInput({ types: [...words, time] })
  nameTypedInput(field)
  field.typedInput('type', isWord ? saved : 'time')
  if (!isWord) field.typedInput('value', saved)
  field.on('change', () => {
    const type = field.typedInput('type')
    start.val(type === 'time' ? field.typedInput('value') : type)
  })
}
