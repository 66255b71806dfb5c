import { MAX_REQUESTS } from '../lib/check/collect'
import type { EndpointName } from '../lib/endpoints'
import type { Translate } from '../lib/texts'
import { LIMITS } from '../shared/service-limits'
import type { CheckResult } from './service-check'

const MARKS = { confirmed: '✓', differs: '≠', contradicted: '!', 'not-seen': '–' } as const

const MAX_PATHS = 20
const MAX_DETAILS = 8

/**
 * Replaces control characters from the service, which could move the cursor, forge lines or change the text direction.
 */
const plain = (text: string) => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')

/** East Asian characters, which take two columns in a terminal. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g
const widthOf = (text: string) => Array.from(text).length + (text.match(WIDE) ?? []).length

function table(lines: readonly (readonly string[])[]): string {
  const rows = lines.map((cells) => cells.map(plain))
  const widths: number[] = []
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))
  }
  const pad = (cell: string, at: number) => cell + ' '.repeat((widths[at] ?? 0) - widthOf(cell))
  return rows.map((row) => `  ${row.map(pad).join('  ').trimEnd()}\n`).join('')
}

/** The planned requests, shown before anything is sent. */
export function planText(translate: Translate): string {
  const rows = Object.entries(MAX_REQUESTS).map(([endpoint, count]) => {
    const { limit, window } = LIMITS[endpoint as EndpointName]
    return [endpoint, translate('check.plan-row', { count, limit, window })]
  })
  const total = Object.values(MAX_REQUESTS).reduce((sum, count) => sum + count, 0)
  return `${translate('check.plan', { total })}\n${table(rows)}`
}

/** The result as JSON. */
export function jsonText(result: CheckResult): string {
  const plainValue = (_key: string, value: unknown) => (typeof value === 'string' ? plain(value) : value)
  return `${JSON.stringify(result, plainValue, 2)}\n`
}

/** The result as readable tables. */
export function resultText(result: CheckResult, translate: Translate): string {
  const sections = {
    connection: table(connectionRows(result, translate)),
    endpoints: table(requestRows(result, translate)),
    read: readText(result, translate),
    assumptions: table(assumptionRows(result, translate)),
  }
  // A section without content has no heading.
  const texts = Object.entries(sections)
    .filter(([, text]) => text !== '')
    .map(([heading, text]) => `\n${translate(`check.heading-${heading}`)}\n${text}`)
  return `${texts.join('')}\n${translate('check.legend')}\n`
}

function connectionRows({ connection, exchanges, timeZones }: CheckResult, translate: Translate): string[][] {
  const { addresses, tls, usesProxy, clockDifference } = connection
  const yesNo = (value: boolean | null) => (value === null ? '?' : translate(`check.${value ? 'yes' : 'no'}`))
  const isRefused = exchanges.some(({ error }) => error?.code === 'ENVLOG_AUTH')
  const isLoggedIn = exchanges.some(({ status }) => status === 200)
  return [
    ['name-resolved', addresses ? translate('check.addresses', { count: addresses }) : yesNo(false)],
    ['tls', tls ? translate('check.tls-of', tls) : yesNo(false)],
    ['proxy', yesNo(usesProxy)],
    ['login', yesNo(isLoggedIn || (isRefused ? false : null))],
    ['clock', clockDifference === null ? '?' : translate('check.seconds', { count: clockDifference })],
    ['time-zones', translate('check.time-zones-of', { ...timeZones, rules: timeZones.rules ?? '?' })],
  ].map(([key, text = '']) => [translate(`check.${key}`), text])
}

function requestRows({ exchanges }: CheckResult, translate: Translate): string[][] {
  return exchanges.map(({ endpoint, durationMs, quota, error }) => {
    const { limit = null, windowSeconds = null, remaining = null } = quota ?? {}
    const params = { limit: limit ?? '?', window: windowSeconds ?? '?', remaining: remaining ?? '?' }
    return [endpoint, `${durationMs} ms`, error?.message ?? translate('check.answered', params)]
  })
}

function readText({ read }: CheckResult, translate: Translate): string {
  const texts = read.map(({ endpoint, fields, unreadable }) => {
    const rows = fields.map(({ field, read: text, held }) => [
      translate(`field.${field}`),
      text,
      held && `← ${held}`,
    ])
    const paths = unreadable.slice(0, MAX_PATHS).map((path) => [translate('check.not-readable'), path])
    return ` ${endpoint}\n${table([...rows, ...paths])}`
  })
  return texts.join('')
}

function assumptionRows({ read, findings }: CheckResult, translate: Translate): string[][] {
  return findings
    .filter(({ verdict }) => read.length > 0 || verdict === 'contradicted')
    .map(({ assumption, verdict, details }) => {
      const isDifferent = verdict === 'differs' || verdict === 'contradicted'
      const text = translate(isDifferent ? `seen.${assumption}` : `check.${verdict}`)
      return [MARKS[verdict], assumption, text, details.slice(0, MAX_DETAILS).join('; ')]
    })
}
