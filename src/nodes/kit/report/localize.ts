import type { NodeAPI } from 'node-red'
import { type Cause, EnvlogError, type ErrorCode, type Subject } from '../../../lib/errors'
import { toOneLine } from '../../../lib/redact'
import type { LocalClock } from '../../../shared/local-clock'
import { localizeParams } from '../../../shared/problems'
import { formatDate, formatTime, hostClock } from './times'
import { translate } from './translate'

const MAX_NAME_LENGTH = 100

/**
 * A failure as an object for Node-RED. Catch nodes get `String(failure)` as the message, and the own properties `code`
 * and `cause`. It is not an `Error`, because the debug sidebar shows an `Error` as an object to expand, but this object
 * as its text.
 */
export class Failure {
  declare readonly code?: ErrorCode
  declare readonly cause?: Cause

  constructor(
    readonly message: string,
    about?: { code: ErrorCode; cause: Cause },
  ) {
    Object.assign(this, about)
  }

  toString(): string {
    return this.message
  }
}

/** Converts an error to a failure in the runtime's language; an unexpected error is reduced to its name and code. */
export function localizeError(RED: NodeAPI, error: unknown): Failure {
  // The message of an unexpected error may contain secrets.
  if (!(error instanceof EnvlogError))
    return new Failure(translate(RED, 'failure.unexpected', { detail: identifyError(error) }))
  const { reason, params, code, cause, subject } = error
  const { retryAt } = params
  const localized = {
    ...localizeParams(params, (key, values) => translate(RED, key, values)),
    ...(typeof retryAt === 'string' && { retryAt: formatTime(Date.parse(retryAt)) }),
  }
  const sentence = translate(RED, `errors.${reason}`, localized).trim()
  return new Failure(formatPrefix(RED, subject) + sentence, { code, cause: { ...cause } })
}

/** The text that says that records or alerts of a device are lost. @param lost bounds of their times, if known */
export function formatLoss(
  RED: NodeAPI,
  what: 'records' | 'alerts',
  device: Subject,
  lost: { from: number; to: number } | undefined,
  clock: LocalClock | 'local',
): string {
  const format = (at: number) => formatDate(clock === 'local' ? hostClock : clock, at)
  const times = lost && { from: format(lost.from), to: format(lost.to) }
  const records = times ? 'warnings.records-lost-between' : 'warnings.records-lost'
  const key = what === 'alerts' ? 'warnings.alerts-lost' : records
  return formatPrefix(RED, device) + translate(RED, key, times)
}

/** The beginning of a text about a device, such as `Workshop (41E10013): `. */
function formatPrefix(RED: NodeAPI, subject: Subject | undefined): string {
  if (!subject) return ''
  const serial = toShortLine(subject.serial)
  const { name } = subject
  if (!name) return translate(RED, 'failure.serial', { serial })
  return translate(RED, 'failure.device', { serial, name: toShortLine(name) })
}

/** A name or serial number as part of a line. */
export const toShortLine = (name: string) => toOneLine(name.slice(0, MAX_NAME_LENGTH))

function identifyError(error: unknown): string {
  return error instanceof Error
    ? `${error.name} ${(error as NodeJS.ErrnoException).code ?? ''}`.trim()
    : typeof error
}
