import type { NodeAPI, NodeStatus } from 'node-red'
import { EnvlogError } from '../../../lib/errors'
import { formatLocalTime, type LocalClock } from '../../../shared/local-clock'

/** The activity of an action node, for its status. */
export type RunStatus =
  /** `next`: when it triggers itself, ms since 1970 UTC. */
  | { kind: 'idle'; problems: DeviceProblems; next?: number | undefined }
  | { kind: 'requesting' }
  /** Waiting for quota; `until` in ms since 1970 UTC. With `round`, `until` is for the last device of the round. */
  | { kind: 'waiting'; until: number; records: boolean; round?: { done: number; total: number } }
  /**
   * Fetching missing records of `total` devices, of which `done` are complete; `name` is that of the next one. `until`:
   * about when each of the others will have been requested again, ms since 1970 UTC; `null` without a wait for quota.
   */
  | {
      kind: 'filling'
      done: number
      total: number
      name: string
      records: number
      until: number | null
      problems: DeviceProblems
    }
  /** `nothing-new`: all received data had been sent before. */
  | { kind: 'received'; what: CountUnit | 'nothing-new'; count: number; problems: DeviceProblems }
  /** Receipts are overdue since `since`, ms since 1970 UTC. `isWarning`: users were warned. */
  | { kind: 'unacknowledged'; devices: number; since: number; isWarning: boolean }
  /** `since`: when failures with this code began; `next`: when the node tries again; both in ms since 1970 UTC. */
  | { kind: 'failed'; error: unknown; since?: number; next?: number | undefined }

/** Numbers of devices that a trigger had problems with. */
export interface DeviceProblems {
  /** They are skipped because the service has refused them. */
  refused: number
  /** Records or alerts of them were lost. */
  losses: number
  /** They, or groups, were chosen, but are not in the account. */
  unknown: number
  /** They were not requested, because they await a receipt. */
  awaited: number
}

export const NO_PROBLEMS: DeviceProblems = { refused: 0, losses: 0, unknown: 0, awaited: 0 }

/** The unit of the count in a status. Each is a key in the catalogs (`status.<unit>`). */
export type CountUnit = 'devices' | 'records' | 'alerts' | 'responses'

/** Whether records were lost, or a database does not confirm them. */
const needsAttention = ({ losses, awaited }: DeviceProblems) => losses > 0 || awaited > 0

const A_MINUTE_MS = 60_000

/**
 * Converts a status to Node-RED's format. Texts without numbers are catalog keys, which each editor shows in its own
 * language.
 */
export function toNodeStatus(RED: NodeAPI, status: RunStatus): NodeStatus {
  switch (status.kind) {
    case 'idle': {
      const { problems, next } = status
      const plan = next === undefined ? [] : [RED._('status.next', { time: formatTime(next) } as never)]
      const text = [...plan, ...formatProblems(RED, problems)].join(' ')
      return text === '' ? {} : { fill: needsAttention(problems) ? 'yellow' : 'grey', shape: 'dot', text }
    }
    case 'requesting':
      return { fill: 'blue', shape: 'dot', text: 'status.asking' }
    case 'waiting':
      return { fill: 'yellow', shape: 'ring', text: formatWait(RED, status) }
    case 'filling':
      return {
        fill: 'blue',
        shape: 'ring',
        text: withProblems(RED, formatFilling(RED, status), status.problems),
      }
    case 'received':
      return {
        fill: needsAttention(status.problems) ? 'yellow' : 'green',
        shape: 'dot',
        text: formatReceived(RED, status),
      }
    case 'unacknowledged': {
      const { devices: count, since, isWarning } = status
      const text = RED._('status.unacknowledged', { count, time: formatTime(since) } as never)
      return { fill: isWarning ? 'red' : 'yellow', shape: 'ring', text }
    }
    case 'failed': {
      const { error } = status
      return error instanceof EnvlogError && error.code === 'ENVLOG_CONFIG'
        ? { fill: 'grey', shape: 'ring', text: missingSettingKey(error) }
        : { fill: 'red', shape: 'ring', text: formatFailure(RED, status) }
    }
  }
}

