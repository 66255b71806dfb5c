import { readLimitsTable } from '../shared/account-schema'
import { needsMessage } from '../shared/action-schemas'
import type { AdminFailure, Trial, TrialLine } from '../shared/admin'
import { isEnvVariable } from '../shared/schema'
import { limitRow } from '../shared/service-limits'
import { readAccountNode } from './account-draft'
import { requestAdmin, toSentence } from './admin-request'
import { formatDuration } from './format-duration'
import { ago, valuesOf } from './picker/device-texts'
import { clockTime, type Form, formatNumber, translate } from './red'
import type { ActionConfig } from './request-budget'

/** *Try now*: shows the messages for the settings in the form instead of the example message. */
export class NodeTrial {
  readonly #form: Form
  readonly #page: JQuery
  readonly #read: () => ActionConfig
  readonly #findInvalid: (config: ActionConfig) => string | undefined
  readonly #button: JQuery
  readonly #lines: JQuery
  readonly #messages: JQuery
  /** The trial that is running. */
  #running: AbortController | undefined
  #isShown = false

  /**
   * @param page contains the fields
   * @param read reads the settings as the form currently shows them
   * @param findInvalid the sentence about the first invalid setting
   */
  constructor(
    form: Form,
    page: JQuery,
    read: () => ActionConfig,
    findInvalid: (config: ActionConfig) => string | undefined,
  ) {
    this.#form = form
    this.#page = page
    this.#read = read
    this.#findInvalid = findInvalid
    this.#button = page.find('#envlog-try').on('click', () => this.#begin())
    this.#lines = page.find('#envlog-try-lines')
    // jQuery UI triggers this when Node-RED removes the form.
    this.#messages = page.find('#envlog-sample').on('remove', () => this.#running?.abort())
  }

  /** Whether the box shows a trial, and not the example message. */
  get isShown(): boolean {
    return this.#isShown
  }

  /** Call this when a setting has changed, so that the result does not apply any more. */
  clear(): void {
    this.#running?.abort()
    this.#running = undefined
    this.#isShown = false
    this.#lines.empty()
    this.#button.prop('disabled', false)
  }

  #begin(): void {
    if (this.#running) return
    this.clear()
    this.#page.find('.envlog-example > details').prop('open', true)
    const config = this.#read()
    const problem = this.#findProblem(config)
    if (problem !== undefined) this.#showFailure(problem)
    else if (config.type === 'envlog-alerts') this.#ask(config)
    else void this.#try(config)
  }

  /** The sentence that says why the settings cannot be tried, without a request. */
  #findProblem(config: ActionConfig): string | undefined {
    if (isEnvVariable(config.account)) return translate('try.account-variable')
    if (!readAccountNode(String(config.account))) return translate('try.no-account')
    if (needsMessage(config)) return translate('try.needs-message')
    return this.#findInvalid(config)
  }

  /** Asks before a request for alerts, because few are allowed. */
  #ask(config: ActionConfig): void {
    const limits = readLimitsTable(String(RED.nodes.node(String(config.account))?.limits ?? ''))
    const { limit, window } = limitRow('alert', limits)
    const params = { limit: formatNumber(limit), time: formatDuration(window) }
    const button = (key: string, act: () => void) =>
      $('<button type="button" class="red-ui-button red-ui-button-small">')
        .text(translate(key))
        .on('click', () => {
          this.#lines.empty()
          this.#button.trigger('focus')
          act()
        })
    const use = button('try.use', () => void this.#try(config))
    const cancel = button('try.cancel', () => {})
    this.#addLine('fa-question-circle', translate('try.ask', params))
    $('<div class="envlog-test-line">').append(use, ' ', cancel).appendTo(this.#lines)
    use.trigger('focus')
  }

  async #try(config: ActionConfig): Promise<void> {
    if (this.#running) return
    const running = new AbortController()
    this.#running = running
    this.#button.prop('disabled', true)
    this.#addLine('fa-spinner fa-pulse', translate('try.asking'))
    const { id, z, g } = this.#form
    const account = readAccountNode(String(config.account))
    const body = { account, node: { ...config, id, z, g } }
    const result = await requestAdmin<Trial>('try', body, running.signal).catch((error: Error) => error)
    if (running.signal.aborted) return
    this.clear()
    if (result instanceof Error) this.#showFailure(result.message)
    else this.#show(result, config)
  }

  #showFailure(sentence: string): void {
    this.#isShown = true
    this.#messages.empty()
    this.#addLine('fa-times', sentence)
  }

  #show(trial: Trial, config: ActionConfig): void {
    const { messages, count, device, isPartial, failures } = trial
    this.#isShown = true
    const shown = messages.map((message) => JSON.stringify(message, null, 2))
    this.#messages.text(shown.join('\n\n'))
    this.#addLine('fa-check', describeUse(trial))
    this.#showLines(trial)
    if (device && device.count > 1) {
      const { serial, name = serial } = device
      this.#addLine('fa-info', translate('try.device', { name, count: formatNumber(device.count) }))
    }
    if (count === 0) this.#addLine('fa-info', translate('try.none'))
    if (count > messages.length)
      this.#addLine('fa-info', translate('try.first', { shown: messages.length, all: formatNumber(count) }))
    if (isPartial) this.#addLine('fa-info', translate('try.partial'))
    if (config.onlyNew === true) this.#addLine('fa-info', translate('try.only-new'))
    for (const failure of failures) this.#addLine('fa-times', describe(failure))
  }

  #showLines({ lines, lineCount }: Trial): void {
    if (lines.length === 0) return
    const now = Date.now()
    const texts = lines.map((line) => describeLine(line, now))
    if (lineCount > lines.length) texts.push(translate('picker.more', { count: lineCount - lines.length }))
    $('<ul class="envlog-try-words">')
      .append(texts.map((text) => $('<li>').text(text)))
      .appendTo(this.#lines)
  }

  #addLine(icon: string, text: string): JQuery {
    return $('<div class="envlog-test-line">')
      .append($('<i aria-hidden="true">').addClass(`fa ${icon}`), document.createTextNode(` ${text}`))
      .appendTo(this.#lines)
  }
}

/** Maximum number of values in a line. */
const MAX_VALUES = 4

/** A device, record or alert in words: *Freezer 1 · -18.5 °C · 1 min. ago*. */
export function describeLine({ name, channels, text, timestamp }: TrialLine, now: number): string {
  const when = timestamp === null ? translate('picker.never') : ago(timestamp, now)
  return [name, text ?? valuesOf({ channels }, MAX_VALUES), when].filter((part) => part !== '').join(' · ')
}

const describe = (failure: AdminFailure) => toSentence(failure, 'try')

function describeUse({ requests, left = 0 }: Trial): string {
  return translate(`try.used-${requests}`, { time: clockTime(Date.now()), left: formatNumber(left) })
}
