import assert from 'node:assert/strict'
import { ANSWER_TIME, planAnswer, planSequence, record, seconds } from '../../../support/collect/records'

const HOUR = 3600
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
/** Records a minute apart; the hundredth has the time of the first response. */
const minute = (id: number) => record((id - 100) * 60, id)
const minutes = (from: number, to: number) => upTo(from, to).map(minute)
/** The 300 records of a full response. */
const full = (to: number) => minutes(to - 299, to)
/** A response that arrives together with this record. */
const arrives = (id: number) => ({ arrivesAfter: (id - 100) * 60 })

/** A device whose records up to this one are known. */
function known(to: number, given: Parameters<typeof planSequence>[0] = {}) {
  const device = planSequence(given)
  device.next(full(to), arrives(to))
  return device
}

describe('without a cursor', () => {
  it('`all` delivers the first response', () => {
    const device = planSequence()
    assert.deepEqual(device.next(minutes(1, 3)), [1, 2, 3])
    assert.deepEqual(device.next(minutes(2, 4)), [4])
  })

  it('`now` delivers nothing of the first response, and all later records', () => {
    const device = planSequence({ start: 'now' })
    assert.deepEqual(device.next([...minutes(95, 98), record(null, 77), record(7200, 78)]), [])
    const later = [record(null, 77), ...minutes(97, 100), record(7200, 78)]
    assert.deepEqual(device.next(later, arrives(110)), [99, 100], 'even by a slow clock')
    assert.deepEqual(device.gaps, [])
  })

  it('`now` delivers a record that arrives late, if the first response would have contained it', () => {
    const device = planSequence({ start: 'now' })
    device.next([...minutes(90, 94), ...minutes(96, 98)])
    assert.deepEqual(device.next(minutes(90, 99), arrives(101)), [95, 99])
  })

  it('`now` delivers records later than an empty first response, or up to an hour earlier because clocks differ', () => {
    const device = planSequence({ start: 'now', canBackfill: false })
    assert.deepEqual(device.next([]), [])
    assert.deepEqual(device.next(full(102), arrives(102)), upTo(40, 102))
  })

  it('a time delivers all records since then, inclusive, with a backfill if a full response does not reach it', () => {
    const since = (id: number) => ({ start: { since: (ANSWER_TIME + (id - 100) * 60) * 1000 } })
    assert.deepEqual(planSequence(since(2)).next(minutes(1, 4)), [2, 3, 4])
    assert.deepEqual(
      planSequence(since(2)).next(minutes(50, 54)),
      upTo(50, 54),
      'the response is the whole log',
    )
    const found = planAnswer(null, full(700), { ...since(2), ...arrives(700) })
    assert.ok(found.kind === 'backfill-needed')
    assert.deepEqual([seconds(found.from), seconds(found.to)], [-98 * 60, 301 * 60 + 1])
    const later = planSequence(since(100))
    assert.deepEqual([later.next(minutes(97, 99)), later.next(minutes(98, 102))], [[], [100, 101, 102]])
  })
})

