import type { NodeAPI, NodeStatus } from 'node-red'
import type { Summary } from '../../lib/limits/monitor'
import { formatTime } from '../kit/report/times'
import { translate } from '../kit/report/translate'

/** The status of envlog-alarms. If several apply, the first one is shown. */
export function toAlarmsStatus(RED: NodeAPI, summary: Summary): NodeStatus {
  const { mutedUntil, noDataSince, alarms, since, pending, devices, dataAt, mutedDevices: count } = summary
  const text = (key: string, params: object) => {
    const shown = translate(RED, `alarms.status.${key}`, params)
    const isPartlyMuted = count > 0 && mutedUntil === null
    return isPartlyMuted ? translate(RED, 'alarms.status.muted-devices', { text: shown, count }) : shown
  }
  if (mutedUntil !== null)
    return { fill: 'blue', shape: 'ring', text: text('muted', { time: formatTime(mutedUntil) }) }
  if (noDataSince !== null)
    return { fill: 'red', shape: 'ring', text: text('no-data', { time: formatTime(noDataSince) }) }
  if (since !== null)
    return { fill: 'red', shape: 'dot', text: text('alarms', { count: alarms, time: formatTime(since) }) }
  if (pending > 0) return { fill: 'yellow', shape: 'ring', text: text('pending', { count: pending }) }
  if (devices === 0) return {}
  return { fill: 'green', shape: 'dot', text: text('normal', { count: devices, time: formatTime(dataAt) }) }
}
