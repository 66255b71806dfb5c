import type { QuotaCounts, RecordCounts } from '../shared/admin'
import { requestAdmin } from './admin-request'
import { formatDuration } from './format-duration'
import { clockTime, enumerated, formatNumber, translate } from './red'

/** A bar is marked below this share of its limit. */
const LOW_SHARE = 0.2

/** Whether less than half of a device's records are left, so that it is listed. */
export const isLow = ({ left, limit }: RecordCounts) => left < limit / 2

/** The attributes of a `<meter>`. */
export const meterOf = (left: number, limit: number) => ({
  ...{ value: left, max: limit, low: limit * LOW_SHARE, optimum: limit },
})

const REFRESH_MS = 5000

/** Shows the remaining quota of a deployed account until its form is closed. */
export function watchQuota(accountId: string): void {
  const refresh = async () => {
    try {
      showQuota(await requestAdmin<QuotaCounts>(`accounts/${encodeURIComponent(accountId)}/quota`))
    } catch {
      // The account is not deployed yet, or this user may not see it.
    }
  }
  const timer = window.setInterval(() => void refresh(), REFRESH_MS)
  // jQuery UI triggers this when Node-RED removes the form, but not while another form covers it.
  $('#envlog-quota')
    .hide()
    .on('remove', () => window.clearInterval(timer))
  void refresh()
}

export function showQuota({ endpoints, records }: QuotaCounts): void {
  const bars = $('#envlog-bars').empty()
  const bar = (name: string, left: number, limit: number, text: string) => {
    const meter = $('<meter>').attr({ ...meterOf(left, limit), 'aria-label': `${name}: ${text}` })
    bars.append($('<span>').text(name), meter, $('<span>').text(text))
  }
  for (const [name, { left, limit, windowSeconds, freeAt, waiting }] of Object.entries(endpoints)) {
    const time = formatDuration(windowSeconds)
    const parts = [translate('quota.left', { left: formatNumber(left), limit: formatNumber(limit), time })]
    if (freeAt !== null) parts.push(translate('quota.free-at', { time: clockTime(freeAt) }))
    if (waiting > 0) parts.push(translate('quota.waiting', { count: waiting }))
    bar(translate(`endpoint.${name}`), left, limit, enumerated(parts))
  }
  for (const { device, name, left, limit } of records.filter(isLow)) {
    const numbers = { left: formatNumber(left), limit: formatNumber(limit) }
    bar(name ?? device, left, limit, translate('quota.records', numbers))
  }
  $('#envlog-quota').show()
}