describe('with a cursor', () => {
  it('records are new if the last response did not contain them, in any order', () => {
    const device = planSequence()
    const second = [record(0, 5), record(0, 6), record(0, 7), record(0, 8)]
    assert.deepEqual(device.next([record(-60, 4), ...second.slice(0, 2)]), [4, 5, 6])
    assert.deepEqual(device.next([...second.slice(0, 3), record(-60, 4)]), [7])
    assert.deepEqual(device.next(second.toReversed()), [8])
    assert.deepEqual(device.next(second), [])
  })

  it('records that arrive late are new, by time and then by number', () => {
    for (const standalone of [true, false]) {
      const device = planSequence({ standalone })
      device.next([...minutes(1, 2), ...minutes(6, 7)])
      const late = [record(-94 * 60, 5), ...minutes(3, 4)]
      assert.deepEqual(device.next([...minutes(1, 2), ...late, ...minutes(6, 8)]), [3, 4, 5, 8])
      assert.deepEqual(device.next([...minutes(1, 2), ...late, ...minutes(6, 8)]), [])
    }
  })

  it('records that arrive late are new even if none has a number', () => {
    const device = planSequence()
    const blank = (...ids: number[]) => ids.map((id) => ({ ...minute(id), 'data-id': 0 }))
    device.next(blank(1, 2, 5))
    assert.equal(device.next(blank(1, 2, 3, 4, 5)).length, 2)
    assert.deepEqual(device.next(blank(1, 2, 3, 4, 5)), [])
  })

  it('a record whose values were revised, or whose response has more channels, is the same', () => {
    const device = planSequence()
    device.next([record(0, 5), record(null, 9), record(60, 0)])
    const revised = [record(null, 9, 90), record(0, 5, 50, { ch2: 1 }), record(60, 0, 1), record(120, 6)]
    assert.deepEqual(device.next(revised), [6])
  })

  for (const standalone of [true, false]) {
    for (const id of [0, null]) {
      it(`records with the same time are distinguished by values, standalone ${standalone}, number ${id}`, () => {
        const device = planSequence({ standalone })
        const one = (seconds: number, value: number) => ({ ...record(seconds, 0, value), 'data-id': id })
        assert.equal(device.next([one(0, 1)]).length, 1)
        assert.equal(device.next([one(0, 1), one(0, 2)]).length, 1)
        assert.equal(device.next([one(0, 2), one(0, 1), one(60, 3)]).length, 1)
        assert.equal(device.next([one(0, 2), one(0, 1), one(0, 4), one(60, 3)]).length, 1)
        assert.equal(device.next([one(0, 4), one(0, 2), one(0, 1), one(60, 3)]).length, 0)
      })
    }
  }

  it('records without a time, or ahead of the clock, are new once', () => {
    const device = planSequence()
    const odd = [record(null, 70), record(9000, 71)]
    assert.deepEqual(device.next([...minutes(1, 2), ...odd]), [70, 1, 2, 71])
    assert.deepEqual(device.next(minutes(1, 3)), [3])
    assert.deepEqual(device.next([]), [])
    assert.deepEqual(device.next([...minutes(2, 4), ...odd, record(9001, 72)]), [4, 72])
  })
})

describe('the memory of a cursor', () => {
  /** Length of a saved cursor, in characters. */
  const size = (device: ReturnType<typeof planSequence>) => JSON.stringify(device.cursor()).length

  it('takes 200 characters for a device that records at a constant interval, regardless of how often it is polled', () => {
    const device = known(300)
    for (const to of upTo(301, 360)) device.next(full(to), arrives(to))
    assert.ok(size(device) <= 200, `${size(device)}`)
  })

  it('takes 3000 characters for any other device, with as many records as a response has', () => {
    const device = planSequence({ canBackfill: false })
    for (const turn of upTo(1, 40)) {
      const odd = upTo(turn * 100, turn * 100 + 299).map((id) => record(((id * 7919) % 86_400) - 90_000, id))
      device.next(odd)
    }
    assert.ok(size(device) <= 3200, `${size(device)}`)
  })

  it('does not grow with records that have no time', () => {
    const device = planSequence()
    const timeless = (to: number) => upTo(to - 299, to).map((id) => record(null, id))
    assert.equal(device.next(timeless(300)).length, 300)
    for (const turn of upTo(1, 60)) {
      const found = device.next(timeless(300 + turn * 200))
      assert.equal(found.length, 200)
    }
    assert.ok(size(device) <= 3200, `${size(device)}`)
  })

  it('contains the values of 300 records that time and number do not distinguish', () => {
    const device = planSequence()
    const second = upTo(1, 300).map((value) => record(0, 0, value))
    assert.equal(device.next(second).length, 300)
    for (const turn of upTo(1, 20)) assert.deepEqual([turn, ...device.next(second.toReversed())], [turn])
    assert.ok(size(device) < 15_000, `${size(device)}`)
  })

  it('contains records that a response in between lacked', () => {
    const device = planSequence()
    device.next(minutes(1, 50))
    for (const answer of [minutes(1, 40), [], minutes(45, 50)]) device.next(answer)
    assert.deepEqual(device.next(minutes(1, 51)), [51])
  })

  it('contains how far a full response reached: older records are known by time and number', () => {
    for (const standalone of [true, false]) {
      const device = known(400, { standalone })
      assert.deepEqual(device.next([...minutes(90, 100), ...minutes(112, 400)], arrives(400)), [])
      assert.deepEqual(known(400, { standalone }).next([...minutes(50, 90)], arrives(400)), [])
    }
  })

  it('does not include an older record whose number is later, or that has none: it is delivered if in doubt', () => {
    const answer = [record(-30 * 60, 401), ...minutes(102, 400)]
    for (const id of [0, null]) {
      const blank = [{ ...minute(70), 'data-id': id }, ...minutes(102, 400)]
      assert.deepEqual(known(400).next(blank, arrives(401)), [id])
    }
    assert.deepEqual(known(400).next(answer, arrives(401)), [401])
    assert.deepEqual(known(400, { standalone: false }).next(answer, arrives(401)), [401])
  })
})

