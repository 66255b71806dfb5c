import type { ActionType } from '../shared/action'
import { readLimits } from '../shared/limits'
import { OFFERED, type Output, type Send } from '../shared/outputs'
import { type Asking, budgetOf, countOf, demandOf, rowsOf, togetherOf } from './demand'
import { type DeviceSource, listedIn } from './device-source'
import { ofToday } from './of-today'
import type { Form } from './red'
import { language } from './red'

/** Messages by type, output and send, as the runtime makes them, as JSON: the build puts them in. */
declare const ENVLOG_SAMPLES: string

/** What the form says while it is edited: what will be sent, an example of it, and what it costs of the quota. */
export function tellWhatComes(form: Form, source: DeviceSource, edited: () => Asking): () => void {
  const type = form.type as ActionType
  const samples = JSON.parse(ENVLOG_SAMPLES) as Record<string, object>
  // While another page covers it, the form is not in the document: what it needs is looked up now.
  const names = ['output', 'send', 'repeat', 'select', 'account'] as const
  const inputs = Object.fromEntries(names.map((name) => [name, $(`#node-input-${name}`)]))
  const [sends, sample, budgetLine] = [$('#envlog-sends'), $('#envlog-sample'), $('#envlog-budget')]
  const value = (name: (typeof names)[number]) => String(inputs[name]?.val() ?? '')

  function sending(): [output: Output, send: Send | undefined] {
    const output = value('output') as Output
    const offered: readonly Send[] = OFFERED[type][output] ?? []
    return [output, offered.length > 1 ? (value('send') as Send) : offered[0]]
  }

  function showSending(asking: Asking): void {
    const [output, send] = sending()
    if (!send) return
    const count = countOf(asking, listedIn(source)?.devices)
    const which =
      count === undefined ? form._(`told.select-${asking.select}`) : form._('told.devices', { count })
    const how = { which, send: form._(`send.${send}`), output: form._(`output.${output}`) }
    // Base units and groups that are not in the account, or an account without devices, are chosen nevertheless.
    const wholes = { list: asking.bases, base: asking.bases, group: asking.groups }[String(asking.select)]
    const isChosen = wholes === undefined || (wholes as unknown[]).length > 0
    sends.text(count === 0 && !isChosen ? form._('told.none') : form._('told.sends', how))
    const example = samples[`${type} ${output} ${send}`]
    sample.text(example ? JSON.stringify(example, null, 2) : '')
  }

  function showBudget(asking: Asking): void {
    const devices = listedIn(source)?.devices
    const account = value('account')
    const rows = rowsOf(readLimits(String(RED.nodes.node(account)?.limits ?? '')))
    const demand = demandOf(asking, devices)
    const budget = budgetOf(demand, Number(asking.repeat) || 0, rows)
    const others: Asking[] = []
    RED.nodes.eachNode((node) => {
      const isOff = node.d || RED.nodes.workspace(String(node.z))?.disabled
      if (node.account === account && node.id !== form.id && !isOff)
        others.push(ofToday(node as Form) as unknown as Asking)
    })
    const together = togetherOf(demand, [asking, ...others], devices, rows)
    const isTooMuch = (together?.share ?? 0) > 1
    const of = (endpoint: string) => form._(`endpoint.${endpoint}`)
    const said: string[] = []
    if (demand === null) said.push(form._('told.round-unknown'))
    if (budget) said.push(form._('told.round', { count: budget.requests }))
    if (budget && budget.seconds > 0) said.push(form._('told.lasts', { time: lasting(form, budget.seconds) }))
    if (budget && budget.share > 0) {
      said.push(form._('told.share', { share: percent(budget.share), endpoint: of(budget.endpoint) }))
    }
    if (isTooMuch && together) {
      const isAlone = (budget?.share ?? 0) >= together.share
      const parts = { share: percent(together.share), endpoint: of(together.endpoint) }
      said.push(isAlone ? form._('told.too-much', parts) : form._('told.too-much-together', parts))
    }
    // A full stop of Japanese has its space within.
    const sentences = said.join(' ').replaceAll('。 ', '。')
    budgetLine.text(sentences).parent().toggleClass('envlog-too-much', isTooMuch)
  }

  const show = () => {
    const asking = edited()
    showSending(asking)
    showBudget(asking)
  }
  for (const input of Object.values(inputs)) input.on('change input', show)
  source.listen(show)
  show()
  return show
}

const percent = (share: number) =>
  new Intl.NumberFormat(language(), { style: 'percent', maximumSignificantDigits: 2 }).format(share)

/** *2 h 30 min*, *50 s*. */
function lasting(form: Form, seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  if (seconds < 120) return form._('told.seconds', { seconds })
  if (minutes < 60) return form._('told.minutes', { minutes })
  return form._('told.hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
}
