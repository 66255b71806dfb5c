import { needsMessage } from '../shared/action-schemas'
import type { ReportPage } from '../shared/admin'
import { isEnvVariable } from '../shared/schema'
import { chosen, readAccountNode } from './account-draft'
import type { FormParts } from './action-form'
import { requestAdmin } from './admin-request'
import { translate } from './red'
import type { ActionConfig } from './request-budget'

/** *Preview*: makes the page of the first device for the settings in the form, and offers it as a link. */
export class ReportPreview {
  readonly #parts: FormParts
  readonly #findInvalid: (config: ActionConfig) => string | undefined
  readonly #button: JQuery
  readonly #lines: JQuery
  /** The request that is running. */
  #running: AbortController | undefined
  #url: string | undefined

  /** @param findInvalid the sentence about the first invalid setting */
  constructor(parts: FormParts, findInvalid: (config: ActionConfig) => string | undefined) {
    this.#parts = parts
    this.#findInvalid = findInvalid
    const { page } = parts
    this.#button = page.find('#envlog-preview').on('click', () => this.#begin())
    // jQuery UI triggers this when Node-RED removes the form.
    this.#lines = page.find('#envlog-preview-lines').on('remove', () => this.show())
    page.on('change input', () => this.show())
  }

  /** Call this when a setting has changed, so that the page does not apply any more. */
  show(): void {
    this.#running?.abort()
    this.#running = undefined
    this.#lines.empty()
    this.#button.prop('disabled', false)
    if (this.#url !== undefined) URL.revokeObjectURL(this.#url)
    this.#url = undefined
  }

  #begin(): void {
    this.show()
    const { limits, ...others } = this.#parts.read()
    const config: ActionConfig = { ...others, limits: chosen(limits) }
    const problem = this.#findProblem(config)
    if (problem !== undefined) this.#addLine('fa-times', problem)
    else void this.#request(config)
  }

  /** The sentence that says why the page cannot be made, without a request. */
  #findProblem(config: ActionConfig): string | undefined {
    if (isEnvVariable(config.account)) return translate('try.account-variable')
    if (!readAccountNode(String(config.account))) return translate('try.no-account')
    if (needsMessage(config)) return translate('try.needs-message')
    return this.#findInvalid(config)
  }

  async #request(config: ActionConfig): Promise<void> {
    const running = new AbortController()
    this.#running = running
    this.#button.prop('disabled', true)
    this.#addLine('fa-spinner fa-pulse', translate('report.previewing'))
    const { id, z, g } = this.#parts.form
    const body = {
      account: readAccountNode(String(config.account)),
      node: { ...config, id, z, g },
      limits: readLimitsNode(String(config.limits)),
    }
    const result = await requestAdmin<ReportPage>('preview', body, running.signal).catch(
      (error: Error) => error,
    )
    if (running.signal.aborted) return
    this.show()
    if (result instanceof Error) this.#addLine('fa-times', result.message)
    else this.#offer(result)
  }

  #offer({ page }: ReportPage): void {
    this.#url = URL.createObjectURL(new Blob([page], { type: 'text/html' }))
    const link = $('<a target="_blank" rel="noopener">')
      .attr('href', this.#url)
      .text(translate('report.preview-open'))
    this.#addLine('fa-check', translate('report.preview-made')).append(' ', link)
    link.trigger('focus')
  }

  #addLine(icon: string, text: string): JQuery {
    return $('<div class="envlog-test-line">')
      .append($('<i aria-hidden="true">').addClass(`fa ${icon}`), document.createTextNode(` ${text}`))
      .appendTo(this.#lines)
  }
}

/** The settings of the chosen limits, deployed or not. */
function readLimitsNode(id: string): object | undefined {
  const node = RED.nodes.node(id)
  if (node?.type !== 'envlog-limits' || node.d) return undefined
  const { limits, limitsType, silentAfter } = node
  return { limits, limitsType, silentAfter }
}
