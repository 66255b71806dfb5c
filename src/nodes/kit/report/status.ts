import type { NodeAPI, NodeStatus } from 'node-red'
import { EnvlogError } from '../../../lib/errors'

/** The activity of an action node, for its status. */
export type RunStatus =
  /** `refused`: number of devices that are skipped because the service has refused them. */
  | { kind: 'idle'; refused: number }
  | { kind: 'requesting' }
  /** Waits for quota until then, ms since 1970 UTC; with `round`, until the last of its devices is done. */
  | { kind: 'waiting'; until: number; records: boolean; round?: { done: number; total: number } }
  | { kind: 'progress'; unit: CountUnit; count: number }
  /** `at` in ms since 1970 UTC. */
  | { kind: 'received'; unit: CountUnit; count: number; at: number; refused: number }
  /** Repeatedly sent without a receipt since then, ms since 1970 UTC. */
  | { kind: 'unacknowledged'; devices: number; since: number }
  /** Nothing new was received then, ms since 1970 UTC. */
  | { kind: 'nothing-new'; at: number; refused: number }
  /** `since`: start of a failure that may persist; `next`: when the node tries again. ms since 1970 UTC. */
  | { kind: 'failed'; error: unknown; since?: number | undefined; next?: number | undefined }

/** What the status counts: keys in the catalogs (`status.<unit>`). */
export type CountUnit = 'devices' | 'records' | 'alerts' | 'pages' | 'answers'

const A_MINUTE_MS = 60_000
const A_DAY_MS = 86_400_000

/** The status in Node-RED's form. Texts without a number are keys, which each editor shows in its language. */
export function toNodeStatus(RED: NodeAPI, status: RunStatus): NodeStatus {
  switch (status.kind) {
    case 'idle':
      return status.refused === 0 ? {} : { fill: 'grey', shape: 'dot', text: formatRefused(RED, status) }
    case 'requesting':
      return { fill: 'blue', shape: 'dot', text: 'status.asking' }
    case 'waiting':
      return { fill: 'yellow', shape: 'ring', text: formatWait(RED, status) }
    case 'progress':
      return { fill: 'blue', shape: 'dot', text: formatCount(RED, status) }
    case 'received':
      return { fill: 'green', shape: 'dot', text: formatReceived(RED, formatCount(RED, status), status) }
    case 'nothing-new':
      return { fill: 'green', shape: 'dot', text: formatReceived(RED, RED._('status.nothing-new'), status) }
    case 'unacknowledged': {
      const { devices: count, since } = status
      const text = RED._('status.unacknowledged', { count, time: formatPastTime(since) } as never)
      return { fill: 'red', shape: 'ring', text }
    }
    case 'failed': {
      const { error } = status
      return error instanceof EnvlogError && error.code === 'ENVLOG_CONFIG'
        ? { fill: 'grey', shape: 'ring', text: formatMissing(error) }
        : { fill: 'red', shape: 'ring', text: formatFailure(RED, status) }
    }
  }
}

/** What is not configured, as a key. */
function formatMissing({ reason, params }: EnvlogError): string {
  if (reason === 'account-incomplete') return `status.missing-${params.property}`
  return reason === 'no-account' ? 'status.no-account' : 'status.unconfigured'
}

function formatFailure(RED: NodeAPI, { error, since, next }: RunStatus & { kind: 'failed' }): string {
  const code = error instanceof EnvlogError ? error.code : 'failed'
  const { retryAt } = error instanceof EnvlogError ? error.cause : {}
  if (code === 'ENVLOG_QUOTA' && retryAt)
    return RED._('status.used-up-until', { time: formatLocalTime(Date.parse(retryAt)) } as never)
  if (since === undefined) return `status.${code}`
  const params = { what: RED._(`status.${code}`), since: formatPastTime(since) }
  if (next === undefined) return RED._('status.since', params as never)
  return RED._('status.since-next', { ...params, next: formatLocalTime(next) } as never)
}

function formatReceived(
  RED: NodeAPI,
  what: string,
  { at, refused }: { at: number; refused: number },
): string {
  const parts = [what, formatTime(at)]
  if (refused > 0) parts.push(formatRefused(RED, { refused }))
  return parts.join(' ')
}

function formatCount(RED: NodeAPI, { unit, count }: { unit: CountUnit; count: number }): string {
  return RED._(`status.${unit}`, { count } as never)
}

const formatRefused = (RED: NodeAPI, { refused }: { refused: number }) =>
  RED._('status.refused', { count: refused } as never)

function formatWait(RED: NodeAPI, { until, records, round }: RunStatus & { kind: 'waiting' }): string {
  const time = formatLocalTime(until)
  const key = round ? 'waiting-round' : records ? 'waiting-records' : 'waiting'
  return RED._(`status.${key}`, { time, ...round } as never)
}

/**
 * A future time in the server's time zone: `14:20`, `14:20:05` if it is less than a minute away, or `11-24 14:20` if it
 * is a day or more away.
 * @param at ms since 1970 UTC
 */
export function formatLocalTime(at: number): string {
  const ahead = at - Date.now()
  if (ahead < A_MINUTE_MS) return `${formatTime(at)}:${twoDigits(new Date(at).getSeconds())}`
  return ahead < A_DAY_MS ? formatTime(at) : `${formatDate(at)} ${formatTime(at)}`
}

/** A past time in the server's time zone: `14:20`, or `11-24 14:20`. @param at ms since 1970 UTC */
export const formatPastTime = (at: number) =>
  Date.now() - at < A_DAY_MS ? formatTime(at) : `${formatDate(at)} ${formatTime(at)}`

function formatTime(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes()].map(twoDigits).join(':')
}

function formatDate(at: number): string {
  const date = new Date(at)
  return [date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')
}

const twoDigits = (part: number) => String(part).padStart(2, '0')
