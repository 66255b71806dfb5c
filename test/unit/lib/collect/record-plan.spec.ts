import assert from 'node:assert/strict'
import { ANSWER_TIME, planAnswer, planSequence, record, seconds } from '../../../support/collect/records'

/** Records a minute apart, the last at the time of the answer. */
const minutes = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => record((from + index - 100) * 60, from + index))

describe('without a cursor', () => {
  it('`held` delivers the first answer', () => {
    const device = planSequence()
    assert.deepEqual(device.next(minutes(1, 3)), [1, 2, 3])
    assert.deepEqual(device.next(minutes(2, 4)), [4])
  })

  it('`now` delivers nothing of the first answer, and all later records', () => {
    const device = planSequence({ start: 'now' })
    assert.deepEqual(device.next([...minutes(1, 3), record(null, 77), record(7200, 78)]), [])
    assert.deepEqual(device.next([record(null, 77), ...minutes(2, 5), record(7200, 78)]), [4, 5])
    assert.deepEqual(device.gaps, [])
    const empty = planSequence({ start: 'now' })
    assert.deepEqual([empty.next([]), empty.next(minutes(1, 2), { canBackfill: false })], [[], [1, 2]])
  })

  it('a time delivers all since then, that second included, with a backfill if the answer does not reach it', () => {
    const since = (minute: number) => ({ start: { since: (ANSWER_TIME + (minute - 100) * 60) * 1000 } })
    assert.deepEqual(planSequence(since(2)).next(minutes(1, 4)), [2, 3, 4])
    const found = planAnswer(null, minutes(50, 54), since(2))
    assert.ok(found.kind === 'backfill-needed')
    assert.deepEqual([seconds(found.from), seconds(found.to)], [-98 * 60, -50 * 60 + 1])
    assert.deepEqual(planSequence(since(2)).next([]), [])
  })

  it('a time later than all records waits for it, and is not treated as a clock that was set back', () => {
    const device = planSequence({ start: { since: ANSWER_TIME * 1000 } })
    assert.deepEqual([device.next(minutes(97, 99)), device.next(minutes(97, 99))], [[], []])
    assert.deepEqual(device.next(minutes(98, 102)), [100, 101, 102])
  })
})

describe('with a cursor', () => {
  it('records are new if they are later, or of the same second and unknown, in any order', () => {
    const device = planSequence()
    const second = [record(0, 5), record(0, 6), record(0, 7), record(0, 8)]
    assert.deepEqual(device.next([record(-60, 4), ...second.slice(0, 2)]), [4, 5, 6])
    assert.deepEqual(device.next([...second.slice(0, 3), record(-60, 4)]), [7])
    assert.deepEqual(device.next(second.toReversed()), [8])
    assert.deepEqual(device.next(second), [])
  })

  it('records of one second are distinguished by values if ids are all 0', () => {
    const device = planSequence()
    assert.deepEqual(device.next([record(0, 0, 1)]), [0])
    assert.deepEqual(device.next([record(0, 0, 1), record(0, 0, 2)]), [0])
    assert.deepEqual(device.next([record(0, 0, 2), record(0, 0, 1)]), [])
  })

  it('a thousand hashes of one second cover all its records: the state of a device stays small', () => {
    const device = planSequence()
    const second = Array.from({ length: 3000 }, (_, index) => record(0, index))
    assert.equal(device.next(second).length, 3000)
    assert.ok(JSON.stringify(device.cursor()).length < 20_000)
    assert.deepEqual(device.next([...second, record(0, 3000)]), [])
    assert.deepEqual(device.next([...second, record(60, 3001)]), [3001])
  })

  it('a record is recognised if an answer has more channels', () => {
    const device = planSequence()
    device.next([record(0, 5), record(null, 9)])
    const more = [record(null, 9), record(0, 5), record(1, 6, 6, { ch2: 1 })]
    assert.deepEqual(device.next(more), [6])
  })

  it('an empty answer does not change the cursor', () => {
    const device = planSequence()
    device.next(minutes(1, 3))
    const before = device.cursor()
    assert.deepEqual(device.next([]), [])
    assert.deepEqual({ ...device.cursor(), sequence: 0 }, { ...before, sequence: 0 })
    assert.deepEqual(device.next(minutes(3, 4)), [4])
  })

  it('an older newest record means that the clock was set back', () => {
    const device = planSequence()
    device.next(minutes(1, 9))
    assert.equal(device.next([...minutes(2, 4), record(9000, 10), record(null, 11)]), 'clock-set-back')
    assert.deepEqual(device.next(minutes(4, 11)), [10, 11], 'it has caught up')
  })
})

