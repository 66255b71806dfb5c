import { prepareFields } from './fields'
import { type Form, language, translate } from './red'
import { readSamples } from './samples'

/** Prepares the form of envlog-alarms. */
export function prepareAlarms(form: Form): void {
  prepareFields(form, $('[id^=node-input-]'))
  // Node-RED has replaced this field by a list.
  $('#node-input-limits').attr('aria-description', translate('alarms.hint-limits'))
  const [output, send] = [$('#node-input-output'), $('#node-input-send')]
  const samples = readSamples()
  const show = () => {
    const key = `${form.type} ${output.val()} ${send.val()}`
    const sample = samples[`${key} ${language()}`] ?? samples[`${key} en-US`]
    $('#envlog-sample').text(sample ? JSON.stringify(sample, null, 2) : '')
  }
  output.add(send).on('change', show)
  show()
}
