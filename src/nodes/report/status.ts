import type { NodeAPI, NodeStatus } from 'node-red'
import type { ReportData } from '../../lib/report/report-data'
import { Wording } from '../../lib/report/wording'
import { formatTime } from '../kit/report/times'
import { translate } from '../kit/report/translate'
import { languageOf, textsIn } from './report-query'

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

const COLORS = { good: 'green', warning: 'yellow', bad: 'red' } as const

/** The worst of what the report found. */
export function madeStatus(RED: NodeAPI, report: ReportData): NodeStatus {
  const { level } = report.verdict
  const language = languageOf(RED, { language: null })
  const [worst] = new Wording(language, textsIn(language)).findings(report)
  const key = `report.status.${level === 'good' ? 'good' : 'made'}`
  const text = worst ?? translate(RED, key, { time: formatTime(Date.now()) })
  return { fill: COLORS[level], shape: 'dot', text }
}

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
