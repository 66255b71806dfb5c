import assert from 'node:assert/strict'
import type { LimitEvent } from '../../../../src/lib/limits/event'
import { at, inMinutes, recordsIn } from '../../../support/limits/minutes'
import { brief, MINUTE, Monitoring, nowIn, readingOf, seriesOf } from '../../../support/limits/monitoring'

const TOO_WARM = { name: 'too warm', above: -15 }
const DAY_MINUTES = 1440
const NEVER_SILENT = { silentAfterMs: Number.POSITIVE_INFINITY }

/** A value each minute, with times that are so many minutes ahead of the clock. */
function measures(node: Monitoring, minutes: number, value: number, ahead = 0): LimitEvent[] {
  const events: LimitEvent[] = []
  for (let minute = 0; minute < minutes; minute++) {
    events.push(...node.wait(1))
    events.push(...node.receiveAhead([readingOf(nowIn(node) + ahead * MINUTE, value)]))
  }
  return events
}

describe('a measurement ahead of the clock', () => {
  const isJudged = (minutes: number) => {
    const node = new Monitoring([TOO_WARM])
    measures(node, 1, -18)
    return measures(node, 1, -5, minutes).length > 0
  }

  it('is judged up to an hour ahead', () => {
    assert.deepEqual([60, 61].map(isJudged), [true, false])
  })

  it('does not end an alarm, and does not hide the values after it', () => {
    const node = new Monitoring([{ ...TOO_WARM, minutes: 30 }])
    assert.deepEqual(measures(node, 20, -5), [])
    assert.deepEqual(measures(node, 1, -20, 3 * DAY_MINUTES), [])
    assert.deepEqual(measures(node, 20, -5).map(inMinutes), ['alarm above 1-'])
    assert.deepEqual(measures(node, 1, -20, 3 * DAY_MINUTES), [])
    assert.deepEqual(measures(node, 1, -18).map(inMinutes), ['normal above 1-43'])
  })

  it('leaves the newest of the other records to show whether a channel has a value, in whatever order', () => {
    const node = new Monitoring([], NEVER_SILENT)
    const now = nowIn(node)
    node.receiveAhead(
      seriesOf([
        [now, -18],
        [now - MINUTE, 'E1'],
        [now + DAY_MINUTES * MINUTE, -18],
      ]),
    )
    assert.deepEqual(node.wait(20), [])
  })

  it('leaves the other records of its message', () => {
    const node = new Monitoring([{ ...TOO_WARM, minutes: 30 }])
    node.receive(recordsIn(0, 10, () => -18))
    const { records, ...about } = recordsIn(10, 51, () => -5)
    const ahead = seriesOf([[at(3 * DAY_MINUTES), -20]]).records
    node.clock.jump(60 * MINUTE)
    const events = node.receiveAhead({ ...about, records: [...records, ...ahead] })
    assert.deepEqual(events.map(inMinutes), ['alarm above 10-'])
  })

  it('is judged up to an hour ahead, also beside a later one', () => {
    const node = new Monitoring([TOO_WARM])
    measures(node, 1, -18)
    const [now, day] = [nowIn(node), DAY_MINUTES * MINUTE]
    const series = (ahead: number) =>
      seriesOf([
        [now + ahead * MINUTE, -5],
        [now + day, -5],
      ])
    assert.deepEqual(node.receiveAhead(series(61)), [])
    assert.equal(node.receiveAhead(series(60)).length, 1)
  })

  it('is judged after an hour, also if old ones arrive late meanwhile', () => {
    const node = new Monitoring([TOO_WARM], NEVER_SILENT)
    const last = nowIn(node)
    node.receiveAhead([readingOf(last, -18)])
    const events = [20, 20, 20, 20].flatMap((minutes, round) => [
      ...measures(node, minutes, -5, 180),
      ...node.receiveAhead([readingOf(last - round * 60 * MINUTE, -18)]),
    ])
    assert.deepEqual(
      events.map(({ state }) => state),
      ['alarm'],
    )
  })

  it('is never judged if each message has others, too', () => {
    const node = new Monitoring([TOO_WARM], NEVER_SILENT)
    const events: LimitEvent[] = []
    for (let minute = 0; minute < 70; minute++) {
      node.wait(1)
      const now = nowIn(node)
      events.push(
        ...node.receiveAhead(
          seriesOf([
            [now, -18],
            [now + DAY_MINUTES * MINUTE, -5],
          ]),
        ),
      )
    }
    assert.deepEqual(events, [])
  })

  it('changes nothing if it comes every 50 minutes', () => {
    const node = new Monitoring([{ ...TOO_WARM, minutes: 30 }])
    measures(node, 1, -18)
    const events: LimitEvent[] = []
    for (let round = 0; round < 5; round++) {
      events.push(...measures(node, 49, -5), ...measures(node, 1, -20, 2 * DAY_MINUTES))
    }
    assert.deepEqual(events.map(inMinutes), ['alarm above 2-'])
  })

  it('is judged if the device sends only such ones for an hour, until it sends others for an hour', () => {
    const node = new Monitoring([TOO_WARM], NEVER_SILENT)
    measures(node, 1, -18)
    assert.deepEqual(measures(node, 60, -5, DAY_MINUTES), [])
    assert.deepEqual(measures(node, 1, -5, DAY_MINUTES).map(inMinutes), ['alarm above 1502-'])
    assert.deepEqual(measures(node, 60, -5), [])
    assert.deepEqual(measures(node, 1, -5).map(inMinutes), ['alarm above 123-'])
  })

  it('goes on being judged after a start, also a long time later', () => {
    for (const ahead of [65, DAY_MINUTES]) {
      const node = new Monitoring([TOO_WARM], NEVER_SILENT)
      measures(node, 62, -18, ahead)
      node.kill()
      node.clock.advance(ahead * MINUTE)
      assert.deepEqual(brief(measures(node, 1, -5, ahead)), ['alarm above 5212A1B2 1'])
    }
  })

  it('does not count as newer: the device is silent', () => {
    const node = new Monitoring([], { silentAfterMs: 30 * MINUTE })
    measures(node, 1, -18)
    assert.deepEqual(brief(measures(node, 40, -18, DAY_MINUTES)), ['alarm silent 5212A1B2'])
  })
})

