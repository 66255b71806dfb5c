import type { ActionType } from '../shared/action'
import { OFFERED, OUTPUT_SETTINGS, OUTPUT_TRAITS, type Output } from '../shared/outputs'
import { type Form, fillSelect, translate } from './red'

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
  const showChunk = () => void $('.envlog-chunk').toggle(send.val() === 'chunk')
  const showSends = (wanted: unknown) => {
    const chosen = output.val() as Output
    const sends = (offered[chosen] ?? []).map((value) => [value, translate(`send.${value}`)] as const)
    fillSelect(send, sends, wanted)
    $('.envlog-send').toggle(sends.length > 1)
    for (const name of OUTPUT_SETTINGS)
      $(`.envlog-${name}`).toggle(OUTPUT_TRAITS[chosen].settings.includes(name))
    showChunk()
  }
  const outputs = (Object.keys(offered) as Output[]).map((value) => [value, outputName(type, value)] as const)
  fillSelect(output, outputs, form.output)
  showSends(form.send)
  output.on('change', () => showSends(send.val()))
  send.on('change', showChunk)
}