describe('a hole', () => {
  it('is between a full response and earlier records, if none in the response is known', () => {
    assert.equal(known(400).next(full(701), arrives(701)), 'backfill-needed')
    assert.deepEqual(known(400).next(full(699), arrives(699)), upTo(401, 699), 'one is known')
    assert.deepEqual(known(400).next(minutes(450, 460), arrives(460)), upTo(450, 460), 'it is not full')
  })

  it('does not exist if the numbers are consecutive: 401 to 700 after 400', () => {
    for (const canBackfill of [true, false]) {
      const device = known(400)
      const found = device.next(full(700), { ...arrives(700), canBackfill })
      assert.deepEqual([found, device.isOverflow(), device.gaps], [upTo(401, 700), false, []])
    }
    const remote = planSequence({ standalone: false })
    const wrapped = (to: number) =>
      full(to).map((one) => ({ ...one, 'data-id': (Number(one['data-id']) + 65_135) % 65_536 }))
    remote.next(wrapped(400), arrives(400))
    assert.deepEqual(remote.next(wrapped(700), arrives(700)), upTo(0, 299))
  })

  it('reaches from the newest known record to just after the oldest one in the response', () => {
    const found = planAnswer(known(400).cursor(), full(800), arrives(800))
    assert.ok(found.kind === 'backfill-needed')
    assert.deepEqual([seconds(found.from), seconds(found.to)], [300 * 60, 401 * 60 + 1])
  })

  it('starts where the node started if nothing is known: at its first response, which was empty', () => {
    for (const [start, from] of [
      ['all', -HOUR],
      ['now', -HOUR],
    ] as const) {
      const device = planSequence({ start })
      device.next([])
      const found = planAnswer(device.cursor(), full(800), { start, ...arrives(800) })
      assert.ok(found.kind === 'backfill-needed')
      assert.deepEqual([seconds(found.from), seconds(found.to)], [from, 401 * 60 + 1])
    }
  })

  it('is overflow without a backfill, and only then', () => {
    const device = known(400, { canBackfill: false })
    assert.equal(device.next(full(800), arrives(800)).length, 300)
    assert.deepEqual([device.isOverflow(), device.gaps], [true, ['missing 100']])
    device.next(full(801), arrives(801))
    assert.equal(device.isOverflow(), false)
    const empty = planSequence({ canBackfill: false })
    empty.next([])
    empty.next(minutes(1, 5))
    assert.equal(empty.isOverflow(), false, 'the response is the whole log')
  })

  it('is overflow even after a backfill that starts later than the known records', () => {
    for (const [more, isLost] of [
      [minutes(900, 1200), true],
      [minutes(400, 1200), false],
      [minutes(401, 1200), false],
    ] as const) {
      const device = known(400)
      device.next(more, { ...arrives(1200), canBackfill: false })
      assert.equal(device.isOverflow(), isLost)
    }
  })

  it('is not overflow once it was fetched, even if nothing was known', () => {
    const since = planSequence({ start: { since: (ANSWER_TIME - HOUR) * 1000 } })
    assert.equal(since.next(full(700), arrives(700)), 'backfill-needed')
    assert.equal(since.next(minutes(50, 700), { ...arrives(700), canBackfill: false }).length, 651)
    assert.equal(since.isOverflow(), false)
    const empty = planSequence()
    empty.next([])
    assert.equal(empty.next(full(700), arrives(700)), 'backfill-needed')
    empty.next(minutes(120, 700), { ...arrives(700), canBackfill: false })
    assert.equal(empty.isOverflow(), false)
  })

  it('is not hidden by a known record of a wrong clock that stays among the newest', () => {
    const ahead = record(40 * HOUR, 71)
    const device = planSequence()
    device.next([...full(400).slice(1), ahead], arrives(400))
    assert.deepEqual(device.next([...full(401).slice(1), ahead], arrives(401)), [401])
    assert.equal(device.next([...full(900).slice(1), ahead], arrives(900)), 'backfill-needed')
  })

  it('starts before a record that was ahead of the clock, even after its time has passed', () => {
    const device = planSequence()
    device.next([...full(400).slice(1), record(300 * 60 + 3 * HOUR, 71)], arrives(400))
    const found = planAnswer(device.cursor(), full(1100), arrives(1100))
    assert.ok(found.kind === 'backfill-needed')
    assert.equal(seconds(found.from), 300 * 60)
  })

  it("is found even if the device's clock is hours ahead", () => {
    const device = planSequence()
    const wrong = (to: number) =>
      full(to).map((one) => ({ ...one, unixtime: Number(one.unixtime) + 10 * HOUR }))
    device.next(wrong(400), arrives(400))
    assert.deepEqual(device.next(wrong(401), arrives(401)), [401])
    assert.equal(device.next(wrong(900), arrives(900)), 'backfill-needed')
  })
})

