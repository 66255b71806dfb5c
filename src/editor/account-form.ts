import { isClearText, normalizeAddress, splitPassword } from '../shared/addresses'
import {
  type AccountTestResult,
  type ContextStore,
  DRAFT_SECRETS,
  DRAFT_SETTINGS,
  type QuotaCounts,
  type RecordCounts,
} from '../shared/admin'
import { readOpenAccount } from './account-draft'
import { prepareReport, releaseReport } from './account-report'
import { type AdminRequestError, localizeReason, requestAdmin } from './admin-request'
import { formatDuration } from './duration'
import { hintAccount } from './hints'
import type { ValidatedProperty } from './properties'
import { clockTime, enumerated, type Form, language, translate } from './red'

/** A bar is marked below this share of its limit. */
const LOW_SHARE = 0.2

/** Only devices with less than half of their records left are listed: the others are uninteresting. */
const isLow = ({ left, limit }: RecordCounts) => left < limit / 2

/** Update interval of the bars, in ms. */
const REFRESH_MS = 5000

let stopRefreshing = () => {}

/** The settings that a test depends on. */
const TESTED = [...DRAFT_SETTINGS, ...DRAFT_SECRETS]

type Properties = Record<(typeof TESTED)[number], ValidatedProperty>

/** Prepares the account's form: the test button, the remaining quota, and the context stores. */
export function prepareAccount(form: Form, properties: Properties): void {
  const lines = $('#envlog-test-lines')
  const button = $('#envlog-test')
  const addLine = (icon: string, text: string) =>
    $('<div class="envlog-test-line">')
      .append($('<i aria-hidden="true">').addClass(`fa ${icon}`), document.createTextNode(` ${text}`))
      .appendTo(lines)

  const field = (name: string) => $(`#node-config-input-${name}`)
  /** The test that is running; changing a field discards its result. */
  let lastTest = 0

  function forget(): void {
    lastTest++
    lines.empty()
  }

  /** Whether the fields are valid; if not, shows the problems, worded as in their hints. */
  function isComplete(): boolean {
    const verdicts = TESTED.map((name) => properties[name].validate.call(form, field(name).val(), {}))
    const problems = verdicts.filter((verdict) => verdict !== true)
    for (const problem of problems) addLine('fa-times', problem)
    return problems.length === 0
  }

  function addressNow(): string {
    const address = String(field('baseUrl').val())
    return URL.canParse(address) ? normalizeAddress(address) : address
  }

  async function test(): Promise<void> {
    forget()
    if (!isComplete()) return
    const address = addressNow()
    const number = lastTest
    button.prop('disabled', true)
    addLine('fa-spinner fa-pulse', form._('account.test-asking'))
    try {
      const found = await requestAdmin<AccountTestResult>('test', { account: readOpenAccount(form.id) })
      showQuota(found.quota)
      if (number !== lastTest) return
      lines.empty()
      addLine('fa-check', form._('account.test-address', { address }))
      addLine('fa-check', form._('account.test-login'))
      addLine('fa-check', form._('summary.devices', { count: found.devices }))
      if (found.relay?.works) addLine('fa-check', form._('account.test-relay'))
      else if (found.relay?.reason) {
        const why = localizeReason({
          reason: found.relay.reason,
          ...(found.relay.params ? { params: found.relay.params } : {}),
        })
        addLine('fa-times', form._('account.test-relay-not', { why }))
      }
    } catch (error) {
      if (number !== lastTest) return
      const { message: why, isFromService } = error as AdminRequestError
      lines.empty()
      addLine('fa-times', isFromService ? form._('account.test-failed', { address, why }) : why)
    } finally {
      button.prop('disabled', false)
    }
  }
  button.on('click', () => void test())
  for (const name of TESTED) field(name).on('input change', forget)
  prepareReport(form, addLine, forget, isComplete)

  offerTimeZones(form)
  hintAccount(Object.keys(properties))
  void showStores(form)
  watchSharedQuota(form)
  const refresh = async () => {
    try {
      showQuota(await requestAdmin<QuotaCounts>(`accounts/${encodeURIComponent(form.id)}/quota`))
    } catch {
      // The account is not deployed yet, or this user may not see it.
    }
  }
  $('#envlog-quota').hide()
  void refresh()
  const timer = window.setInterval(() => void refresh(), REFRESH_MS)
  stopRefreshing = () => window.clearInterval(timer)
}

