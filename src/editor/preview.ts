import { readLimitsTable } from '../shared/account-schema'
import { ACTION_TYPES, type ActionType } from '../shared/action'
import { hasLocalTimes, OFFERED, OUTPUT_TRAITS, type Output, type Send } from '../shared/outputs'
import type { DeviceSource } from './device-source'
import { formatTyped } from './duration-field'
import { formatDuration } from './format-duration'
import type { NodeTrial } from './node-trial'
import { outputName } from './output-form'
import { type Form, language, translate } from './red'
import {
  type ActionConfig,
  type Budget,
  requestedDevices,
  roundUp,
  selectOf,
  toBudget,
} from './request-budget'
import { readSamples, withLocalTimes } from './samples'

/** Shows a summary of what the node will send, an example message, and the share of the quota that it needs. */
export class Preview {
  readonly #form: Form
  readonly #type: ActionType
  readonly #source: DeviceSource
  readonly #page: JQuery
  readonly #read: () => ActionConfig
  readonly #trial: NodeTrial

  /**
   * @param page contains the fields
   * @param read reads the settings as the form currently shows them
   * @param trial shows its messages instead of the example message, until a setting changes
   */
  constructor(form: Form, source: DeviceSource, page: JQuery, read: () => ActionConfig, trial: NodeTrial) {
    this.#form = form
    this.#type = form.type as ActionType
    this.#source = source
    this.#page = page
    this.#read = read
    this.#trial = trial
    const remedy = this.#part('remedy')
    remedy.on('click', () => page.find('#node-input-repeat').val(remedy.data('seconds')).trigger('change'))
    page.on('change input', () => this.show())
    source.listen(() => this.#show())
  }

  /** Shows the current settings. Call this when one has changed. */
  show(): void {
    this.#trial.clear()
    this.#show()
  }

  #show(): void {
    const config = this.#read()
    const account = RED.nodes.node(String(config.account)) ?? {}
    this.#showSending(config, account)
    this.#showBudget(config, account)
  }

  #part(name: string): JQuery {
    return this.#page.find(`#envlog-${name}`)
  }

  #showSending(config: ActionConfig, account: Readonly<Record<string, unknown>>): void {
    const output = config.output as Output
    const offered: readonly Send[] = OFFERED[this.#type][output] ?? []
    const send = offered.length > 1 ? offered.find((option) => option === config.send) : offered[0]
    if (!send) {
      // An environment variable, or a choice that is not offered.
      for (const name of ['sends', 'first-run', 'sample']) this.#part(name).empty()
      return
    }
    const count = requestedDevices(config, this.#source.devices)?.length
    const which =
      count === undefined
        ? translate(`summary.select-${selectOf(config)}`)
        : translate('summary.devices', { count })
    const parts = { which, send: translate(`send.${send}`), output: outputName(this.#type, output) }
    const none = this.#source.devices?.length === 0 ? 'summary.no-devices' : 'summary.none'
    this.#part('sends').text(translate(count === 0 ? none : 'summary.sends', parts))
    this.#part('first-run').text(count === 0 ? '' : this.#describeFirstRun(config))
    if (this.#trial.isShown) return
    const { timeZone = '', temperatureUnit = '' } = account
    const samples = readSamples()
    const key = `${this.#type} ${output} ${send}`
    const sample = samples[`${key} ${temperatureUnit}`] ?? samples[key] ?? {}
    const isLocal = hasLocalTimes({ output, time: String(config.time) })
    const shown = isLocal ? withLocalTimes(sample, String(timeZone)) : sample
    this.#part('sample').text(JSON.stringify(shown, null, 2))
  }

  /**
   * Describes the number of records or alerts in the first run, if the node then sends everything that the service has.
   */
  #describeFirstRun({ onlyNew, start, output }: ActionConfig): string {
    const isDecoded = OUTPUT_TRAITS[output as Output].format === 'read'
    return onlyNew && start === 'all' && isDecoded ? translate(`summary.first-run-${this.#type}`) : ''
  }

  #showBudget(config: ActionConfig, account: Readonly<Record<string, unknown>>): void {
    const limits = readLimitsTable(String(account.limits ?? ''))
    const budget = toBudget(config, this.#otherNodes(config.account), this.#source.devices, limits)
    const isTooMuch = budget !== undefined && budget.together > 1
    const fitting = isTooMuch ? budget.fittingRepeat : undefined
    const seconds = fitting && roundUp(fitting)
    const lines = budget ? describeBudget(budget) : [translate('summary.round-unknown')]
    const remedy = this.#part('remedy').toggle(seconds !== undefined)
    if (seconds !== undefined)
      remedy.data('seconds', seconds).text(translate('summary.remedy', { time: formatTyped(seconds, 's') }))
    // Japanese has no space after a full stop.
    const sentences = lines.join(' ').replaceAll('。 ', '。')
    this.#part('budget').text(sentences).parent().toggleClass('envlog-too-much', isTooMuch)
  }

  /** The other nodes that send requests for the account and are not disabled. */
  #otherNodes(account: unknown): ActionConfig[] {
    const others: ActionConfig[] = []
    RED.nodes.eachNode((node) => {
      const isOff = node.d || RED.nodes.workspace(String(node.z))?.disabled
      const isAction = (ACTION_TYPES as readonly string[]).includes(node.type)
      if (isAction && node.account === account && node.id !== this.#form.id && !isOff) others.push(node)
    })
    return others
  }
}

/** Sentences about a round and the share of the quota that it needs. */
function describeBudget({ requests: count, seconds, own, others, together, ...budget }: Budget): string[] {
  const endpoint = translate(`endpoint.${budget.endpoint}`)
  const lines: string[] = []
  if (count > 0) lines.push(translate('summary.round', { count }))
  if (seconds > 0) lines.push(translate('summary.lasts', { time: formatDuration(seconds) }))
  if (own > 0) lines.push(translate(...describeShare('summary.share', own, endpoint)))
  if (own > 0 && others > 0)
    lines.push(translate(...describeShare('summary.share-together', together, endpoint)))
  if (together > 1 && budget.fittingRepeat === undefined) lines.push(translate('summary.too-much-others'))
  return lines
}

/** Nobody needs to know how often more than ten times the limit would be. */
const MANY = 10
/** Nor how little less than a thousandth is. */
const LEAST_SHARE = 0.001

function describeShare(key: string, share: number, endpoint: string): [string, Record<string, unknown>] {
  if (share > MANY) return [`${key}-many`, { times: MANY, endpoint }]
  const shown = percent(Math.max(share, LEAST_SHARE))
  return [key, { share: share < LEAST_SHARE ? `< ${shown}` : shown, endpoint }]
}

const percent = (share: number) =>
  new Intl.NumberFormat(language(), { style: 'percent', maximumSignificantDigits: 2 }).format(share)
