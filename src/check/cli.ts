/** envlog-check: what the service really answers to an account, from the command line. */
import { accessSync, closeSync, constants, existsSync, openSync, writeFileSync } from 'node:fs'
import { dirname, sep } from 'node:path'
import { createAccount } from '../lib/account'
import { createUndiciTransport, proxyPasswords } from '../lib/api/transport'
import { checkAssumptions } from '../lib/check/assumptions'
import { collectExchanges, listDevices } from '../lib/check/collect'
import { type Exchange, isAnswered } from '../lib/check/exchange'
import { readAnswer } from '../lib/check/read'
import { anonymizeExchanges, buildReport } from '../lib/check/report'
import { systemClock } from '../lib/clock'
import { runToEnd } from '../lib/cooperative'
import { readElements } from '../lib/decode/fields'
import type { EnvlogError } from '../lib/errors'
import { isRemoteUnit } from '../lib/readings/device'
import { createRegistry } from '../lib/registry'
import { ACCOUNT_DEFAULTS } from '../shared/account'
import { watchConnection } from './connection'
import { confirm, type Login, readLogin } from './credentials'
import { type Options, readOptions, UsageError } from './options'
import { type CheckResult, errorText, planText, resultText } from './print'
import { findLanguage, languages, loadTexts, preferredLanguage, type Translate } from './texts'

/** All read; something not read, or against an assumption; not reachable or refused; wrong use. */
const EXIT = { ok: 0, notRead: 1, notReached: 2, usage: 3 } as const

const { version } = require('../../package.json') as { version: string }

async function main(): Promise<number> {
  let translate = loadTexts(preferredLanguage(process.env))
  try {
    const options = readOptions(process.argv.slice(2))
    if (options.language !== undefined) {
      const language = findLanguage(options.language)
      if (language === undefined) {
        throw new UsageError('check.usage-language', { languages: languages().join(', ') })
      }
      translate = loadTexts(language)
    }
    if (options.help) {
      process.stdout.write(`${translate('check.help')}\n`)
      return EXIT.ok
    }
    if (options.save !== undefined) {
      const detail = findSaveProblem(options.save)
      if (detail !== undefined) {
        process.stderr.write(`${translate('check.not-saved', { detail })}\n`)
        return EXIT.usage
      }
    }
    const login = await readLogin(options.credentials, process.env, translate)
    process.stderr.write(planText(translate))
    if (!options.yes && !(await confirm(translate('check.confirm'), translate('check.yes'))))
      return EXIT.usage
    return await check(login, options, translate)
  } catch (error) {
    // Ctrl-C or Ctrl-D at a question.
    if ((error as { code?: string }).code === 'ABORT_ERR') {
      process.stderr.write('\n')
      return EXIT.usage
    }
    if (!(error instanceof UsageError)) throw error
    const params = Object.fromEntries(
      Object.entries(error.params).map(([name, text]) => [name, translate(text)]),
    )
    process.stderr.write(`envlog-check: ${translate(error.key, params)}\n${translate('check.see-help')}\n`)
    return EXIT.usage
  }
}