/** Call this when the form is closed. */
export function leaveAccount(): void {
  stopRefreshing()
  releaseReport()
}

function showQuota({ endpoints, records }: QuotaCounts): void {
  const bars = $('#envlog-bars').empty()
  const bar = (name: string, left: number, limit: number, text: string) => {
    const part = limit > 0 ? Math.min(1, left / limit) : 0
    const meter = $('<div class="envlog-bar" role="meter" aria-valuemin="0">')
      .attr({ 'aria-valuemax': limit, 'aria-valuenow': left, 'aria-label': `${name}: ${text}` })
      .toggleClass('envlog-few', part < LOW_SHARE)
      .append($('<span>').css('width', `${part * 100}%`))
    bars.append($('<span>').text(name), meter, $('<span>').text(text))
  }
  const number = (value: number) => new Intl.NumberFormat(language()).format(value)
  for (const [name, { left, limit, windowSeconds, freeAt, waiting }] of Object.entries(endpoints)) {
    const time = formatDuration(windowSeconds)
    const parts = [translate('quota.left', { left: number(left), limit: number(limit), time })]
    if (freeAt !== null) parts.push(translate('quota.free-at', { time: clockTime(freeAt) }))
    if (waiting > 0) parts.push(translate('quota.waiting', { count: waiting }))
    bar(translate(`endpoint.${name}`), left, limit, enumerated(parts))
  }
  for (const { device, name, left, limit } of records.filter(isLow)) {
    bar(name ?? device, left, limit, translate('quota.records', { left: number(left), limit: number(limit) }))
  }
  $('#envlog-quota').show()
}

/** Lists the time zones, the browser's first. */
function offerTimeZones(form: Form): void {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const others = Intl.supportedValuesOf('timeZone').filter((name) => name !== own)
  const options = others.map((name) => $('<option>').val(name))
  const first = $('<option>').val(own).text(form._('account.zone-of-browser'))
  $('#envlog-zones').empty().append(first, options)
}

/** Offers the context stores, and shows whether the chosen one is persistent. */
async function showStores(form: Form): Promise<void> {
  const field = $('#node-config-input-store')
  const note = $('#envlog-store-note')
  const chosen = String(form.store ?? '').trim()
  let stores: ContextStore[] = []
  const offer = () => {
    const wanted = String(field.val() ?? chosen)
    const names = ['', ...stores.map(({ name }) => name)]
    if (!names.includes(wanted)) names.push(wanted)
    const texts = names.map((name) =>
      $('<option>')
        .val(name)
        .text(name || form._('account.store-blank')),
    )
    field.empty().append(texts).val(wanted)
  }
  const show = () => {
    const name = String(field.val())
    const store = stores.find((one) => one.name === name)
    const named = store ? (store.persistent ? 'kept' : 'forgotten') : 'unknown'
    const found = name === '' ? 'files' : named
    note.text(form._(`account.store-${found}`, { name, stores: enumerated(stores.map((one) => one.name)) }))
  }
  // Node-RED could not select an option that did not exist yet.
  offer()
  try {
    stores = await requestAdmin<ContextStore[]>('stores')
  } catch {
    return
  }
  offer()
  field.on('change', show)
  show()
}

/** A password typed into the address becomes a credential, because the flow file must not contain it. */
function watchSharedQuota(form: Form): void {
  const field = $('#node-config-input-sharedQuota')
  const note = $('#envlog-shared-note')
  const show = () => note.text(form._('account.shared-clear-text')).toggle(isClearText(String(field.val())))
  field.on('input change', show)
  field.on('change', () => {
    const split = splitPassword(String(field.val()))
    if (!split) return
    field.val(split.address)
    $('#node-config-input-sharedQuotaPassword').val(split.password).trigger('change')
    show()
  })
  show()
}