describe('a device whose clock was set back', () => {
  it('counts anew how long its battery has been better', () => {
    const node = new Monitoring([], NEVER_SILENT)
    const year = 365 * DAY_MINUTES
    const hours = (count: number, level: string, ahead: number) =>
      Array.from({ length: 2 * count }, () => [
        ...node.wait(30),
        ...node.receiveAhead([readingOf(nowIn(node) + ahead * MINUTE, -18, { battery: { level } })]),
      ]).flat()
    assert.deepEqual(brief(hours(3, 'replace-now', year)), ['alarm battery 5212A1B2'])
    assert.deepEqual(hours(2, 'sufficient', year), [])
    assert.deepEqual(brief(hours(27, 'sufficient', 0)), ['normal battery 5212A1B2'])
  })

  it('begins anew after an hour of only older measurements, and not before', () => {
    const node = new Monitoring([TOO_WARM], NEVER_SILENT)
    measures(node, 1, -18)
    assert.deepEqual(measures(node, 60, -5, -DAY_MINUTES), [])
    const [alarm, ...others] = measures(node, 5, -5, -DAY_MINUTES)
    assert.deepEqual(others, [])
    assert.deepEqual(alarm && inMinutes(alarm), `alarm above ${62 - DAY_MINUTES}-`)
  })

  it('begins anew after an hour also if its measurements arrive twice, or messages without a time between', () => {
    for (const repeat of [
      (node: Monitoring) => readingOf(nowIn(node) - DAY_MINUTES * MINUTE, -5),
      () => readingOf(null, -5),
    ]) {
      const node = new Monitoring([TOO_WARM], NEVER_SILENT)
      measures(node, 1, -18)
      const events = Array.from({ length: 65 }, () => [
        ...measures(node, 1, -5, -DAY_MINUTES),
        ...node.receiveAhead([repeat(node)]),
      ]).flat()
      assert.deepEqual(
        events.map(({ state }) => state),
        ['alarm'],
      )
    }
  })

  it('begins anew also by a row that was changed before', () => {
    const node = new Monitoring([TOO_WARM], NEVER_SILENT)
    measures(node, 1, -18)
    node.restart([{ ...TOO_WARM, above: -16 }])
    assert.equal(measures(node, 62, -5, -DAY_MINUTES).length, 1)
  })

  it('is not one that sends a backlog for more than an hour, its newest block first', () => {
    const node = new Monitoring([TOO_WARM], NEVER_SILENT)
    assert.equal(measures(node, 1, -5).length, 1)
    const newest = nowIn(node)
    for (let block = 1; block < 100; block++) {
      node.wait(1)
      assert.deepEqual(node.receive([readingOf(newest - block * 10 * MINUTE, -5)]), [])
    }
    assert.deepEqual(measures(node, 1, -5), [])
  })
})

describe('an older measurement', () => {
  it('of a backlog of an hour, after which the newest one comes again, is no sign of a clock that was set back', () => {
    const node = new Monitoring([TOO_WARM], NEVER_SILENT)
    const last = nowIn(node)
    node.receive([readingOf(last, -5)])
    for (let minute = 0; minute < 60; minute++) {
      node.wait(1)
      node.receive([readingOf(last - (100 - minute) * MINUTE, -18)])
    }
    node.wait(1)
    assert.deepEqual(node.receive([readingOf(last, -5)]), [])
    assert.equal(node.monitor.summarize().alarms, 1)
  })

  it('that is sent again and again is no sign of a clock that was set back', () => {
    const node = new Monitoring([TOO_WARM], NEVER_SILENT)
    const last = nowIn(node)
    node.receive([readingOf(last, -5)])
    for (let minute = 0; minute < 70; minute++) {
      node.wait(1)
      node.receive([readingOf(last - 5 * MINUTE, -18)])
    }
    assert.equal(node.monitor.summarize().alarms, 1)
  })
})

describe('a clock that is set back soon after its device was first seen', () => {
  it('leaves no value after that out', () => {
    const node = new Monitoring([TOO_WARM], NEVER_SILENT)
    measures(node, 1, -18)
    measures(node, 62, -18, -DAY_MINUTES)
    const end = nowIn(node) - DAY_MINUTES * MINUTE
    const records = [1, 2, 3].map((minute) => [end + minute * MINUTE, minute === 2 ? -5 : -18] as const)
    assert.deepEqual(
      node.receiveAhead(seriesOf(records)).map(({ state }) => state),
      ['ended'],
    )
  })
})