describe("a device's clock that was set back", () => {
  /** Ids a minute apart from 1 on; from `back` on, by a clock that is `behind` minutes slow. */
  const measured = (from: number, to: number, back: number, behind: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index).map((id) =>
      record((id - 100 - (id >= back ? behind : 0)) * 60 + (id >= back ? 7 : 0), id),
    )

  for (const standalone of [true, false]) {
    it(`loses and duplicates nothing, ids of a ${standalone ? 'standalone' : 'remote'} device`, () => {
      for (const every of [1, 3, 7, 29]) {
        const device = planSequence({ standalone })
        const delivered: unknown[] = []
        let warnings = 0
        for (let newest = 40; newest < 140; newest += every) {
          const found = device.next(measured(Math.max(1, newest - 80), newest, 60, 30))
          assert.ok(Array.isArray(found), `${newest}: ${found}`)
          delivered.push(...found)
          if (device.isSetBack()) warnings++
        }
        assert.equal(new Set(delivered).size, delivered.length, 'none twice')
        assert.deepEqual(
          (delivered as number[]).toSorted((a, b) => a - b),
          Array.from({ length: delivered.length }, (_, index) => index + 1),
          'none is missing',
        )
        assert.equal(warnings, 1)
        assert.deepEqual(device.gaps, [], 'ids that stand between others are no gaps')
      }
    })
  }

  it('is not assumed because ids restart', () => {
    const device = planSequence({ standalone: false })
    const began = [...minutes(1, 6), ...[7, 8, 9].map((at, id) => record((at - 100) * 60, id))]
    assert.deepEqual(device.next(began.slice(0, 8)), [1, 2, 3, 4, 5, 6, 0, 1])
    assert.deepEqual(device.next(began), [2])
    assert.deepEqual([device.next(began), device.isSetBack()], [[], false])
  })

  it('without ids cannot be recognised: nothing is sent until it has caught up', () => {
    const device = planSequence()
    const blank = (from: number, to: number) => minutes(from, to).map((one) => ({ ...one, 'data-id': null }))
    device.next(blank(1, 9))
    assert.equal(device.next(blank(2, 4)), 'clock-set-back')
  })
})

describe("the host's clock", () => {
  const HOUR = 3600
  /** The records collected after an answer of the newest, including the backfill where one is requested. */
  function taken(
    device: ReturnType<typeof planSequence>,
    newest: number,
    arrives: number,
  ): (number | null)[] {
    const found = device.next(minutes(newest - 20, newest), { arrivesAfter: arrives })
    const whole =
      found === 'backfill-needed'
        ? device.next(minutes(80, newest), { arrivesAfter: arrives, canBackfill: false })
        : found
    assert.ok(Array.isArray(whole), `${newest}: ${whole}`)
    return whole
  }

  for (const hours of [-30 * 24, -24, -3, -1, 1, 3, 24, 30 * 24]) {
    it(`that is ${hours} h off after a first poll, and correct later, duplicates and loses nothing`, () => {
      const device = planSequence()
      const delivered: unknown[] = []
      for (let newest = 100; newest < 500; newest++) {
        const off = newest > 110 && newest < 300 ? hours * HOUR : 0
        delivered.push(...taken(device, newest, (newest - 100) * 60 + off))
      }
      assert.deepEqual(
        delivered,
        Array.from({ length: 420 }, (_, index) => 80 + index),
      )
    })
  }

  it('that is behind for weeks needs no more state', () => {
    const device = planSequence()
    for (let newest = 100; newest < 6000; newest += 10) {
      const found = taken(device, newest, newest === 100 ? 0 : -40 * 24 * HOUR)
      assert.equal(found.length, newest === 100 ? 21 : 10, `${newest}`)
    }
    assert.ok((device.cursor()?.outOfOrder.length ?? 0) <= 2001)
    assert.equal(taken(device, 6010, 5920 * 60).length, 20)
  })
})

