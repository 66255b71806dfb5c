import { readLimits } from '../shared/account-schema'
import type { ActionType } from '../shared/action'
import { hasLocalTimes, OFFERED, OUTPUT_TRAITS, type Output, type Send } from '../shared/outputs'
import type { DeviceSource } from './device-source'
import { formatDuration } from './duration'
import { withLocalTimes } from './local-sample'
import { outputName } from './output-form'
import { type Form, language } from './red'
import { type ActionConfig, countDevices, toBudget } from './request-budget'

/** Example messages by type, output and send, as JSON text that the build inserts. */
declare const ENVLOG_SAMPLES: string

/** Maximum number of records or alerts that the service sends at once for a device. */
const FIRST_RUN: Partial<Record<ActionType, number>> = { 'envlog-latest': 300, 'envlog-alerts': 20 }

const INPUTS = ['output', 'send', 'repeat', 'select', 'account', 'onlyNew', 'start', 'time'] as const

/** Shows a summary of what the node will send, an example message, and the share of the quota that it needs. */
export class Preview {
  readonly #form: Form
  readonly #type: ActionType
  readonly #source: DeviceSource
  readonly #read: () => ActionConfig
  // Looked up once, because the elements are not in the document while a tray covers the form.
  readonly #inputs = new Map(INPUTS.map((name) => [name, $(`#node-input-${name}`)]))
  readonly #sends = $('#envlog-sends')
  readonly #firstRun = $('#envlog-first-run')
  readonly #sample = $('#envlog-sample')
  readonly #budget = $('#envlog-budget')
  readonly #remedy = $('#envlog-remedy')

  /** @param read reads the settings as the form currently shows them */
  constructor(form: Form, source: DeviceSource, read: () => ActionConfig) {
    this.#form = form
    this.#type = form.type as ActionType
    this.#source = source
    this.#read = read
    this.#remedy.on('click', () => {
      this.#inputs
        .get('repeat')
        ?.val(String(this.#remedy.data('seconds')))
        .trigger('change')
    })
    for (const input of this.#inputs.values()) input.on('change input', () => this.show())
    source.listen(() => this.show())
    this.show()
  }

  show(): void {
    const config = this.#read()
    const output = this.#value('output') as Output
    this.#showSending(config, output)
    this.#showBudget(config)
  }

  #value(name: (typeof INPUTS)[number]): string {
    return String(this.#inputs.get(name)?.val() ?? '')
  }

  #account(): Readonly<Record<string, unknown>> {
    return RED.nodes.node(this.#value('account')) ?? {}
  }

  #showSending(config: ActionConfig, output: Output): void {
    const form = this.#form
    const offered: readonly Send[] = OFFERED[this.#type][output] ?? []
    const send = offered.length > 1 ? (this.#value('send') as Send) : offered[0]
    if (!send) return
    const count = countDevices(config, this.#source.devices)
    const which =
      count === undefined ? form._(`summary.select-${config.select}`) : form._('summary.devices', { count })
    const parts = { which, send: form._(`send.${send}`), output: outputName(this.#type, output) }
    this.#sends.text(count === 0 ? form._('summary.none') : form._('summary.sends', parts))
    this.#firstRun.text(count === 0 ? '' : this.#describeFirstRun(output))
    this.#showSample(output, send)
  }

  #showSample(output: Output, send: Send): void {
    const { timeZone = '', temperatureUnit = '' } = this.#account()
    const samples = JSON.parse(ENVLOG_SAMPLES) as Record<string, object>
    const key = `${this.#type} ${output} ${send}`
    const sample = samples[`${key} ${temperatureUnit}`] ?? samples[key] ?? {}
    const isLocal = hasLocalTimes({ output, time: this.#value('time') })
    const shown = isLocal ? withLocalTimes(sample, String(timeZone)) : sample
    this.#sample.text(JSON.stringify(shown, null, 2))
  }

  /**
   * Describes the number of records or alerts in the first run, if the node then sends everything that the service has.
   */
  #describeFirstRun(output: Output): string {
    const most = FIRST_RUN[this.#type]
    const isOnlyNew = this.#inputs.get('onlyNew')?.is(':checked') && this.#value('start') === 'all'
    if (most === undefined || !isOnlyNew || OUTPUT_TRAITS[output].format !== 'read') return ''
    return this.#form._(`summary.first-run-${this.#type}`, { most })
  }

  /** The other nodes of the account that are not disabled. */
  #others(): ActionConfig[] {
    const others: ActionConfig[] = []
    RED.nodes.eachNode((node) => {
      const isOff = node.d || RED.nodes.workspace(String(node.z))?.disabled
      if (node.account === this.#value('account') && node.id !== this.#form.id && !isOff) others.push(node)
    })
    return others
  }

  #showBudget(config: ActionConfig): void {
    const limits = readLimits(String(this.#account().limits ?? ''))
    const budget = toBudget(config, this.#others(), this.#source.devices, limits)
    const isTooMuch = budget?.isTooMuch ?? false
    const seconds = isTooMuch ? budget?.fittingRepeat : undefined
    const form = this.#form
    const shareOf = ({ share, endpoint }: { share: number; endpoint: string }) => ({
      share: percent(share),
      endpoint: form._(`endpoint.${endpoint}`),
    })
    const lines: string[] = []
    if (!budget) lines.push(form._('summary.round-unknown'))
    else {
      const { requests: count, own, together } = budget
      if (count > 0) lines.push(form._('summary.round', { count }))
      if (budget.seconds > 0) lines.push(form._('summary.lasts', { time: formatDuration(budget.seconds) }))
      if (own.share > 0) lines.push(form._('summary.share', shareOf(own)))
      if (isTooMuch && together.share > own.share)
        lines.push(form._('summary.too-much-together', shareOf(together)))
      if (isTooMuch && seconds === undefined) lines.push(form._('summary.too-much-others'))
    }
    this.#remedy.toggle(seconds !== undefined)
    if (seconds !== undefined)
      this.#remedy.data('seconds', seconds).text(form._('summary.remedy', { seconds: number(seconds) }))
    // Japanese has no space after a full stop.
    const sentences = lines.join(' ').replaceAll('。 ', '。')
    this.#budget.text(sentences).parent().toggleClass('envlog-too-much', isTooMuch)
  }
}

const percent = (share: number) =>
  new Intl.NumberFormat(language(), { style: 'percent', maximumSignificantDigits: 2 }).format(share)

const number = (value: number) => new Intl.NumberFormat(language()).format(value)
