import { type Exchange, isSuccessful } from '../lib/check/exchange'
import type { Finding } from '../lib/check/findings'
import type { ReadResponse } from '../lib/check/read'
import { concernsOneDevice, type EnvlogError } from '../lib/errors'

/**
 * The exit codes. `ok`: everything was read. `notRead`: a part was unreadable or contradicts an assumption.
 * `notReached`: the service could not be reached or refused a request. `usage`: wrong use of the command.
 */
export const EXIT = { ok: 0, notRead: 1, notReached: 2, usage: 3 } as const

/** The exit code for a check. The refusal of a device without such data is not a failure of the check. */
export function exitCodeOf(
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
