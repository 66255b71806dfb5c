import type { NodeAPI, NodeStatus } from 'node-red'
import { EnvlogError } from '../../../lib/errors'
import { rowOf } from '../../../shared/problems'
import type { DeviceProblems } from './device-problems'
import { toShortLine } from './localize'
import { formatDate, formatTime, hostClock } from './times'
import { translate } from './translate'

/** The activity of an action node, for its status. */
export type RunStatus =
  /** `next`: when it triggers itself, ms since 1970 UTC. */
  | { kind: 'idle'; problems: DeviceProblems; next?: number | undefined }
  | { kind: 'requesting' }
  /** Waiting for quota; `until` in ms since 1970 UTC. With `round`, `until` is for the last device of the round. */
  | { kind: 'waiting'; until: number; records: boolean; round?: { done: number; total: number } }
  /**
   * Fetching missing records of `total` devices, of which `done` are complete; `name` is that of the next one. The
   * others are complete since `since`, ms since 1970 UTC.
   */
  | {
      kind: 'filling'
      done: number
      total: number
      name: string
      records: number
      since: number
      problems: DeviceProblems
    }
  /** `nothing-new`: all received data had been sent before. */
  | { kind: 'received'; what: CountUnit | 'nothing-new'; count: number; problems: DeviceProblems }
  /** Receipts are overdue since `since`, ms since 1970 UTC. `isWarning`: users were warned. */
  | { kind: 'unacknowledged'; devices: number; since: number; isWarning: boolean }
  /** `since`: when failures with this code began; `next`: when the node tries again; both in ms since 1970 UTC. */
  | { kind: 'failed'; error: unknown; since?: number; next?: number | undefined }

/** The unit of the count in a status. Each is a key in the catalogs (`status.<unit>`). */
export type CountUnit = 'devices' | 'records' | 'alerts' | 'responses'

/**
 * Whether records were lost, a database does not confirm them, a period has none, or chosen devices are not in the
 * account.
 * @param count number received
 */
const needsAttention = ({ losses, awaited, empty, unknown }: DeviceProblems, count?: number) =>
  losses > 0 || awaited > 0 || unknown > 0 || (empty > 0 && count === 0)

/**
 * Converts a status to Node-RED's format. Texts without numbers are catalog keys, which each editor shows in its own
 * language.
 */
export function toNodeStatus(RED: NodeAPI, status: RunStatus): NodeStatus {
  switch (status.kind) {
    case 'idle': {
      const { problems, next } = status
      const plan = next === undefined ? [] : [translate(RED, 'status.next', { time: formatTime(next) })]
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
        fill: needsAttention(status.problems, status.count) ? 'yellow' : 'green',
        shape: 'dot',
        text: formatReceived(RED, status),
      }
    case 'unacknowledged': {
      const { devices: count, since, isWarning } = status
      const text = translate(RED, 'status.unacknowledged', { count, time: formatTime(since) })
      return { fill: isWarning ? 'red' : 'yellow', shape: 'ring', text }
    }
    case 'failed':
      return toFailedStatus(RED, status)
  }
}

function toFailedStatus(RED: NodeAPI, status: RunStatus & { kind: 'failed' }): NodeStatus {
  const { error } = status
  if (!(error instanceof EnvlogError) || error.code !== 'ENVLOG_CONFIG')
    return { fill: 'red', shape: 'ring', text: formatFailure(RED, status) }
  const row = rowOf(String(error.params.property))
  return row === undefined
    ? { fill: 'grey', shape: 'ring', text: missingSettingKey(error) }
    : { fill: 'red', shape: 'ring', text: formatInvalidRow(RED, row, error) }
}

/** What is wrong with a limit. The status is red, because no alarm of the node is judged. */
function formatInvalidRow(RED: NodeAPI, row: number, { params }: EnvlogError): string {
  const isUnchosen = ['no-devices', 'no-bases', 'no-groups'].includes(String(params.problem))
  return translate(RED, `status.limit-${isUnchosen ? params.problem : 'invalid'}`, { row })
}

/** The catalog key for a missing or invalid setting, or for a saved state that cannot be used. */
function missingSettingKey({ reason, params }: EnvlogError): string {
  if (reason === 'store-unreadable') return 'status.store-unreadable'
  if (reason === 'store-damaged') return 'status.store-damaged'
  if (reason === 'store-newer') return 'status.store-newer'
  if (reason === 'account-incomplete') return `status.missing-${params.property}`
  return reason === 'no-account' || reason === 'no-limits' ? `status.${reason}` : 'status.unconfigured'
}

function formatFailure(RED: NodeAPI, { error, since, next }: RunStatus & { kind: 'failed' }): string {
  const code = error instanceof EnvlogError ? error.code : 'failed'
  const { retryAt } = error instanceof EnvlogError ? error.cause : {}
  if (code === 'ENVLOG_QUOTA' && retryAt)
    return translate(RED, 'status.used-up-until', { time: formatTime(Date.parse(retryAt)) })
  if (since === undefined) return `status.${code}`
  const params = { what: translate(RED, `status.${code}`), since: formatTime(since) }
  if (next === undefined) return translate(RED, 'status.since', params)
  return translate(RED, 'status.since-next', { ...params, next: formatTime(next) })
}

function formatFilling(
  RED: NodeAPI,
  { done, total, name, records, since }: RunStatus & { kind: 'filling' },
): string {
  if (records === 0 && total === 1) return translate(RED, 'status.filling-first')
  if (records === 0) return translate(RED, 'status.filling', { done, total })
  const progress = { number: records.toLocaleString('en-US'), date: formatDate(hostClock, since) }
  return total === 1
    ? translate(RED, 'status.filling-one', { name: toShortLine(name), ...progress })
    : translate(RED, 'status.filling-back-to', { done, total, ...progress })
}

function formatReceived(RED: NodeAPI, { what, count, problems }: RunStatus & { kind: 'received' }): string {
  const received = `${translate(RED, `status.${what}`, { count })} ${formatTime(Date.now())}`
  return withProblems(RED, received, problems)
}

const withProblems = (RED: NodeAPI, text: string, problems: DeviceProblems) =>
  [text, ...formatProblems(RED, problems)].join(' ')

function formatProblems(RED: NodeAPI, problems: DeviceProblems): string[] {
  const kinds = (['refused', 'losses', 'unknown', 'awaited', 'empty'] as const).filter(
    (kind) => problems[kind] > 0,
  )
  return kinds.map((kind) => translate(RED, `status.${kind}`, { count: problems[kind] }))
}

function formatWait(RED: NodeAPI, { until, records, round }: RunStatus & { kind: 'waiting' }): string {
  const time = formatTime(until)
  const key = round ? 'waiting-round' : records ? 'waiting-records' : 'waiting'
  return translate(RED, `status.${key}`, { time, ...round })
}
