import assert from 'node:assert/strict'
import { planResponse, planSequence, RESPONSE_TIME, record } from '../../../support/collect/records'

const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
/** Records a minute apart; the hundredth has the time of the first response. */
const minute = (id: number) => record((id - 100) * 60, id)
const minutes = (from: number, to: number) => upTo(from, to).map(minute)
/** The 300 records of a full response. */
const full = (to: number) => minutes(to - 299, to)
/** A response that arrives together with this record. */
const arrives = (id: number) => ({ arrivesAfter: (id - 100) * 60 })
/** The time of a record, in seconds relative to the first response. */
const at = (id: number) => (id - 100) * 60

/** A device whose records up to this one are known. */
function known(to: number, given: Parameters<typeof planSequence>[0] = {}) {
  const device = planSequence(given)
  device.next(full(to), arrives(to))
  return device
}

describe('without a cursor', () => {
  it('`now` delivers everything after an empty first response, whatever the clocks say', () => {
    const device = planSequence({ start: 'now', backfill: false })
    assert.deepEqual(device.next([], arrives(1_000_000)), [])
    assert.deepEqual(device.next(full(102), arrives(102)), upTo(-197, 102))
  })
})

describe('with a cursor', () => {
  it('a record is not new if its values were revised or the response has more channels', () => {
    const device = planSequence()
    device.next([record(0, 5), record(null, 9), record(60, 0)])
    const revised = [record(null, 9, 90), record(0, 5, 50, { ch2: 1 }), record(60, 0, 1), record(120, 6)]
    assert.deepEqual(device.next(revised), [6])
  })

  for (const id of [0, null]) {
    it(`records with the same time and the number ${id} are distinguished by their values`, () => {
      const device = planSequence()
      const one = (seconds: number, value: number) => ({ ...record(seconds, 0, value), 'data-id': id })
      assert.equal(device.next([one(0, 1)]).length, 1)
      assert.equal(device.next([one(0, 1), one(0, 2)]).length, 1)
      assert.equal(device.next([one(0, 2), one(0, 1), one(60, 3)]).length, 1)
      assert.equal(device.next([one(0, 2), one(0, 1), one(0, 4), one(60, 3)]).length, 1)
      assert.equal(device.next([one(0, 4), one(0, 2), one(0, 1), one(60, 3)]).length, 0)
    })
  }

  it('the response of a replica that lags contains nothing new, and neither does the next one', () => {
    const device = known(400)
    for (const to of [390, 310, 400]) assert.deepEqual([to, device.next(full(to), arrives(400))], [to, []])
  })

  it('a record that a replica has earlier than others does not make those new again that the replica lacks', () => {
    const device = known(400)
    const late = record(at(380) + 30, 1000)
    const lagging = [...minutes(92, 380), late, ...minutes(381, 390)]
    assert.deepEqual(device.next(lagging, arrives(400)), [1000])
    assert.deepEqual(device.next(full(400), arrives(400)), [])
  })

  it('a response with fewer records does not make those before it new again', () => {
    const device = known(400)
    assert.deepEqual(device.next(minutes(396, 401), arrives(401)), [401])
    assert.deepEqual(device.next(full(401), arrives(401)), [])
  })
})

