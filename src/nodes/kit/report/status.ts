import type { NodeAPI, NodeStatus } from 'node-red'
import { EnvlogError } from '../../../lib/errors'

/** What a node can be doing, as far as its status tells. */
export type RunStatus =
  | { kind: 'blank' }
  | { kind: 'unconfigured' }
  | { kind: 'asking' }
  /** For quota until an instant; in a round over several devices until its end. */
  | { kind: 'waiting'; until: number; records: boolean; round?: { done: number; total: number } }
  | { kind: 'progress'; what: CountUnit; count: number }
  | { kind: 'came'; what: CountUnit; count: number; at: number }
  | { kind: 'failed'; error: unknown }

/** Keys of the catalogs (`status.<counted>`). */
export type CountUnit = 'devices' | 'records' | 'alerts' | 'pages' | 'answers'

/** RunStatus → status. Texts without a number are keys, which the editor puts into the viewer's language. */
export function toNodeStatus(RED: NodeAPI, outcome: RunStatus): NodeStatus {
  switch (outcome.kind) {
    case 'blank':
      return {}
    case 'unconfigured':
      return { fill: 'grey', shape: 'ring', text: 'status.unconfigured' }
    case 'asking':
      return { fill: 'blue', shape: 'dot', text: 'status.asking' }
    case 'waiting':
      return { fill: 'yellow', shape: 'ring', text: waited(RED, outcome) }
    case 'progress':
      return { fill: 'blue', shape: 'dot', text: counted(RED, outcome) }
    case 'came':
      return { fill: 'green', shape: 'dot', text: `${counted(RED, outcome)} ${clockTime(outcome.at)}` }
    case 'failed':
      return outcome.error instanceof EnvlogError && outcome.error.code === 'ENVLOG_CONFIG'
        ? { fill: 'grey', shape: 'ring', text: 'status.unconfigured' }
        : { fill: 'red', shape: 'ring', text: `status.${codeOf(outcome.error)}` }
  }
}

function counted(RED: NodeAPI, { what, count }: { what: CountUnit; count: number }): string {
  return RED._(`status.${what}`, { count } as never)
}

function waited(RED: NodeAPI, { until, records, round }: RunStatus & { kind: 'waiting' }): string {
  const time = formatLocalTime(until)
  const key = round ? 'waiting-round' : records ? 'waiting-records' : 'waiting'
  return RED._(`status.${key}`, { time, ...round } as never)
}

const A_DAY_MS = 86_400_000

/** A time to come, on the server's clock: `14:20`, or `11-24 14:20` where that is a day away. @param at ms since 1970 UTC */
export function formatLocalTime(at: number): string {
  return at - Date.now() < A_DAY_MS ? clockTime(at) : `${dayOf(at)} ${clockTime(at)}`
}

/** Month and day of the server's clock. */
function dayOf(at: number): string {
  const date = new Date(at)
  return [date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')
}

const twoDigits = (part: number) => String(part).padStart(2, '0')

function codeOf(error: unknown): string {
  return error instanceof EnvlogError ? error.code : 'failed'
}

/** Hours and minutes of the server's clock. */
function clockTime(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes()].map(twoDigits).join(':')
}