/** What would keep the file from being written, before requests are spent on it. */
function findSaveProblem(file: string): string | undefined {
  try {
    if (existsSync(file)) closeSync(openSync(file, 'r+'))
    // The separator at the end: below a file nothing can be written.
    else accessSync(`${dirname(file)}${sep}`, constants.W_OK)
    return file === '' || file.endsWith(sep) ? 'ENOENT' : undefined
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

async function check(login: Login, options: Options, translate: Translate): Promise<number> {
  const { timeout } = ACCOUNT_DEFAULTS
  const transportOptions = { connections: 1, timeoutMs: timeout * 1000 }
  const watched = watchConnection(createUndiciTransport(transportOptions), login.baseUrl)
  const proxySecrets = proxyPasswords(transportOptions, process.env)
  // No retries: the number of requests was announced.
  const settings = {
    ...login,
    name: '',
    timeout,
    concurrency: 1,
    retries: 0,
    series1Models: [],
    secrets: proxySecrets,
  }
  const { transport } = watched
  const registry = createRegistry(systemClock)
  const account = createAccount(settings, { transport, clock: systemClock, random: Math.random, registry })
  const abort = new AbortController()
  process.once('SIGINT', () => abort.abort())
  const context = { signal: abort.signal, queueKey: 'check', maxWaitMs: 0 }
  const { lastHeaders } = watched
  const raw = await collectExchanges({ account, context, lastHeaders }).finally(() => account.close())
  const connection = await watched.read()

  const anonymized = runToEnd(anonymizeExchanges(raw, account.client.revealsLogin))
  const { exchanges, anonymizer } = anonymized
  const wordsOf = (error: EnvlogError) => anonymizer.convertText(String(error.params.words ?? ''))
  const result: CheckResult = {
    connection,
    exchanges,
    devices: countDevices(exchanges),
    read: exchanges.filter(isAnswered).map((answer) => readAnswer(answer, Date.now())),
    findings: checkAssumptions(exchanges),
  }
  if (options.json) process.stdout.write(`${toSafeJson(toJson(result, translate, wordsOf))}\n`)
  else {
    const isColoured = process.stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
    process.stdout.write(resultText(result, translate, isColoured, wordsOf))
  }
  const code = exitCodeOf(result)
  if (options.save === undefined) return code
  const report = runToEnd(buildReport(anonymized, version))
  if (!report) {
    process.stderr.write(`${translate('check.not-saved-names')}\n`)
    return Math.max(code, EXIT.notRead)
  }
  try {
    writeFileSync(options.save, `${JSON.stringify(report, null, 1)}\n`)
  } catch (error) {
    const { code: detail = '' } = error as NodeJS.ErrnoException
    process.stderr.write(`${translate('check.not-saved', { detail })}\n`)
    return EXIT.usage
  }
  process.stderr.write(`${translate('check.saved')}\n`)
  return code
}

/** Control characters and those that turn the direction of writing, which JSON leaves as they are. */
const UNSAFE = /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

function toSafeJson(value: object): string {
  const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value, null, 2).replace(UNSAFE, toEscape)
}

function countDevices(exchanges: readonly Exchange[]): CheckResult['devices'] {
  const [current] = exchanges.filter(isAnswered)
  if (!current) return { standalone: 0, remote: 0, unreadable: 0 }
  const devices = listDevices(current)
  const all = readElements((current.result.body as { devices?: unknown }).devices) ?? []
  const remote = devices.filter(isRemoteUnit).length
  return { standalone: devices.length - remote, remote, unreadable: all.length - devices.length }
}

/** A device that has no such data is refused: that is no failure of the check. */
function exitCodeOf({ exchanges, read, findings }: CheckResult): number {
  const errors = exchanges.flatMap(({ result }) => (result.isAnswered ? [] : [result.error]))
  const failed = errors.filter(({ code, reason }) => code !== 'ENVLOG_REPLY' && reason !== 'device-refused')
  if (failed.length > 0) return EXIT.notReached
  const isNotRead =
    errors.some(({ code }) => code === 'ENVLOG_REPLY') || read.some(({ unreadable }) => unreadable.length > 0)
  const isContradicted = findings.some(({ verdict }) => verdict === 'contradicted')
  // Some kinds of device have no records and no alerts, but hardly all devices of an account.
  const isRefused = read.length <= 1 && errors.length > 0
  return isNotRead || isContradicted || isRefused ? EXIT.notRead : EXIT.ok
}

function toJson(result: CheckResult, translate: Translate, wordsOf: (error: EnvlogError) => string): object {
  return {
    package: version,
    ...result,
    exitCode: exitCodeOf(result),
    exchanges: result.exchanges.map(({ endpoint, params, durationMs, result: found }) => ({
      endpoint,
      params,
      durationMs,
      ...(found.isAnswered
        ? { status: 200, quota: found.quota }
        : {
            status: found.error.cause.status ?? null,
            error: {
              code: found.error.code,
              reason: found.error.reason,
              message: errorText(found.error, translate, wordsOf(found.error)),
            },
          }),
    })),
  }
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    // The message may hold what was typed.
    process.stderr.write(`envlog-check: ${(error as { code?: string }).code ?? (error as Error).name}\n`)
    process.exitCode = EXIT.notReached
  },
)