/** The catalog key for a missing or invalid setting, or for a saved state that cannot be used. */
function missingSettingKey({ reason, params }: EnvlogError): string {
  if (reason === 'store-unreadable') return 'status.store-unreadable'
  if (reason === 'store-damaged') return 'status.store-damaged'
  if (reason === 'store-newer') return 'status.store-newer'
  if (reason === 'account-incomplete') return `status.missing-${params.property}`
  return reason === 'no-account' ? 'status.no-account' : 'status.unconfigured'
}

function formatFailure(RED: NodeAPI, { error, since, next }: RunStatus & { kind: 'failed' }): string {
  const code = error instanceof EnvlogError ? error.code : 'failed'
  const { retryAt } = error instanceof EnvlogError ? error.cause : {}
  if (code === 'ENVLOG_QUOTA' && retryAt)
    return RED._('status.used-up-until', { time: formatTime(Date.parse(retryAt)) } as never)
  if (since === undefined) return `status.${code}`
  const params = { what: RED._(`status.${code}`), since: formatTime(since) }
  if (next === undefined) return RED._('status.since', params as never)
  return RED._('status.since-next', { ...params, next: formatTime(next) } as never)
}

function formatFilling(
  RED: NodeAPI,
  { done, total, name, records, until }: RunStatus & { kind: 'filling' },
): string {
  if (total === 1 && records === 0) return RED._('status.filling-first')
  if (total === 1)
    return RED._('status.filling-one', { name, number: records.toLocaleString('en-US') } as never)
  if (until === null) return RED._('status.filling', { done, total } as never)
  return RED._('status.filling-until', { done, total, time: formatTime(until) } as never)
}

function formatReceived(RED: NodeAPI, { what, count, problems }: RunStatus & { kind: 'received' }): string {
  const received = `${RED._(`status.${what}`, { count } as never)} ${formatTime(Date.now())}`
  return withProblems(RED, received, problems)
}

const withProblems = (RED: NodeAPI, text: string, problems: DeviceProblems) =>
  [text, ...formatProblems(RED, problems)].join(' ')

function formatProblems(RED: NodeAPI, problems: DeviceProblems): string[] {
  const kinds = (['refused', 'losses', 'unknown', 'awaited'] as const).filter((kind) => problems[kind] > 0)
  return kinds.map((kind) => RED._(`status.${kind}`, { count: problems[kind] } as never))
}

function formatWait(RED: NodeAPI, { until, records, round }: RunStatus & { kind: 'waiting' }): string {
  const time = formatTime(until)
  const key = round ? 'waiting-round' : records ? 'waiting-records' : 'waiting'
  return RED._(`status.${key}`, { time, ...round } as never)
}

/** The clock of the machine that runs Node-RED. */
export const hostClock: LocalClock = { offsetAt: (instant) => -new Date(instant).getTimezoneOffset() }

/**
 * Formats a time in the time zone of the machine that runs Node-RED: `14:20`, `14:20:05` if it is less than a minute
 * ahead, or `11-24 14:20` if it is not today.
 * @param at ms since 1970 UTC
 */
export function formatTime(at: number): string {
  const [local, now] = [formatLocalTime(hostClock, at), formatLocalTime(hostClock, Date.now())]
  const ahead = at - Date.now()
  const time = local.slice(11, 0 < ahead && ahead < A_MINUTE_MS ? 19 : 16)
  return local.slice(0, 10) === now.slice(0, 10) ? time : `${local.slice(5, 10)} ${time}`
}

/** Formats date and time: `2026-11-24 14:20`. @param at ms since 1970 UTC */
export const formatDate = (clock: LocalClock, at: number) =>
  formatLocalTime(clock, at).slice(0, 16).replace('T', ' ')
