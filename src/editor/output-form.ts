import type { ActionType } from '../shared/action'
import { OFFERED, type Output, SENDS, type Send } from '../shared/outputs'
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
  const offered: Partial<Record<string, readonly Send[]>> = OFFERED[type]
  const output = $('#node-input-output')
  const send = $('#node-input-send')
  /** Values for the chosen output. One that is an environment variable may have any of them. */
  const sendsOf = (chosen: unknown) => offered[String(chosen)] ?? SENDS.filter(isOffered)
  const isOffered = (value: Send) => Object.values(offered).some((sends) => sends?.includes(value))
  const fillSend = (wanted: unknown) => {
    const options = sendsOf(output.val()).map((value) => [value, translate(`send.${value}`)] as const)
    fillSelect(send, options, wanted)
  }
  const outputs = (Object.keys(offered) as Output[]).map((value) => [value, outputName(type, value)] as const)
  fillSelect(output, outputs, form.output)
  fillSend(form.send)
  let shown = output.val()
  output.on('change', () => {
    // Node-RED triggers this for each field of a form that it opens.
    if (output.val() === shown) return
    shown = output.val()
    const value = send.val() as Send
    fillSend(isEnvVariable(value) || sendsOf(shown).includes(value) ? value : '')
    // Node-RED has validated the value that the other output had.
    send.trigger('change')
  })
}
