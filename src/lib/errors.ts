/**
 * All errors that this package reports. An error has a reason (a row of the table below), parameters and a cause. Its
 * text is in the catalogs (`errors.<reason>`), so it exists in all languages.
 */

/** `msg.error.code` for Catch nodes; docs/errors.md explains each code. */
export type ErrorCode =
  | 'ENVLOG_CONFIG'
  | 'ENVLOG_INPUT'
  | 'ENVLOG_AUTH'
  | 'ENVLOG_QUOTA'
  | 'ENVLOG_BUSY'
  | 'ENVLOG_SERVICE'
  | 'ENVLOG_NETWORK'
  | 'ENVLOG_TIMEOUT'
  | 'ENVLOG_REPLY'
  | 'ENVLOG_CLOSED'

/** The code for each reason. A new error needs a row here and a sentence in each catalog. */
export const reasons = {
  'no-account': 'ENVLOG_CONFIG',
  'no-limits': 'ENVLOG_CONFIG',
  'account-incomplete': 'ENVLOG_CONFIG',
  'setting-invalid': 'ENVLOG_CONFIG',
  'settings-newer': 'ENVLOG_CONFIG',
  'account-reference': 'ENVLOG_CONFIG',
  'proxy-invalid': 'ENVLOG_CONFIG',
  'secrets-needed': 'ENVLOG_CONFIG',
  'store-unknown': 'ENVLOG_CONFIG',
  'store-unreadable': 'ENVLOG_CONFIG',
  'store-damaged': 'ENVLOG_CONFIG',
  'store-newer': 'ENVLOG_CONFIG',
  'shared-client-missing': 'ENVLOG_CONFIG',
  'limit-invalid': 'ENVLOG_CONFIG',
  'devices-missing': 'ENVLOG_INPUT',
  'devices-empty': 'ENVLOG_INPUT',
  'devices-excluded': 'ENVLOG_INPUT',
  'devices-unreadable': 'ENVLOG_INPUT',
  'group-unknown': 'ENVLOG_INPUT',
  'device-unknown': 'ENVLOG_INPUT',
  'time-unreadable': 'ENVLOG_INPUT',
  'expression-failed': 'ENVLOG_INPUT',
  'period-empty': 'ENVLOG_INPUT',
  'period-too-long': 'ENVLOG_INPUT',
  'report-too-long': 'ENVLOG_INPUT',
  'receipt-unreadable': 'ENVLOG_INPUT',
  'serials-unreadable': 'ENVLOG_INPUT',
  'limits-unreadable': 'ENVLOG_INPUT',
  'measurements-unreadable': 'ENVLOG_INPUT',
  'elements-unreadable': 'ENVLOG_INPUT',
  'too-many-channels': 'ENVLOG_INPUT',
  'mute-unreadable': 'ENVLOG_INPUT',
  'acknowledge-unreadable': 'ENVLOG_INPUT',
  'history-unreadable': 'ENVLOG_INPUT',
  'text-unreadable': 'ENVLOG_INPUT',
  'too-many-mutes': 'ENVLOG_INPUT',
  'login-refused': 'ENVLOG_AUTH',
  'access-refused': 'ENVLOG_AUTH',
  'quota-refused': 'ENVLOG_QUOTA',
  'quota-wait': 'ENVLOG_QUOTA',
  'records-refused': 'ENVLOG_QUOTA',
  'records-wait': 'ENVLOG_QUOTA',
  'too-many-triggers': 'ENVLOG_BUSY',
  'queue-full': 'ENVLOG_BUSY',
  'account-empty': 'ENVLOG_SERVICE',
  'service-refused': 'ENVLOG_SERVICE',
  'device-refused': 'ENVLOG_SERVICE',
  'device-paused': 'ENVLOG_SERVICE',
  'service-failed': 'ENVLOG_SERVICE',
  'service-failed-again': 'ENVLOG_SERVICE',
  'relay-not-found': 'ENVLOG_SERVICE',
  'path-not-found': 'ENVLOG_SERVICE',
  redirected: 'ENVLOG_SERVICE',
  'no-connection': 'ENVLOG_NETWORK',
  'connection-broken': 'ENVLOG_NETWORK',
  'no-certificate': 'ENVLOG_NETWORK',
  'certificate-time': 'ENVLOG_NETWORK',
  'no-tls': 'ENVLOG_NETWORK',
  'proxy-refused': 'ENVLOG_NETWORK',
  'gateway-responded': 'ENVLOG_NETWORK',
  'timeout-connect': 'ENVLOG_TIMEOUT',
  'timeout-silent': 'ENVLOG_TIMEOUT',
  'timeout-total': 'ENVLOG_TIMEOUT',
  'response-too-large': 'ENVLOG_REPLY',
  'response-compressed': 'ENVLOG_REPLY',
  'response-too-many': 'ENVLOG_REPLY',
  'response-too-deep': 'ENVLOG_REPLY',
  'response-other-device': 'ENVLOG_REPLY',
  'response-other-period': 'ENVLOG_REPLY',
  'response-lacks-record': 'ENVLOG_REPLY',
  'response-not-json': 'ENVLOG_REPLY',
  'response-not-csv': 'ENVLOG_REPLY',
  'response-error-object': 'ENVLOG_REPLY',
  'response-unreadable': 'ENVLOG_REPLY',
  'response-left-out': 'ENVLOG_REPLY',
  closed: 'ENVLOG_CLOSED',
} as const satisfies Record<string, ErrorCode>

