import { readLimits } from '../shared/account-schema'
import type { ActionType } from '../shared/action'
import { hasLocalTimes, OFFERED, OUTPUT_TRAITS, type Output, type Send } from '../shared/outputs'
import { type DeviceSource, getDeviceList } from './device-source'
import { formatDuration } from './duration'
import { withLocalTimes } from './local-sample'
import { outputName } from './output-form'
import type { Form } from './red'
import { language } from './red'
import {
  type ActionConfig,
  combineShares,
  countDevices,
  estimateRequests,
  fittingRepeat,
  limitsOf,
  toBudget,
} from './request-estimate'

/** Example messages by type, output and send, as JSON; inserted by the build. */
declare const ENVLOG_SAMPLES: string

/** Maximum number of records or alerts that the service sends at once for a device. */
const FIRST_RUN: Partial<Record<ActionType, number>> = { 'envlog-latest': 300, 'envlog-alerts': 20 }

/** Shows in the form what will be sent, an example message, and how much of the quota is needed. */
export function createPreview(form: Form, source: DeviceSource, edited: () => ActionConfig): () => void {
  const type = form.type as ActionType
  const samples = JSON.parse(ENVLOG_SAMPLES) as Record<string, object>
  // While a tray covers the form it is not in the document, so its elements are looked up now.
  const names = ['output', 'send', 'repeat', 'select', 'account', 'onlyNew', 'start', 'time'] as const
  const inputs = Object.fromEntries(names.map((name) => [name, $(`#node-input-${name}`)]))
  const [sends, sample, budgetLine] = [$('#envlog-sends'), $('#envlog-sample'), $('#envlog-budget')]
  const firstRun = $('#envlog-first-run')
  const remedy = $('#envlog-remedy').on('click', () => {
    inputs.repeat?.val(String(remedy.data('seconds'))).trigger('change')
  })
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
    const parts = { which, send: form._(`send.${send}`), output: outputName(type, output) }
    // Something is chosen even if the account does not have the base units or groups, or has no devices.
    const chosen = { list: config.bases, base: config.bases, group: config.groups }[String(config.select)]
    const isChosen = chosen === undefined || (chosen as unknown[]).length > 0
    sends.text(count === 0 && !isChosen ? form._('summary.none') : form._('summary.sends', parts))
    showFirstRun(count, output)
    const key = `${type} ${output} ${send}`
    const { timeZone = '', temperatureUnit = '' } = readAccount()
    const example = samples[`${key} ${temperatureUnit}`] ?? samples[key] ?? {}
    const shown = hasLocalTimes({ output, time: value('time') })
      ? withLocalTimes(example, String(timeZone))
      : example
    sample.text(JSON.stringify(shown, null, 2))
  }

  /** Shows how much the first run sends at once, if it sends everything that the service has. */
  function showFirstRun(devices: number | undefined, output: Output): void {
    const most = FIRST_RUN[type]
    const isRead = OUTPUT_TRAITS[output].format === 'read'
    const sendsAll =
      most !== undefined && isRead && inputs.onlyNew?.is(':checked') && value('start') === 'all'
    firstRun.toggle(sendsAll && devices !== 0)
    if (!sendsAll) return
    const what = type === 'envlog-alerts' ? 'alerts' : 'records'
    const text =
      devices === undefined
        ? form._(`summary.first-run-${what}-each`, { most })
        : form._(`summary.first-run-${what}`, { most: number(most * devices) })
    firstRun.text(text)
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
      lines.push(form._('summary.lasts', { time: formatDuration(budget.seconds) }))
    if (budget && budget.share > 0) {
      lines.push(form._('summary.share', { share: percent(budget.share), endpoint: of(budget.endpoint) }))
    }
    const isAlone = (budget?.share ?? 0) >= (combined?.share ?? 0)
    if (isTooMuch && combined && !isAlone) {
      const parts = { share: percent(combined.share), endpoint: of(combined.endpoint) }
      lines.push(form._('summary.too-much-together', parts))
    }
    const seconds = isTooMuch ? fittingRepeat(estimate, others, devices, rows) : undefined
    if (isTooMuch && seconds === undefined) lines.push(form._('summary.too-much-others'))
    remedy.toggle(seconds !== undefined)
    if (seconds !== undefined)
      remedy.data('seconds', seconds).text(form._('summary.remedy', { seconds: number(seconds) }))
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

const number = (value: number) => new Intl.NumberFormat(language()).format(value)
