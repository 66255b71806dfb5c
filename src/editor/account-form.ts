import { isClearText, splitPassword, withoutEndpoint } from '../shared/addresses'
import type { AccountTestResult, ContextStore, TimeZoneRules } from '../shared/admin'
import { isEnvVariable } from '../shared/schema'
import { readOpenAccount } from './account-draft'
import { AdminError, localizeReason, requestAdmin } from './admin-request'
import { fillSelect, prepareFields } from './fields'
import { showQuota, watchQuota } from './quota-bars'
import { enumerated, type Form, translate } from './red'

const field = (name: string) => $(`#node-config-input-${name}`)

/** Prepares the account's form: test and report, the remaining quota, time zones, context stores, the shared quota. */
export function prepareAccount(form: Form): void {
  const requests = new DraftRequests(form.id)
  $('#envlog-test').on('click', () => void requests.test())
  prepareReport(requests)
  // Node-RED has replaced these fields by lists.
  for (const name of ['tls', 'proxy']) field(name).attr('aria-description', translate(`hint.${name}`))
  const address = field('baseUrl')
  address.on('change', () => void address.val(withoutEndpoint(String(address.val()))))
  offerTimeZones()
  void showTimeZoneRules()
  void offerStores(String(form.store ?? '').trim())
  prepareFields(form, $('[id^=node-config-input-]'))
  showNote('loginPass', 'blank', hasOuterBlank)
  watchSharedQuota()
  watchQuota(form.id)
}

/** Requests with the account as it is in the form, and the lines that show their progress and result. */
class DraftRequests {
  readonly #accountId: string
  readonly #lines = $('#envlog-test-lines')
  /** Number of changes to fields. Each one discards the result of a request in progress. */
  #changes = 0

  constructor(accountId: string) {
    this.#accountId = accountId
    this.#lines.closest('form').on('input change', () => this.#clear())
  }

  async test(): Promise<void> {
    const found = await this.send<AccountTestResult>('test')
    if (!found) return
    showQuota(found.quota)
    this.#addLine('fa-check', translate('account.test-address', { address: field('baseUrl').val() }))
    this.#addLine('fa-check', translate('account.test-login'))
    if (found.devices > 0) this.#addLine('fa-check', translate('summary.devices', { count: found.devices }))
    else this.#addLine('fa-exclamation-triangle', translate('summary.no-devices'))
    if (found.relay?.works) this.#addLine('fa-check', translate('account.test-relay'))
    else if (found.relay) {
      const why = localizeReason(found.relay)
      this.#addLine('fa-times', translate('account.test-relay-not', { why }))
    }
  }

  /** Sends a request. @returns `undefined` if it fails; the failure is shown then */
  async send<T>(path: 'test' | 'report'): Promise<T | undefined> {
    this.#clear()
    const button = $(`#envlog-${path}`).prop('disabled', true)
    this.#addLine('fa-spinner fa-pulse', translate('account.test-asking'))
    const change = this.#changes
    const account = readOpenAccount(this.#accountId)
    const result = await requestAdmin<T>(path, { account }).catch((error: Error) => error)
    button.prop('disabled', false)
    if (change !== this.#changes) return undefined
    this.#clear()
    if (!(result instanceof Error)) return result
    this.#addLine('fa-times', result.message)
    // They may be those of another address, which was tested before.
    $('#envlog-quota').hide()
    if (result instanceof AdminError && result.wasRequested)
      this.#addLine('', translate('account.test-requested', { address: field('baseUrl').val() }))
    return undefined
  }

  #clear(): void {
    this.#changes++
    this.#lines.empty()
  }

  #addLine(icon: string, text: string): void {
    $('<div class="envlog-test-line">')
      .append($('<i aria-hidden="true">').addClass(`fa ${icon}`), document.createTextNode(` ${text}`))
      .appendTo(this.#lines)
  }
}

/** Prepares *Problem report…*, which shows the anonymized responses before they are copied or saved. */
function prepareReport(requests: DraftRequests): void {
  const preview = $('#envlog-report-preview').hide()
  const text = $('#envlog-report-text')
  const copy = $('#envlog-report-copy')
  $('#envlog-report').on('click', async () => {
    preview.hide()
    const report = await requests.send<object>('report')
    if (!report) return
    const json = JSON.stringify(report, null, 1)
    text.val(json)
    $('#envlog-report-save').attr('href', `data:application/json,${encodeURIComponent(`${json}\n`)}`)
    preview.show()
  })
  copy.on('click', () => RED.clipboard.copyText(String(text.val()), copy, translate('account.report-copied')))
}

/** Lists the time zones, the browser's first. */
function offerTimeZones(): void {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const others = Intl.supportedValuesOf('timeZone').filter((name) => name !== own)
  const first = $('<option>').val(own).text(translate('account.zone-of-browser'))
  const options = others.map((name) => $('<option>').val(name))
  $('#envlog-zones').append(first, options)
}

/** Shows by which rules Node-RED calculates local times, because they change and come with Node.js. */
async function showTimeZoneRules(): Promise<void> {
  const found = await requestAdmin<TimeZoneRules>('time-zones').catch(() => undefined)
  if (!found?.rules) return
  const line = $('#envlog-zone-rules').prop('hidden', false)
  line.find('span').text(translate('account.zone-rules', { ...found }))
}

/** Offers the context stores, and shows whether the chosen one is persistent. */
async function offerStores(saved: string): Promise<void> {
  const offer = (names: readonly string[]) => {
    const options = ['', ...names].map((name) => [name, name || translate('account.store-blank')] as const)
    fillSelect(field('store'), options, field('store').val() ?? saved)
  }
  // Node-RED could not select an option that did not exist yet.
  offer([])
  const stores = await requestAdmin<ContextStore[]>('stores').catch(() => undefined)
  if (!stores) return
  const names = stores.map(({ name }) => name)
  offer(names)
  const show = () => {
    const name = String(field('store').val())
    $('#envlog-store-note').toggle(!isEnvVariable(name))
    const store = stores.find((known) => known.name === name)
    const kind = store ? (store.persistent ? 'kept' : 'forgotten') : 'unknown'
    const params = { name, stores: enumerated(names) }
    $('#envlog-store-note').text(translate(`account.store-${name === '' ? 'files' : kind}`, params))
  }
  field('store').on('change', show)
  show()
}

/** Whether a text begins or ends with a blank, which counts in a password and may come from copying it. */
const hasOuterBlank = (text: string) => text !== text.trim()

/** Shows a note below a field while its value needs it. */
function showNote(name: string, note: string, isNeeded: (value: string) => boolean): void {
  const show = () => $(`#envlog-${note}-note`).toggle(isNeeded(String(field(name).val())))
  field(name).on('input change', show)
  show()
}

/** Moves a password from the address to the credentials, because the flow file must not contain it. */
function watchSharedQuota(): void {
  const address = field('sharedQuota')
  address.on('change', () => {
    const split = splitPassword(String(address.val()))
    if (!split) return
    address.val(split.address)
    field('sharedQuotaPassword').val(split.password).trigger('change')
  })
  showNote('sharedQuota', 'shared', isClearText)
}
