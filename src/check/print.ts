import type { Finding, Verdict } from '../lib/check/assumptions'
import { MAX_REQUESTS } from '../lib/check/collect'
import { type Exchange, isAnswered } from '../lib/check/exchange'
import type { ReadAnswer } from '../lib/check/read'
import type { EndpointName } from '../lib/endpoints'
import type { EnvlogError } from '../lib/errors'
import { LIMITS } from '../shared/service-limits'
import type { Connection } from './connection'
import type { Translate } from './texts'

export interface CheckResult {
  connection: Connection
  /** With stand-ins for names and serial numbers. */
  exchanges: readonly Exchange[]
  devices: { standalone: number; remote: number; unreadable: number }
  read: readonly ReadAnswer[]
  findings: readonly Finding[]
}

/** ANSI colour codes by verdict: green, yellow, red, grey. */
const COLOURS: Record<Verdict, number> = { confirmed: 32, differs: 33, contradicted: 31, 'not-seen': 90 }
const MARKS: Record<Verdict, string> = { confirmed: '✓', differs: '≠', contradicted: '!', 'not-seen': '–' }

/** Characters of a service could move the cursor, forge lines, or turn the direction of writing. */
const plain = (text: string) => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')

/** Columns that a terminal shows: letters of East Asia take two. */
const widthOf = (text: string) =>
  Array.from(text).reduce(
    (sum, character) =>
      sum +
      (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(
        character,
      )
        ? 2
        : 1),
    0,
  )

const pad = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - widthOf(text)))

function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(0, ...rows.map(({ length }) => length))
  const widths = Array.from({ length: columns }, (_, at) =>
    Math.max(...rows.map((row) => widthOf(row[at] ?? ''))),
  )
  return rows
    .map(
      (row) =>
        `  ${row.map((cell, at) => (at === row.length - 1 ? cell : pad(cell, widths[at] ?? 0))).join('  ')}\n`,
    )
    .join('')
}

/** What the check will request, before anything is sent. */
export function planText(translate: Translate): string {
  const rows = Object.entries(MAX_REQUESTS).map(([endpoint, count]) => {
    const { limit, window } = LIMITS[endpoint as EndpointName]
    return [endpoint, translate('check.plan-row', { count, limit, window })]
  })
  const total = Object.values(MAX_REQUESTS).reduce((sum, count) => sum + count, 0)
  return `${translate('check.plan', { total })}\n${table(rows)}`
}

/** The sentence of an error; `words` are the service's own, without names. */
export function errorText(error: EnvlogError, translate: Translate, words: string): string {
  const params = { ...error.params, words, status: error.cause.status ?? '' }
  const serves = translate(`serves.${error.params.serves ?? 'all'}`)
  // A check repeats no request, which the nodes' sentence speaks of.
  const key = error.reason === 'service-failed' ? 'check.service-failed' : `errors.${error.reason}`
  return plain(translate(key, { ...params, serves })).trim()
}

/** Whether the login was accepted; unknown where the service was not reached. */
function loginText(exchanges: readonly Exchange[], yesNo: (value: boolean) => string): string {
  if (exchanges.some(isAnswered)) return yesNo(true)
  const isRefused = exchanges.some(({ result }) => !result.isAnswered && result.error.code === 'ENVLOG_AUTH')
  return isRefused ? yesNo(false) : '?'
}

/** The result for a person. */
export function resultText(
  result: CheckResult,
  translate: Translate,
  isColoured: boolean,
  wordsOf: (error: EnvlogError) => string,
): string {
  const { connection, exchanges, devices, read, findings } = result
  const heading = (key: string) => `\n${translate(`check.heading-${key}`)}\n`
  const colour = (verdict: Verdict, text: string) =>
    isColoured ? `\x1b[${COLOURS[verdict]}m${text}\x1b[0m` : text
  const { addresses, tls, usesProxy, clockDifference } = connection
  const yesNo = (value: boolean) => translate(value ? 'check.yes' : 'check.no')
  const rowsOf = (exchange: Exchange): string[] => {
    const { endpoint, durationMs, result: found } = exchange
    if (!found.isAnswered)
      return [endpoint, `${durationMs} ms`, errorText(found.error, translate, wordsOf(found.error))]
    const { limit, windowSeconds, remaining } = found.quota
    const params = { limit: limit ?? '?', window: windowSeconds ?? '?', remaining: remaining ?? '?' }
    return [endpoint, `${durationMs} ms`, translate('check.answered', params)]
  }
  return [
    heading('connection'),
    table([
      [
        translate('check.name-resolved'),
        addresses === null ? yesNo(false) : translate('check.addresses', { count: addresses }),
      ],
      [
        translate('check.tls'),
        tls ? translate('check.tls-of', { issuer: plain(tls.issuer), days: tls.daysLeft }) : yesNo(false),
      ],
      [translate('check.proxy'), usesProxy === null ? '?' : yesNo(usesProxy)],
      [translate('check.login'), loginText(exchanges, yesNo)],
      [
        translate('check.clock'),
        clockDifference === null ? '?' : translate('check.seconds', { count: clockDifference }),
      ],
    ]),
    heading('devices'),
    table([
      [translate('check.standalone'), `${devices.standalone}`],
      [translate('check.remote'), `${devices.remote}`],
      [translate('check.unreadable'), `${devices.unreadable}`],
    ]),
    heading('endpoints'),
    table(exchanges.map(rowsOf)),
    ...(read.length > 0 ? [heading('read')] : []),
    ...read.map(
      ({ endpoint, fields, unreadable }) =>
        ` ${endpoint}\n${table([
          ...fields.map(({ field, read: text, held }) => [
            translate(`field.${field}`),
            plain(text),
            held === '' ? '' : `← ${plain(held)}`,
          ]),
          ...unreadable.slice(0, MAX_PATHS).map((path) => [translate('check.not-readable'), plain(path)]),
        ])}`,
    ),
    // Without any answer there is nothing to compare.
    ...(read.length > 0 ? [heading('assumptions')] : []),
    table(
      (read.length > 0 ? findings : findings.filter(({ verdict }) => verdict === 'contradicted')).map(
        ({ assumption, verdict, seen, details }) => [
          colour(verdict, MARKS[verdict]),
          assumption,
          seen === undefined ? translate('check.not-seen') : translate(`seen.${seen}`),
          plain(details.slice(0, MAX_DETAILS).join('; ')),
        ],
      ),
    ),
    `\n${translate('check.legend')}\n`,
  ].join('')
}

const MAX_PATHS = 20
const MAX_DETAILS = 8
