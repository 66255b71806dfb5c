import type { NodeAPI } from 'node-red'
import { type Cause, EnvlogError, type ErrorCode, type Subject } from '../../../lib/errors'
import { localizeParams } from '../../../shared/problems'
import { formatTime } from './status'

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
    return new Failure(RED._('failure.unexpected', { detail: identifyError(error) }))
  const { reason, params, code, cause, subject } = error
  const { retryAt } = params
  const localized = {
    ...localizeParams(params, (key, values) => RED._(key, values as never)),
    ...(typeof retryAt === 'string' && { retryAt: formatTime(Date.parse(retryAt)) }),
  }
  const sentence = RED._(`errors.${reason}`, localized as never).trim()
  return new Failure(formatPrefix(RED, subject) + sentence, { code, cause: { ...cause } })
}

/** The text that says that records or alerts of a device are lost. @param lost bounds of their times, if known */
export function formatLoss(
  RED: NodeAPI,
  what: 'records' | 'alerts',
  device: Subject,
  lost: { from: number; to: number } | undefined,
): string {
  const times = lost && { from: formatTime(lost.from), to: formatTime(lost.to) }
  const records = times ? 'warnings.records-lost-between' : 'warnings.records-lost'
  const key = what === 'alerts' ? 'warnings.alerts-lost' : records
  return formatPrefix(RED, device) + RED._(key, times as never)
}

/** The beginning of a text about a device, such as `Workshop (41E10013): `. */
function formatPrefix(RED: NodeAPI, subject: Subject | undefined): string {
  if (!subject) return ''
  const { serial, name } = subject
  if (!name) return RED._('failure.serial', { serial } as never)
  return RED._('failure.device', { serial, name: toOneLine(name) } as never)
}

/** Removes line breaks, so that a name cannot look like a separate line of the log. */
export const toOneLine = (name: string) =>
  name.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, MAX_NAME_LENGTH)

function identifyError(error: unknown): string {
  return error instanceof Error
    ? `${error.name} ${(error as NodeJS.ErrnoException).code ?? ''}`.trim()
    : typeof error
}