describe('the memory of a cursor', () => {
  /** Length of a saved cursor, in characters. */
  const size = (device: ReturnType<typeof planSequence>) => JSON.stringify(device.cursor()).length

  it('takes at most 200 characters for a device that records at a constant interval, regardless of how often it is polled', () => {
    const device = known(300)
    for (const to of upTo(301, 360)) device.next(full(to), arrives(to))
    assert.ok(size(device) <= 200, `${size(device)}`)
  })

  it('takes at most 2000 characters for a device with irregular times, with as many records as a response has', () => {
    const device = planSequence({ backfill: false })
    for (const turn of upTo(1, 40)) {
      const irregular = (id: number) => record(((id * id * 7919) % 86_400) - 90_000, id)
      device.next(upTo(turn * 100, turn * 100 + 299).map(irregular))
      assert.ok(size(device) <= 2000, `${size(device)}`)
    }
  })

  it('grows by at most 300 characters for each of at most four holes', () => {
    const device = known(400)
    const [none] = [size(device)]
    for (const to of [1000, 2000, 3000, 4000, 5000, 6000]) device.next(full(to), arrives(to))
    assert.equal(device.holes().length, 4)
    assert.ok(size(device) <= none + 1200, `${size(device)}`)
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

  it('contains the oldest record of a full response, so that older ones are not new even without their values', () => {
    for (const standalone of [true, false]) {
      const device = known(400, { standalone })
      assert.deepEqual(device.next([...minutes(90, 100), ...minutes(112, 400)], arrives(400)), [])
      assert.deepEqual(known(400, { standalone }).next([...minutes(50, 90)], arrives(400)), [])
    }
  })
})

describe('a hole', () => {
  it('does not exist if the numbers are consecutive: 401 to 700 after 400', () => {
    for (const backfill of [true, false]) {
      const device = known(400)
      const found = device.next(full(700), { ...arrives(700), backfill })
      assert.deepEqual([found, device.isOverflow(), device.gaps], [upTo(401, 700), false, []])
    }
  })

  it('may be within a second: without a backfill, overflow is reported', () => {
    const device = planSequence({ backfill: false })
    device.next([record(0, 1)])
    device.next([record(0, 3), ...upTo(4, 302).map((id) => record(id, id))])
    assert.equal(device.isOverflow(), true)
  })

  it('may be within the second from which records are wanted: without a backfill, overflow is reported', () => {
    const device = planSequence({ start: { since: 1_795_161_600_000 }, backfill: false })
    device.next(upTo(100, 399).map(minute))
    assert.equal(device.isOverflow(), true)
  })

  it('is none without a backfill if the first response is not full, because the device may be new', () => {
    const device = planSequence({ start: { since: 1_795_161_600_000 }, backfill: false })
    device.next(upTo(110, 408).map(minute))
    assert.equal(device.isOverflow(), false)
  })

  it('is a loss without a backfill if an earlier record is known, even one that is not wanted', () => {
    const device = planSequence({ start: { since: 1_795_161_600_000 }, backfill: false })
    device.next([minute(90)])
    assert.deepEqual(device.next([minute(120)], arrives(120)), [120])
    assert.equal(device.isOverflow(), true)
  })

  it('reaches from the newest known record to the oldest one in the response, however many it has', () => {
    for (const count of [300, 299, 2, 1]) {
      const device = known(400)
      device.next(minutes(801 - count, 800), arrives(800))
      assert.deepEqual(device.holes(), [[at(400), at(801 - count)]])
    }
  })

  it('is not hidden by a record that arrived before the others', () => {
    const device = known(400)
    device.next([...minutes(102, 400), minute(1000)], arrives(1000))
    assert.deepEqual(device.next([...minutes(701, 999), minute(1000)], arrives(1001)), upTo(701, 999))
    assert.deepEqual(device.holes(), [[at(400), at(701)]])
  })

  it('is not hidden by a record that was ahead when it was received', () => {
    const device = known(400)
    const ahead = record(at(600), 401)
    device.next([...minutes(102, 400), ahead], arrives(401))
    device.next([ahead, ...upTo(700, 900).map((id) => record(at(id), id - 200))], arrives(900))
    assert.deepEqual(device.holes(), [[at(400), at(700)]])
  })

  it('is not hidden by a record that was ahead when it was received and has come near since then', () => {
    const device = known(400)
    const ahead = record(at(600), 401)
    device.next([...minutes(102, 400), ahead], arrives(401))
    device.next([...upTo(292, 590).map((id) => record(at(id), id + 1)), ahead], arrives(590))
    device.next([ahead, ...upTo(700, 900).map(minute)], arrives(900))
    assert.deepEqual(device.holes()[0], [at(590), at(700)])
  })

  it('starts at the last response if the newest known record was ahead of it: the clock may have been corrected', () => {
    const device = planSequence()
    device.next(full(400), arrives(370))
    device.next(full(1100), arrives(1100))
    assert.deepEqual(device.holes(), [[at(370), at(801)]])
  })

  it('has no beginning if the first response was empty, so that everything is new', () => {
    for (const start of ['all', 'now'] as const) {
      const device = planSequence({ start })
      device.next([])
      device.next(full(800), { start, ...arrives(800) })
      assert.deepEqual(device.holes(), [[-1_795_161_600, at(501)]])
    }
  })

  it('begins an hour before the first response if no record had a time until then', () => {
    const device = planSequence()
    for (const id of [1, 2]) device.next([record(null, id)])
    device.next(full(800), arrives(800))
    assert.deepEqual(device.holes(), [[-3600, at(501)]])
  })

  it('does not exist before a late record that is earlier than all known ones', () => {
    const device = planSequence()
    device.next([minute(120)], arrives(120))
    assert.deepEqual(device.next([minute(110), minute(120)], arrives(120)), [110])
    assert.deepEqual(device.holes(), [])
  })

  it('starts at the time from which records are wanted, even if older ones are known', () => {
    const device = planSequence({ start: { since: 1_795_161_600_000 } })
    // These are older, and not wanted.
    device.next(minutes(80, 90))
    device.next(full(800), arrives(800))
    assert.deepEqual(device.holes(), [[0, at(501)]])
  })

  it('does not begin in the second that the hole before it ends with, whose records would be sent twice', () => {
    const device = known(400)
    for (const id of [800, 1200]) device.next([minute(id)], arrives(id))
    const [later, before] = device.holes()
    assert.deepEqual(before, [at(400), at(800)])
    assert.ok(later?.[0] && later[0] > at(800), `${later}`)
  })

  it("does not begin in the oldest known second if Node-RED's clock was behind: others of it were delivered before", () => {
    const device = planSequence()
    device.next([record(1200, 2), record(1260, 3)])
    device.next([record(9000, 10)], { arrivesAfter: 9000 })
    const [[from = 0] = []] = device.holes()
    assert.ok(from > 1200 && from < 1260, `${from}`)
  })

  it('is one of at most four: of more, the two oldest become one', () => {
    const device = known(400)
    for (const to of [1000, 2000, 3000, 4000, 5000]) device.next(full(to), arrives(to))
    assert.deepEqual(device.holes(), [
      [at(4000), at(4701)],
      [at(3000), at(3701)],
      [at(2000), at(2701)],
      [at(400), at(1701)],
    ])
    assert.equal(device.cursor()?.holes?.at(-1)?.begin?.dataId, 400)
  })

  it('that is no longer filled because Backfill was turned off is a loss', () => {
    const device = known(400)
    device.next(full(1000), arrives(1000))
    device.next(full(1001), { ...arrives(1001), backfill: false })
    assert.deepEqual([device.isOverflow(), device.holes()], [true, []])
  })

  it('and another one that are no longer filled are a loss from the beginning of one to the end of the other', () => {
    const device = known(400)
    for (const to of [1000, 1600]) device.next(full(to), arrives(to))
    const { lost } = planResponse(device.cursor(), full(1601), { ...arrives(1601), backfill: false })
    const ms = (id: number) => (RESPONSE_TIME + at(id)) * 1000
    assert.deepEqual(lost, { from: ms(400), to: ms(1301) })
  })
})

describe('a clock that is set back', () => {
  it('causes no gaps: consecutive numbers are not a restart', () => {
    for (const standalone of [true, false]) {
      const device = planSequence({ standalone })
      device.next(minutes(1, 5))
      const setBack = [record((8 - 100) * 60, 6), record((7 - 100) * 60, 7)]
      assert.deepEqual(device.next([...minutes(1, 5), ...setBack]), [7, 6])
      assert.deepEqual(device.gaps, [])
    }
  })
})
