import type { ActionType } from '../shared/action'
import { OFFERED, OUTPUT_SETTINGS, OUTPUT_TRAITS, type Output } from '../shared/outputs'
import { type Form, translate } from './red'

/** The label of an output. In some nodes, the elements of the default output are not readings. */
export function outputName(type: ActionType, output: Output): string {
  if (output !== 'readings' || type === 'envlog-current') return translate(`output.${output}`)
  return translate(type === 'envlog-alerts' ? 'output.alerts' : 'output.records')
}

/** Prepares the fields for output and send. Only combinations that the node offers can be chosen. */
export function prepareOutput(form: Form, type: ActionType): void {
  const offered = OFFERED[type]
  const output = $('#node-input-output')
  const send = $('#node-input-send')

  const offer = (select: JQuery, texts: [value: string, text: string][], wanted: unknown) => {
    const values = texts.map(([value]) => value)
    select.empty().append(texts.map(([value, text]) => $('<option>').val(value).text(text)))
    select.val(values.find((value) => value === wanted) ?? values[0] ?? '')
  }
  const showChunk = () => {
    $('.envlog-chunk').toggle(send.val() === 'chunk')
  }
  const offerSends = (wanted: unknown) => {
    const sends = offered[output.val() as Output] ?? []
    offer(
      send,
      sends.map((value) => [value, form._(`send.${value}`)]),
      wanted,
    )
    $('.envlog-send').toggle(sends.length > 1)
    const { settings } = OUTPUT_TRAITS[output.val() as Output]
    for (const name of OUTPUT_SETTINGS) $(`.envlog-${name}`).toggle(settings.includes(name))
    showChunk()
  }

  offer(
    output,
    (Object.keys(offered) as Output[]).map((value) => [value, outputName(type, value)]),
    form.output,
  )
  offerSends(form.send)
  output.on('change', () => offerSends(send.val()))
  send.on('change', showChunk)
}
