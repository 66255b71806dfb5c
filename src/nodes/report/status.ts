import type { NodeAPI, NodeStatus } from 'node-red'
import type { ReportData, VerdictCounts } from '../../lib/report/report-data'
import { formatTime } from '../kit/report/times'
import { translate } from '../kit/report/translate'

/** The statuses of envlog-report. Those of failures are as of other nodes. */

interface Progress {
  key: string
  done: number
  total: number
  /** About when it will be done, if requests wait for quota, ms since 1970 UTC. */
  until: number | null
}

export function makingStatus(RED: NodeAPI, { until, ...progress }: Progress): NodeStatus {
  const text =
    until === null
      ? translate(RED, 'report.status.making', progress)
      : translate(RED, 'report.status.making-until', { ...progress, time: formatTime(until) })
  return { fill: until === null ? 'blue' : 'yellow', shape: until === null ? 'dot' : 'ring', text }
}

/** What the report found, worst first. */
const FINDINGS = ['excursions', 'failed', 'unchecked', 'noValue', 'incomplete', 'silent', 'battery'] as const
const COLORS = { good: 'green', warning: 'yellow', bad: 'red' } as const

export function madeStatus(RED: NodeAPI, { verdict: { level, counts } }: ReportData): NodeStatus {
  const found = FINDINGS.find((name) => counts[name] > 0)
  const text =
    found === undefined
      ? translate(RED, `report.status.${level === 'good' ? 'good' : 'made'}`, {
          time: formatTime(Date.now()),
        })
      : translate(RED, `report.status.${found}`, paramsOf(found, counts))
  return { fill: COLORS[level], shape: 'dot', text }
}

const paramsOf = (found: (typeof FINDINGS)[number], counts: VerdictCounts) => ({
  count: counts[found],
  all: counts.failed + counts.passed,
})

export const notDoneStatus = (): NodeStatus => ({
  fill: 'red',
  shape: 'ring',
  text: 'report.status.not-done',
})

/** When the node makes the next report by itself. */
export function idleStatus(RED: NodeAPI, next: number | undefined): NodeStatus {
  if (next === undefined) return {}
  return { fill: 'grey', shape: 'dot', text: translate(RED, 'status.next', { time: formatTime(next) }) }
}
