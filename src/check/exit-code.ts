import { type Exchange, isAnswered } from '../lib/check/exchange'
import type { Finding } from '../lib/check/findings'
import type { ReadAnswer } from '../lib/check/read'
import { concernsOneDevice, type EnvlogError } from '../lib/errors'

/**
 * ok: everything was read; notRead: something was unreadable or contradicts an assumption; notReached: unreachable or
 * refused; usage: wrong use.
 */
export const EXIT = { ok: 0, notRead: 1, notReached: 2, usage: 3 } as const

/** A device without such data is refused, which is not a failure of the check. */
export function exitCodeOf(
  exchanges: readonly Exchange[],
  read: readonly ReadAnswer[],
  findings: readonly Finding[],
): number {
  const errors = exchanges.flatMap((exchange) => (isAnswered(exchange) ? [] : [exchange.error]))
  const isRefusedDevice = (error: EnvlogError) => error.code === 'ENVLOG_SERVICE' && concernsOneDevice(error)
  if (errors.some((error) => error.code !== 'ENVLOG_REPLY' && !isRefusedDevice(error))) return EXIT.notReached
  const isUnreadable = errors.some(({ code }) => code === 'ENVLOG_REPLY')
  // Some kinds of device have no records and no alerts, but hardly all devices of an account.
  const isRefused = read.length <= 1 && errors.length > 0
  const isIncomplete = isUnreadable || isRefused || read.some(({ unreadable }) => unreadable.length > 0)
  const isContradicted = findings.some(({ verdict }) => verdict === 'contradicted')
  return isIncomplete || isContradicted ? EXIT.notRead : EXIT.ok
}
