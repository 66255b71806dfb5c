import assert from 'node:assert/strict'
import type { Summary } from '../../../../src/lib/limits/monitor'
import { toAlarmsStatus } from '../../../../src/nodes/alarms/status'
import { formatTime } from '../../../../src/nodes/kit/report/times'
import { withCatalogs } from '../../../support/catalog-red'

const now = Date.now()
const time = formatTime(now)
const NORMAL: Summary = {
  mutedUntil: null,
  mutedDevices: 0,
  noDataSince: null,
  alarms: 0,
  since: null,
  unacknowledged: 0,
  pending: 0,
  devices: 14,
  dataAt: now,
}

describe('the status of alarms', () => {
  for (const [summary, expected] of [
    [{ devices: 0 }, undefined],
    [{}, `green dot: 14 devices normal, ${time}`],
    [{ pending: 1 }, 'yellow ring: 1 pending'],
    [{ pending: 1, alarms: 2, since: now }, `red dot: 2 alarms, the oldest since ${time}`],
    [{ alarms: 2, since: now, noDataSince: now }, `red ring: no data since ${time}`],
    [{ noDataSince: now, mutedUntil: now, mutedDevices: 1 }, `blue ring: muted until ${time}`],
    [{ mutedDevices: 2 }, `green dot: 14 devices normal, ${time} (2 devices muted)`],
    [{ alarms: 1, since: now, mutedDevices: 1 }, `red dot: 1 alarm since ${time} (1 device muted)`],
  ] as const) {
    it(`is ${expected ?? 'empty'} with ${JSON.stringify(Object.keys(summary))}`, () => {
      const { fill, shape, text } = toAlarmsStatus(withCatalogs('en-US'), { ...NORMAL, ...summary })
      assert.equal(fill && `${fill} ${shape}: ${text}`, expected)
    })
  }
})