describe("a device's clock", () => {
  for (const standalone of [true, false]) {
    for (const behind of [20, 30, 600, -600]) {
      it(`that is moved by ${-behind} minutes loses and duplicates nothing, standalone ${standalone}`, () => {
        const measured = (to: number) =>
          upTo(Math.max(1, to - 80), to).map((id) =>
            record((id - 100 - (id >= 60 ? behind : 0)) * 60 + (id >= 60 ? 7 : 0), id),
          )
        for (const every of [1, 3, 7, 29]) {
          const device = planSequence({ standalone })
          const delivered: unknown[] = []
          let last = 0
          for (let to = 40; to < 140; to += every) {
            delivered.push(...device.next(measured(to), arrives(to)))
            last = to
          }
          assert.deepEqual(
            (delivered as number[]).toSorted((a, b) => a - b),
            upTo(1, last),
          )
          assert.deepEqual(device.gaps, [], 'known numbers are not missing')
        }
      })

      it(`that is moved by ${-behind} minutes while numbers restart: all records are sent, standalone ${standalone}`, () => {
        const before = minutes(40, 99)
        const after = (count: number) =>
          upTo(1, count).map((id) => record((id - 1 - behind) * 60 + 7, standalone ? id : id - 1))
        const device = planSequence({ standalone })
        device.next(before, arrives(99))
        let sent = 0
        for (const count of upTo(1, 60)) {
          sent += device.next([...before, ...after(count)], arrives(99 + count)).length
        }
        assert.equal(sent, 60)
      })
    }
  }
})

describe("the host's clock", () => {
  /** The records collected after a response, including the backfill if one is requested. */
  function taken(device: ReturnType<typeof planSequence>, to: number, arrivesAfter: number) {
    const found = device.next(full(to), { arrivesAfter })
    if (found !== 'backfill-needed') return found
    return device.next(minutes(100, to), { arrivesAfter, canBackfill: false })
  }

  for (const hours of [-30 * 24, -24, -3, -1, 1, 3, 24, 30 * 24]) {
    it(`that is ${hours} h off after the first poll, and correct later, duplicates and loses nothing`, () => {
      const device = planSequence()
      const delivered: unknown[] = []
      for (const to of [...upTo(400, 420), ...upTo(1000, 1020), ...upTo(1400, 1420)]) {
        const off = to > 410 && to < 1010 ? hours * HOUR : 0
        delivered.push(...taken(device, to, (to - 100) * 60 + off))
      }
      assert.deepEqual(delivered, upTo(101, 1420))
    })
  }
})