describe('a backfill', () => {
  const known = () => {
    const device = planSequence()
    device.next(minutes(1, 3))
    return device
  }

  it('is needed if the oldest is later than the cursor, or of its second and unknown', () => {
    assert.equal(known().next(minutes(4, 8)), 'backfill-needed')
    assert.equal(known().next([record(-97 * 60, 33), ...minutes(4, 8)]), 'backfill-needed')
    assert.deepEqual(known().next(minutes(3, 8)), [4, 5, 6, 7, 8], 'one matches')
    assert.deepEqual(known().next([record(-97.1 * 60, 33), ...minutes(4, 5)]), [4, 5], 'one is older')
  })

  it('reaches from the cursor to just after the oldest, and ends once it is complete', () => {
    const device = known()
    const found = planAnswer(device.cursor(), minutes(50, 54))
    assert.ok(found.kind === 'backfill-needed')
    assert.deepEqual([seconds(found.from), seconds(found.to)], [-97 * 60, -50 * 60 + 1])
    assert.equal(device.next(minutes(3, 54), { canBackfill: false })?.length, 51)
    assert.deepEqual(device.next(minutes(50, 55)), [55])
  })

  it('is skipped if it is disabled', () => {
    const device = known()
    assert.deepEqual(device.next(minutes(8, 9), { canBackfill: false }), [8, 9])
    assert.deepEqual(device.gaps, ['missing 4'])
  })

  it('is needed also if an answer contains only records ahead of the clock', () => {
    assert.equal(known().next([record(9000, 10), record(9060, 11)]), 'backfill-needed')
  })
})

describe('records ahead of the clock, or without a time', () => {
  const HOUR = 3600

  it('are ahead by more than an hour', () => {
    const device = planSequence()
    assert.deepEqual(device.next([record(HOUR, 1), record(HOUR + 1, 2)]), [1, 2])
    assert.equal(seconds(device.cursor()?.time ?? null), HOUR)
    assert.equal(device.cursor()?.outOfOrder.length, 1)
  })

  it('are sent once and do not move the cursor', () => {
    const device = planSequence()
    const odd = [record(null, 70), record(9000, 71)]
    assert.deepEqual(device.next([...minutes(1, 2), ...odd]), [70, 1, 2, 71])
    assert.deepEqual(device.next([...minutes(1, 3), ...odd]), [3])
    assert.deepEqual(device.next([...minutes(2, 4), ...odd, record(9001, 72)]), [4, 72])
    assert.equal(seconds(device.cursor()?.time ?? null), -96 * 60)
  })

  it('are not sent again when their time comes, and do not hide records until then', () => {
    const device = planSequence()
    const ahead = record(2 * HOUR, 71)
    const until = (minute: number) => minutes(90, minute).concat(ahead)
    assert.deepEqual(device.next(minutes(98, 100).concat(ahead)), [98, 99, 100, 71])
    for (let minute = 101; minute < 300; minute++) {
      const answer = minutes(minute - 2, minute).concat(ahead)
      assert.deepEqual(device.next(answer, { arrivesAfter: (minute - 100) * 60 }), [minute])
    }
    assert.deepEqual(device.next(until(300), { arrivesAfter: 200 * 60 }), [300])
  })

  it('do not hide records of a slow clock after their time has passed', () => {
    const device = planSequence()
    const ahead = record(2 * HOUR, 71)
    const slow = (minute: number) => minutes(minute - 122, minute - 120)
    assert.deepEqual(device.next(slow(102).concat(ahead)), [-20, -19, -18, 71])
    for (let minute = 103; minute < 420; minute++) {
      const answer = slow(minute).concat(ahead)
      const found = device.next(answer, { arrivesAfter: (minute - 100) * 60 })
      assert.deepEqual(found, [minute - 120], `${minute}`)
    }
  })

  it('are sent once also if an answer in between does not contain them', () => {
    const device = planSequence()
    assert.deepEqual(device.next([...minutes(1, 2), record(9000, 71)]), [1, 2, 71])
    assert.deepEqual([device.next([]), device.next(minutes(1, 3))], [[], [3]])
    assert.deepEqual(device.next([...minutes(2, 3), record(9000, 71)]), [])
  })

  it('may be all records of a device with a wrong clock: each is sent once', () => {
    const device = planSequence()
    const wrong = (from: number, to: number) => minutes(from + 600, to + 600)
    const delivered: unknown[] = []
    for (let minute = 3; minute < 300; minute++) {
      const found = device.next(wrong(minute - 2, minute), { arrivesAfter: (minute - 100) * 60 })
      assert.ok(Array.isArray(found))
      delivered.push(...found)
    }
    assert.deepEqual(
      delivered,
      Array.from({ length: 299 }, (_, index) => 601 + index),
    )
  })
})
