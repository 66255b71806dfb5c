import { isClearText, splitPassword } from '../shared/account'
import type { AccountTestResult, ContextStore, QuotaCounts } from '../shared/admin'
import { readOpenAccount } from './account-draft'
import { prepareReport, releaseReport } from './account-report'
import { ask, localizeReason } from './admin-request'
import { clockTime, enumerated, type Form, language, words } from './red'

/** Part of what is allowed below which little is left. */
const FEW = 0.2

/** How often the bars are drawn anew. */
const LOOK_MS = 5000

let stop = () => {}

/** The account's form: a test of what is typed, what is left of its quota, and where that is kept. */
export function prepareAccount(form: Form): void {
  const lines = $('#envlog-test-lines')
  const button = $('#envlog-test')
  const say = (icon: string, text: string) =>
    $('<div class="envlog-test-line">')
      .append($('<i aria-hidden="true">').addClass(`fa ${icon}`), document.createTextNode(` ${text}`))
      .appendTo(lines)

  async function test(): Promise<void> {
    button.prop('disabled', true)
    lines.empty()
    say('fa-spinner fa-pulse', form._('account.test-asking'))
    try {
      const found = await ask<AccountTestResult>('test', { account: readOpenAccount(form.id) })
      lines.empty()
      say('fa-check', form._('account.test-address'))
      say('fa-check', form._('account.test-login'))
      say('fa-check', form._('told.devices', { count: found.devices }))
      if (found.relay?.works) say('fa-check', form._('account.test-relay'))
      else if (found.relay?.reason) {
        const why = localizeReason({
          reason: found.relay.reason,
          ...(found.relay.params ? { params: found.relay.params } : {}),
        })
        say('fa-times', form._('account.test-relay-not', { why }))
      }
      const { left, limit } = found.quota.endpoints.current
      say('fa-check', form._('account.test-quota', { left, limit }))
      showQuota(found.quota)
    } catch (error) {
      lines.empty()
      say('fa-times', (error as Error).message)
    } finally {
      button.prop('disabled', false)
    }
  }
  button.on('click', () => void test())
  prepareReport(form, say, () => void lines.empty())

  void showStores(form)
  watchShared(form)
  const look = async () => {
    try {
      showQuota(await ask<QuotaCounts>(`accounts/${encodeURIComponent(form.id)}/quota`))
    } catch {
      // Not deployed yet, or not to be seen by this viewer.
    }
  }
  $('#envlog-quota').hide()
  void look()
  const timer = window.setInterval(() => void look(), LOOK_MS)
  stop = () => window.clearInterval(timer)
}

/** The form is closed. */
export function leaveAccount(): void {
  stop()
  releaseReport()
}

function showQuota({ endpoints, records }: QuotaCounts): void {
  const bars = $('#envlog-bars').empty()
  const bar = (name: string, left: number, limit: number, told: string) => {
    const part = limit > 0 ? Math.min(1, left / limit) : 0
    const meter = $('<div class="envlog-bar" role="meter" aria-valuemin="0">')
      .attr({ 'aria-valuemax': limit, 'aria-valuenow': left, 'aria-label': `${name}: ${told}` })
      .toggleClass('envlog-few', part < FEW)
      .append($('<span>').css('width', `${part * 100}%`))
    bars.append($('<span>').text(name), meter, $('<span>').text(told))
  }
  const number = (value: number) => new Intl.NumberFormat(language()).format(value)
  for (const [name, { left, limit, freeAt, waiting }] of Object.entries(endpoints)) {
    const parts = [words('quota.left', { left: number(left), limit: number(limit) })]
    if (freeAt !== null) parts.push(words('quota.free-at', { time: clockTime(freeAt) }))
    if (waiting > 0) parts.push(words('quota.waiting', { count: waiting }))
    bar(words(`endpoint.${name}`), left, limit, enumerated(parts))
  }
  for (const { device, left, limit } of records) {
    bar(device, left, limit, words('quota.records', { left: number(left), limit: number(limit) }))
  }
  $('#envlog-quota').show()
}

/** Offers the stores there are, and says which of them outlive a restart. */
async function showStores(form: Form): Promise<void> {
  const field = $('#node-config-input-store')
  const note = $('#envlog-store-note')
  let stores: ContextStore[]
  try {
    stores = await ask<ContextStore[]>('stores')
  } catch {
    return
  }
  $('#envlog-stores')
    .empty()
    .append(stores.map(({ name }) => $('<option>').val(name)))
  const show = () => {
    const name = String(field.val()).trim()
    const store =
      name === ''
        ? (stores.find((one) => one.name === 'default') ?? stores[0])
        : stores.find((one) => one.name === name)
    const found = store ? (store.persistent ? 'kept' : 'forgotten') : 'unknown'
    note.text(form._(`account.store-${found}`, { name, stores: enumerated(stores.map((one) => one.name)) }))
  }
  field.on('input change', show)
  show()
}

/** A password that is typed into the address becomes the credential: the flow file must not hold it. */
function watchShared(form: Form): void {
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
