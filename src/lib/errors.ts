/**
 * Every failure this package can report: a reason (one entry of the table below), its parameters, and what is
 * known of the cause. The words come from the catalogs (`errors.<reason>`), so that languages stay in step.
 */

/** What a Catch node sees as `msg.error.code`; the meanings are in docs/errors.md. */
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

/** Reason → code. A new failure is a row here and a sentence in each catalog. */
export const reasons = {
  'no-account': 'ENVLOG_CONFIG',
  'account-incomplete': 'ENVLOG_CONFIG',
  'setting-invalid': 'ENVLOG_CONFIG',
  'settings-newer': 'ENVLOG_CONFIG',
  'account-reference': 'ENVLOG_CONFIG',
  'proxy-invalid': 'ENVLOG_CONFIG',
  'secrets-needed': 'ENVLOG_CONFIG',
  'store-unknown': 'ENVLOG_CONFIG',
  'store-unreadable': 'ENVLOG_CONFIG',
  'store-newer': 'ENVLOG_CONFIG',
  'shared-client-missing': 'ENVLOG_CONFIG',
  'output-not-offered': 'ENVLOG_CONFIG',
  'no-devices': 'ENVLOG_CONFIG',
  'repeat-needs-message': 'ENVLOG_CONFIG',
  'advance-needs-device': 'ENVLOG_CONFIG',
  'start-unreadable': 'ENVLOG_CONFIG',
  'devices-missing': 'ENVLOG_INPUT',
  'devices-empty': 'ENVLOG_INPUT',
  'devices-unreadable': 'ENVLOG_INPUT',
  'group-unknown': 'ENVLOG_INPUT',
  'device-unknown': 'ENVLOG_INPUT',
  'time-unreadable': 'ENVLOG_INPUT',
  'period-empty': 'ENVLOG_INPUT',
  'receipt-unreadable': 'ENVLOG_INPUT',
  'forget-unreadable': 'ENVLOG_INPUT',
  'login-refused': 'ENVLOG_AUTH',
  'access-refused': 'ENVLOG_AUTH',
  'quota-refused': 'ENVLOG_QUOTA',
  'quota-wait': 'ENVLOG_QUOTA',
  'records-refused': 'ENVLOG_QUOTA',
  'records-wait': 'ENVLOG_QUOTA',
  'too-many-triggers': 'ENVLOG_BUSY',
  'queue-full': 'ENVLOG_BUSY',
  'service-refused': 'ENVLOG_SERVICE',
  'device-refused': 'ENVLOG_SERVICE',
  'service-failed': 'ENVLOG_SERVICE',
  redirected: 'ENVLOG_SERVICE',
  'no-connection': 'ENVLOG_NETWORK',
  'connection-broken': 'ENVLOG_NETWORK',
  'no-certificate': 'ENVLOG_NETWORK',
  'proxy-refused': 'ENVLOG_NETWORK',
  'gateway-answered': 'ENVLOG_NETWORK',
  'timeout-connect': 'ENVLOG_TIMEOUT',
  'timeout-silent': 'ENVLOG_TIMEOUT',
  'timeout-total': 'ENVLOG_TIMEOUT',
  'reply-too-large': 'ENVLOG_REPLY',
  'reply-too-many': 'ENVLOG_REPLY',
  'reply-too-deep': 'ENVLOG_REPLY',
  'reply-other-device': 'ENVLOG_REPLY',
  'reply-other-period': 'ENVLOG_REPLY',
  'reply-not-json': 'ENVLOG_REPLY',
  'reply-not-csv': 'ENVLOG_REPLY',
  'reply-error-object': 'ENVLOG_REPLY',
  'reply-unreadable': 'ENVLOG_REPLY',
  'reply-left-out': 'ENVLOG_REPLY',
  closed: 'ENVLOG_CLOSED',
} as const satisfies Record<string, ErrorCode>

export type Reason = keyof typeof reasons

/** What is known of the cause; a plain object, because Catch nodes hand it to users. */
export interface Cause {
  status?: number
  /** The service's own code, as it came. */
  serviceCode?: number | string
  endpoint?: string
  serial?: string
  base?: string
  /** A group that no device has. */
  group?: string
  /** ISO 8601, UTC: not worth trying before. */
  retryAt?: string
}

export type ErrorParams = Record<string, string | number>

/** `code` and `cause` are own properties: Catch nodes copy only those. */
export class EnvlogError extends Error {
  readonly code: ErrorCode
  override readonly cause: Cause

  constructor(
    readonly reason: Reason,
    readonly params: ErrorParams = {},
    cause: Cause = {},
  ) {
    super(reason)
    this.code = reasons[reason]
    this.name = this.code
    this.cause = { ...cause }
  }

  /** The same failure with more known of its cause. */
  with(more: Cause): EnvlogError {
    return new EnvlogError(this.reason, this.params, { ...more, ...this.cause })
  }
}

const MAYBE_OF_ONE_DEVICE: ReadonlySet<Reason> = new Set([
  'service-failed',
  'gateway-answered',
  'connection-broken',
  'timeout-silent',
  'timeout-total',
])

/**
 * True where nothing tells whether the device that was asked is at fault or all would fail: a large answer that times
 * out every time, a device that a service stumbles over, or a service that is down.
 */
export function mayConcernOneDevice({ reason }: EnvlogError): boolean {
  return MAYBE_OF_ONE_DEVICE.has(reason)
}

const OF_ONE_DEVICE: ReadonlySet<Reason> = new Set([
  'device-refused',
  'device-unknown',
  'records-refused',
  'records-wait',
])

/**
 * True where only the asked device failed and the others may go on: the service refused it, its answer cannot
 * be read, its records are used up. Everything else (credentials, requests, network, a failing service) is the
 * account's.
 */
export function concernsOneDevice(error: EnvlogError): boolean {
  // `current` is asked for all of them, also where one device's name or base unit is wanted.
  if (error.code === 'ENVLOG_REPLY') return error.cause.endpoint !== 'current'
  return OF_ONE_DEVICE.has(error.reason)
}
