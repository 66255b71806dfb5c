import assert from 'node:assert/strict'
import { planAlerts } from '../../../../src/lib/collect/alert-plan'
import type { AlertCursor } from '../../../../src/lib/collect/cursor'
import type { AlertSource } from '../../../../src/lib/readings/alert-kind'
import type { LogEntry } from '../../../../src/lib/readings/alerts'

/** Maximum number of entries in a response. */
const MAX_ENTRIES = 20

const entry = (at: number | null, text = `alert ${at}`, source: AlertSource = 'ch1'): LogEntry => ({
  timestamp: at,
  texts: [{ source, text }],
})
const entries = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => entry(from + index))

/** Processes successive responses. */
function follow(start: 'now' | 'all' = 'all') {
  let cursor: AlertCursor | null = null
  return {
    cursor: () => cursor,
    take(log: readonly LogEntry[]) {
      const { fresh, overflow, next } = planAlerts(cursor, log, start)
      cursor = next
      const times = fresh.map(({ timestamp }) => timestamp)
      return overflow ? [...times, 'overflow'] : times
    },
  }
}

describe('alerts', () => {
  it('that were never acknowledged are sent again, and none is reported as lost', () => {
    const log = entries(1, MAX_ENTRIES)
    const { fresh, overflow } = planAlerts({ seen: [], isFirst: true }, log, 'all')
    assert.deepEqual([fresh.length, overflow], [MAX_ENTRIES, false])
    assert.equal(planAlerts({ seen: [] }, log, 'all').overflow, true)
  })

  it('are the same if the service rewords them after a channel was renamed', () => {
    const device = follow()
    device.take(entries(1, 20))
    const renamed = entries(1, 20).map(({ timestamp }) => entry(timestamp, `renamed ${timestamp}`))
    assert.deepEqual(device.take(renamed), [])
    assert.deepEqual(device.take([...renamed.slice(1), entry(21)]), [21])
    const again = entries(2, 20).map(({ timestamp }) => entry(timestamp, `again ${timestamp}`))
    assert.deepEqual(device.take([...again, entry(21)]), [])
  })

  it('are sent without those texts of the entry that were already sent', () => {
    const before = entry(1, 'high')
    const { next } = planAlerts(null, [before], 'all')
    const after: LogEntry = { timestamp: 1, texts: [...before.texts, { source: 'ch2', text: 'low' }] }
    const { fresh } = planAlerts(next, [after], 'all')
    assert.deepEqual(fresh, [{ timestamp: 1, texts: [{ source: 'ch2', text: 'low' }] }])
  })

  it('are sent once even if a response has more of them than described', () => {
    const device = follow()
    device.take(entries(1, 25))
    assert.deepEqual([device.take(entries(1, 25)), device.take(entries(2, 26))], [[], [26]])
  })

  it('with the same time and source are distinguished by text', () => {
    const device = follow()
    device.take([entry(1, 'high')])
    const others = [entry(1, 'high', 'ch2'), entry(1, 'low'), entry(2, 'high'), entry(null, 'high')]
    assert.deepEqual(device.take([entry(1, 'high'), ...others]), [1, 1, 2, null])
    assert.deepEqual(device.take(others), [])
  })

  it('that are identical count as one', () => {
    const device = follow()
    assert.deepEqual(device.take([entry(1), entry(1), entry(2)]), [1, 2])
    assert.deepEqual(device.take([entry(1), entry(2), entry(2)]), [])
  })

  it('with an earlier time than known ones are still new: clocks may be set back', () => {
    const device = follow()
    device.take(entries(5, 9))
    assert.deepEqual(device.take([entry(2), ...entries(5, 9)]), [2])
  })
})

describe('the cursor of an alert log', () => {
  it('contains the newest 40 texts, and always the last response', () => {
    const device = follow()
    for (let last = 1; last < 90; last += 7) {
      device.take(entries(Math.max(1, last - 19), last))
      assert.equal(device.cursor()?.seen.length, Math.min(last, 2 * MAX_ENTRIES))
      assert.deepEqual(device.take(entries(Math.max(1, last - 19), last)), [])
    }
  })

  it('contains the texts with the newest times, in whatever order the responses arrive', () => {
    const device = follow()
    for (const from of [101, 61, 121]) device.take(entries(from, from + 19))
    assert.deepEqual(device.take(entries(101, 120)), [])
  })
})