export type Reason = keyof typeof reasons

/** The known facts about the cause, in a plain object, because Catch nodes pass it to users. */
export interface Cause {
  status?: number
  /** The service's error code, as received. */
  serviceCode?: number | string
  endpoint?: string
  serial?: string
  base?: string
  /** A group that no device belongs to. */
  group?: string
  /** The time before which another request would be refused as well, ISO 8601 in UTC. */
  retryAt?: string
}

export type ErrorParams = Record<string, string | number>

/** The device that an error is about, with which the error's text begins. `name` is absent if it is unknown. */
export interface Subject {
  serial: string
  name?: string | undefined
}

export class EnvlogError extends Error {
  readonly code: ErrorCode
  override readonly cause: Cause

  constructor(
    readonly reason: Reason,
    readonly params: ErrorParams = {},
    cause: Cause = {},
    readonly subject?: Subject,
  ) {
    super(reason)
    this.code = reasons[reason]
    this.name = this.code
    this.cause = { ...cause }
  }

  /** The same error with more information about its cause; existing information takes precedence. */
  with(more: Cause): EnvlogError {
    return new EnvlogError(this.reason, this.params, { ...more, ...this.cause }, this.subject)
  }

  /** The same error, with a text that begins with the device. */
  about(subject: Subject): EnvlogError {
    return new EnvlogError(this.reason, this.params, this.cause, subject)
  }
}

/** The service failed with a status for temporary failures, so the request is retried. */
export const SERVICE_FAILURES: ReadonlySet<Reason> = new Set(['service-failed', 'service-failed-again'])

const AMBIGUOUS: ReadonlySet<Reason> = new Set<Reason>([
  ...SERVICE_FAILURES,
  'gateway-responded',
  'connection-broken',
  'timeout-silent',
  'timeout-total',
])

/**
 * Whether it is unknown if an error concerns only the requested device, for example because its large response always
 * times out or the device makes the service fail, or all devices, because the service is down.
 */
export function isAmbiguous({ reason }: EnvlogError): boolean {
  return AMBIGUOUS.has(reason)
}

const OF_ONE_DEVICE: ReadonlySet<Reason> = new Set([
  'device-refused',
  'relay-not-found',
  'device-unknown',
  'records-refused',
  'records-wait',
])

/** Whether the device has no record quota left: the node waits, or others have used it and the service refuses. */
export function isShortOfRecords({ reason }: EnvlogError): boolean {
  return reason === 'records-wait' || reason === 'records-refused'
}

/**
 * Whether an error concerns a single device, so that the others continue: the service refused the device, its response
 * is unreadable, or its limit of records is used up. All other errors (credentials, network, a failing service) concern
 * the account.
 */
export function concernsOneDevice(error: EnvlogError): boolean {
  // A response of `current` is about all devices, even if only one of them is needed.
  if (error.code === 'ENVLOG_REPLY') return error.cause.endpoint !== 'current'
  return OF_ONE_DEVICE.has(error.reason)
}
