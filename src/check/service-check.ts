import { createAccount } from '../lib/account'
import { proxyPasswords, UndiciTransport } from '../lib/api/transport'
import { Anonymizer } from '../lib/check/anonymize'
import { checkAssumptions, type Finding } from '../lib/check/assumptions'
import { collectExchanges } from '../lib/check/collect'
import { type Exchange, isSuccessful } from '../lib/check/exchange'
import { type ReadResponse, readResponse } from '../lib/check/read'
import { buildReport } from '../lib/check/report'
import { systemClock } from '../lib/clock'
import { concernsOneDevice, type EnvlogError } from '../lib/errors'
import { Registry } from '../lib/registry'
import type { Translate } from '../lib/texts'
import { timeZoneRulesOf } from '../lib/time-zone-rules'
import { version } from '../lib/version'
import { ACCOUNT_DEFAULTS } from '../shared/account-schema'
import { localizeParams } from '../shared/problems'
import { watchConnection } from './connection'
import type { Login } from './credentials'

/**
 * The exit codes. `ok`: everything was read. `notRead`: a part was unreadable or contradicts an assumption.
 * `notReached`: the service could not be reached or refused a request. `usage`: wrong use of the command.
 */
export const EXIT = { ok: 0, notRead: 1, notReached: 2, usage: 3 } as const

/** The output of `--json`, with pseudonyms for names and serial numbers. */
export type CheckResult = Awaited<ReturnType<typeof checkService>>['result']

/** Sends the requests that the account allows, and compares the responses with what the package expects. */
export async function checkService(login: Login, env: NodeJS.ProcessEnv, translate: Translate) {
  const { timeout } = ACCOUNT_DEFAULTS
  const transport = { timeoutMs: timeout * 1000 }
  const secrets = proxyPasswords(transport, env)
  const registry = new Registry(systemClock)
  const account = createAccount(
    // There are no retries, because the user has approved the number of requests.
    { ...login, name: '', timeout, concurrency: 1, retries: 0, series1Models: [], secrets },
    { transport: new UndiciTransport(transport), clock: systemClock, random: Math.random, registry },
  )
  const findConnection = watchConnection(login.baseUrl)
  const context = { signal: new AbortController().signal, queueKey: 'check', maxWaitMs: 0 }
  const originals = await collectExchanges(account, context).finally(() => account.close())
  const connection = await findConnection()

  const anonymizer = new Anonymizer(originals, account.client.revealsLogin)
  const { exchanges } = anonymizer
  const read = exchanges.filter(isSuccessful).map((exchange) => readResponse(exchange, Date.now()))
  const findings = checkAssumptions(exchanges)
  const hide = (words: unknown = '') => (anonymizer.reveals(String(words)) ? '' : String(words))
  const result = {
    package: version,
    timeZones: timeZoneRulesOf(process.versions),
    exitCode: exitCodeOf(exchanges, read, findings),
    connection,
    exchanges: exchanges.map((exchange) => toResult(exchange, hide, translate)),
    read,
    findings,
  }
  return { result, report: buildReport(exchanges) }
}

/** @param hide returns the service's text without parts that must not be shown */
function toResult(exchange: Exchange, hide: (words: unknown) => string, translate: Translate) {
  const { endpoint, params, durationMs } = exchange
  const about = { endpoint, params, durationMs }
  if (isSuccessful(exchange)) return { ...about, status: 200, quota: exchange.quota, error: undefined }
  const { code, reason, cause, params: details } = exchange.error
  const texts = localizeParams({ ...details, words: hide(details.words) }, translate)
  const message = translate(`errors.${reason}`, texts).trim()
  return { ...about, status: cause.status ?? null, quota: undefined, error: { code, reason, message } }
}

/** The exit code for a check. The refusal of a device without such data is not a failure of the check. */
function exitCodeOf(
  exchanges: readonly Exchange[],
  read: readonly ReadResponse[],
  findings: readonly Finding[],
): number {
  const errors = exchanges.flatMap((exchange) => (isSuccessful(exchange) ? [] : [exchange.error]))
  const isRefusedDevice = (error: EnvlogError) => error.code === 'ENVLOG_SERVICE' && concernsOneDevice(error)
  if (errors.some((error) => error.code !== 'ENVLOG_REPLY' && !isRefusedDevice(error))) return EXIT.notReached
  const isUnreadable = errors.some(({ code }) => code === 'ENVLOG_REPLY')
  // Devices of some types have no records and no alerts, but this is unlikely for all devices of an account.
  const isRefused = read.length <= 1 && errors.length > 0
  const isIncomplete = isUnreadable || isRefused || read.some(({ unreadable }) => unreadable.length > 0)
  const isContradicted = findings.some(({ verdict }) => verdict === 'contradicted')
  return isIncomplete || isContradicted ? EXIT.notRead : EXIT.ok
}
