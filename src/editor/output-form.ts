import type { ActionType } from '../shared/action'
import { OFFERED, type Output, type Send } from '../shared/outputs'
import { isEnvVariable } from '../shared/schema'
import { fillSelect } from './fields'
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
  const fillSend = (wanted: unknown) => {
    const sends = offered[output.val() as Output] ?? []
    fillSelect(
      send,
      sends.map((value) => [value, translate(`send.${value}`)] as const),
      wanted,
    )
  }
  const outputs = (Object.keys(offered) as Output[]).map((value) => [value, outputName(type, value)] as const)
  fillSelect(output, outputs, form.output)
  fillSend(form.send)
  output.on('change', () => {
    const isKept = isEnvVariable(send.val()) || offered[output.val() as Output]?.includes(send.val() as Send)
    fillSend(isKept ? send.val() : '')
  })
}
