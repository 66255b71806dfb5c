import { readLimits } from '../shared/account-schema'
import type { ActionType } from '../shared/action'
import { OFFERED, type Output, type Send } from '../shared/outputs'
import { type DeviceSource, getDeviceList } from './device-source'
import { withLocalTimes } from './local-sample'
import type { Form } from './red'
import { language } from './red'
import {
  type ActionConfig,
  combineShares,
  countDevices,
  estimateRequests,
  limitsOf,
  toBudget,
} from './request-estimate'

/** Example messages by type, output and send, as JSON; inserted by the build. */
declare const ENVLOG_SAMPLES: string

/** Shows in the form what will be sent, an example message, and how much of the quota it needs. */
export function createPreview(form: Form, source: DeviceSource, edited: () => ActionConfig): () => void {
  const type = form.type as ActionType
  const samples = JSON.parse(ENVLOG_SAMPLES) as Record<string, object>
  // The form is not in the document while a tray covers it, so its elements are looked up now.
  const names = ['output', 'send', 'repeat', 'select', 'account', 'time'] as const
  const inputs = Object.fromEntries(names.map((name) => [name, $(`#node-input-${name}`)]))
  const [sends, sample, budgetLine] = [$('#envlog-sends'), $('#envlog-sample'), $('#envlog-budget')]
  const value = (name: (typeof names)[number]) => String(inputs[name]?.val() ?? '')

  const readAccount = (): Readonly<Record<string, unknown>> => RED.nodes.node(value('account')) ?? {}

  function sending(): [output: Output, send: Send | undefined] {
    const output = value('output') as Output
    const offered: readonly Send[] = OFFERED[type][output] ?? []
    return [output, offered.length > 1 ? (value('send') as Send) : offered[0]]
  }

  function showSending(config: ActionConfig): void {
    const [output, send] = sending()
    if (!send) return
    const count = countDevices(config, getDeviceList(source)?.devices)
    const which =
      count === undefined ? form._(`summary.select-${config.select}`) : form._('summary.devices', { count })
    const parts = { which, send: form._(`send.${send}`), output: form._(`output.${output}`) }
    // Something is chosen also if the account does not have the base units or groups, or has no devices.
    const wholes = { list: config.bases, base: config.bases, group: config.groups }[String(config.select)]
    const isChosen = wholes === undefined || (wholes as unknown[]).length > 0
    sends.text(count === 0 && !isChosen ? form._('summary.none') : form._('summary.sends', parts))
    const key = `${type} ${output} ${send}`
    const { timeZone = '', temperatureUnit = '' } = readAccount()
    const example = samples[`${key} ${temperatureUnit}`] ?? samples[key] ?? {}
    const isLocal = value('time') === 'local'
    const shown = isLocal ? withLocalTimes(example, String(timeZone)) : example
    sample.text(JSON.stringify(shown, null, 2))
  }

  function showBudget(config: ActionConfig): void {
    const devices = getDeviceList(source)?.devices
    const account = value('account')
    const rows = limitsOf(readLimits(String(readAccount().limits ?? '')))
    const estimate = estimateRequests(config, devices)
    const budget = toBudget(estimate, Number(config.repeat) || 0, rows)
    const others: ActionConfig[] = []
    RED.nodes.eachNode((node) => {
      const isOff = node.d || RED.nodes.workspace(String(node.z))?.disabled
      if (node.account === account && node.id !== form.id && !isOff) others.push(node)
    })
    const combined = combineShares(estimate, [config, ...others], devices, rows)
    const isTooMuch = (combined?.share ?? 0) > 1
    const of = (endpoint: string) => form._(`endpoint.${endpoint}`)
    const lines: string[] = []
    if (estimate === null) lines.push(form._('summary.round-unknown'))
    if (budget) lines.push(form._('summary.round', { count: budget.requests }))
    if (budget && budget.seconds > 0)
      lines.push(form._('summary.lasts', { time: formatDuration(form, budget.seconds) }))
    if (budget && budget.share > 0) {
      lines.push(form._('summary.share', { share: percent(budget.share), endpoint: of(budget.endpoint) }))
    }
    if (isTooMuch && combined) {
      const isAlone = (budget?.share ?? 0) >= combined.share
      const parts = { share: percent(combined.share), endpoint: of(combined.endpoint) }
      lines.push(isAlone ? form._('summary.too-much', parts) : form._('summary.too-much-together', parts))
    }
    // Japanese has no space after a full stop.
    const sentences = lines.join(' ').replaceAll('。 ', '。')
    budgetLine.text(sentences).parent().toggleClass('envlog-too-much', isTooMuch)
  }

  const show = () => {
    const config = edited()
    showSending(config)
    showBudget(config)
  }
  for (const input of Object.values(inputs)) input.on('change input', show)
  source.listen(show)
  show()
  return show
}

const percent = (share: number) =>
  new Intl.NumberFormat(language(), { style: 'percent', maximumSignificantDigits: 2 }).format(share)

/** *2 h 30 min*, *50 s*. */
function formatDuration(form: Form, seconds: number): string {
  const minutes = Math.ceil(seconds / 60)
  if (seconds < 120) return form._('summary.seconds', { seconds })
  if (minutes < 60) return form._('summary.minutes', { minutes })
  return form._('summary.hours', { hours: Math.floor(minutes / 60), minutes: minutes % 60 })
}
