import assert from 'node:assert/strict'
import type { LimitEvent } from '../../../../src/lib/limits/event'
import {
  inMinutes,
  isCold,
  lastOfEach,
  type Minutes,
  recordsAt,
  recordsIn,
  warmIn,
} from '../../../support/limits/minutes'
import { Monitoring } from '../../../support/limits/monitoring'

const TOO_WARM = { name: 'too warm', above: -15, minutes: 30, margin: 1 }

/** The events of payloads, which arrive one after the other. */
const receiveAll = (node: Monitoring, ...payloads: readonly object[]): LimitEvent[] =>
  payloads.flatMap((payload) => node.receive(payload))

const told = (row: object, ...payloads: readonly object[]) =>
  receiveAll(new Monitoring([row]), ...payloads).map(inMinutes)

describe('late values of an outage', () => {
  /** Records arrive every 10 minutes; after an outage from 60 to 540, the newest 300 first. */
  const tellsOutage = (...warm: readonly Minutes[]) => {
    const values = warmIn(...warm)
    const before = [0, 10, 20, 30, 40, 50].map((minute) => recordsIn(minute, minute + 10, values))
    const after = [540, 550, 560, 570].map((minute) => recordsIn(minute, minute + 10, values))
    const outage = [recordsIn(240, 540, values), recordsIn(60, 240, values)]
    return receiveAll(new Monitoring([TOO_WARM]), ...before, ...outage, ...after)
  }

  it('lengthen an alarm that lasts', () => {
    const events = tellsOutage([180, 560])
    assert.deepEqual(events.map(inMinutes), ['alarm above 240-', 'normal above 180-560'])
    assert.equal(events[0]?.id, events[1]?.id)
  })

  it('make an alarm of an excursion that was too short before the outage', () => {
    assert.deepEqual(tellsOutage([45, 80]).map(inMinutes), ['ended late above 45-80'])
  })

  it('put right what was an alarm only because nothing was known of the time between', () => {
    const events = tellsOutage([59, 60], [240, 243])
    assert.deepEqual(events.map(inMinutes), ['ended above 59-243', 'ended late revised above 59-60'])
    assert.equal(events[0]?.id, events[1]?.id)
  })

  it('show the true end of an alarm, and a second one', () => {
    const events = tellsOutage([20, 70], [100, 220])
    assert.deepEqual(events.map(inMinutes), [
      'alarm above 20-',
      'normal above 20-240',
      'ended late revised above 20-70',
      'ended late above 100-220',
    ])
    assert.equal(new Set(events.map(({ id }) => id)).size, 2)
  })

  it('are one alarm, in whatever order the blocks of a logger arrive', () => {
    const uploads = (values: (minute: number) => number, blocks: readonly number[], size: number) =>
      lastOfEach(
        receiveAll(
          new Monitoring([TOO_WARM]),
          recordsIn(-10, 0, values),
          ...blocks.map((block) => recordsIn(block * size, (block + 1) * size, values)),
        ),
      )
    const newestFirst = [5, 4, 3, 2, 1, 0]
    const oldestFirst = [6, 0, 1, 2, 3, 4, 5]
    assert.deepEqual(uploads(warmIn([150, 450]), newestFirst, 100), ['ended late revised above 150-450'])
    assert.deepEqual(uploads(warmIn([75, 175]), newestFirst, 50), ['ended late revised above 75-175'])
    assert.deepEqual(uploads(warmIn([200, 600]), oldestFirst, 100), ['ended late above 200-600'])
  })
})

describe('late values', () => {
  it('before a pause or a broken sensor are an alarm', () => {
    const cold = [recordsIn(-9, 1, isCold), recordsAt([400, -18])]
    const warm = warmIn([20, 80])
    const isBroken = (minute: number) => minute >= 80 && minute < 260
    const broken = recordsIn(20, 300, (minute) => (isBroken(minute) ? 'E1' : warm(minute)))
    const pause = recordsAt(
      ...Array.from({ length: 280 }, (_, index) => [20 + index, warm(20 + index)] as const).filter(
        ([minute]) => !isBroken(minute),
      ),
    )
    // What ends it is the first value after it.
    assert.deepEqual(told(TOO_WARM, ...cold, broken), ['ended late above 20-260'])
    assert.deepEqual(told(TOO_WARM, ...cold, pause), ['ended late above 20-260'])
  })

  it('are saved at once, because they do not come again after a crash', () => {
    const node = new Monitoring([TOO_WARM])
    receiveAll(node, recordsIn(-9, 1, isCold), recordsAt([400, -18]))
    node.wait(1)
    receiveAll(node, recordsAt([100, -5]))
    node.kill()
    const events = receiveAll(node, recordsAt([130, -5], [131, -18]))
    assert.deepEqual(events.map(inMinutes), ['ended late above 100-131'])
  })

  it('revise an alarm that is over if only its extreme changes', () => {
    const node = new Monitoring([TOO_WARM])
    const newest = recordsAt([50, -5], [51, -18])
    const events = receiveAll(
      node,
      recordsIn(-9, 1, isCold),
      recordsAt([20, -5]),
      newest,
      recordsAt([35, -3]),
    )
    assert.deepEqual(events.map(inMinutes), ['ended above 20-51', 'ended late revised above 20-51'])
    assert.deepEqual(
      events.map(({ extreme }) => extreme),
      [-5, -3],
    )
  })

  it('of a logger with a long interval are an alarm', () => {
    for (const [interval, minutes] of [
      [90, 0],
      [120, 30],
      [1440, 0],
    ] as const) {
      const [from, until, end] = [4 * interval, 12 * interval, 17 * interval]
      const payloads = [
        recordsIn(-2 * interval, 1, isCold, interval),
        recordsAt([end, -18]),
        recordsIn(interval, end, warmIn([from, until]), interval),
      ]
      assert.deepEqual(told({ ...TOO_WARM, minutes }, ...payloads), [`ended late above ${from}-${until}`])
    }
  })

  it('move the beginning of what is not yet an alarm, also in its id', () => {
    const node = new Monitoring([TOO_WARM])
    receiveAll(node, recordsIn(-9, 1, isCold), recordsAt([60, -5]), recordsAt([50, -5]))
    const [alarm] = node.receive(recordsAt([80, -5]))
    assert.match(`${alarm?.id}`, /2026-11-20T08:50:00.000Z$/)
  })

  it('of a time that is known change nothing', () => {
    const events = told({ above: -15 }, recordsIn(-9, 1, isCold), recordsAt([400, -5]), recordsAt([400, -18]))
    assert.deepEqual(events, ['alarm above 400-'])
    const blocks = [recordsIn(-9, 1, isCold), ...[400, 800].map((minute) => recordsAt([minute, -18]))]
    assert.deepEqual(told({ above: -15 }, ...blocks, recordsAt([400, -5])), [])
  })

  it('are missing before a value within the margin, which begins no alarm', () => {
    const values = (minute: number) => (minute === 60 ? -15.5 : warmIn([61, 96])(minute))
    const events = told(TOO_WARM, recordsIn(-9, 9, isCold), recordsAt([9, -5]), recordsIn(60, 100, values))
    assert.deepEqual(events, ['ended above 61-96'])
  })

  it('are missing before a value outside that ends before it is an alarm: the next one is one', () => {
    const values = (minute: number) => (minute === 61 ? -15.5 : warmIn([60, 200])(minute))
    const row = { ...TOO_WARM, minutes: 120 }
    const events = told(row, recordsIn(-9, 9, isCold), recordsAt([9, -5]), recordsIn(60, 210, values))
    assert.deepEqual(events, ['ended above 62-200'])
  })

  it('that come with a lost one of the current run are part of it', () => {
    const events = told(
      TOO_WARM,
      recordsIn(-9, 1, isCold),
      ...[120, 121, 123].map((minute) => recordsAt([minute, -5])),
      recordsAt(...Array.from({ length: 119 }, (_, index) => [index + 1, -5] as const), [122, -5]),
      recordsAt([124, -18]),
    )
    assert.deepEqual(events, ['alarm above 1-', 'normal above 1-124'])
  })

  const FIRST = recordsIn(0, 4, () => 0)

  it('that fill a hole bit by bit are judged in what is left of it', () => {
    const events = told(
      { below: -3, minutes: 1 },
      FIRST,
      recordsAt([6, -2.5]),
      recordsIn(7, 10, () => 0),
      recordsAt([4, -4]),
      recordsAt([5, -3.5]),
    )
    assert.deepEqual(events, ['ended late below 4-6'])
  })

  it('before a value that a crash followed end with it', () => {
    const node = new Monitoring([{ above: 3, minutes: 1 }])
    receiveAll(node, FIRST, recordsAt([6, 0]))
    node.wait(1)
    node.kill()
    const events = receiveAll(node, recordsAt([4, 4]), recordsAt([5, 4]))
    assert.deepEqual(events.map(inMinutes), ['ended late above 4-6'])
  })

  it('that part an alarm in two and join it again leave one id for it', () => {
    const node = new Monitoring([{ above: 3, minutes: 1, margin: 2 }])
    const events = receiveAll(
      node,
      FIRST,
      recordsAt([24, 3.5]),
      recordsAt([33, 3.5], [34, 3.5], [35, 0]),
      recordsAt([30, 2.5], [31, 3], [32, 3]),
      recordsIn(4, 30, (minute) => (minute < 24 ? 0 : ([3.5, 3.5, 4, 4, 2, 2.5][minute - 24] ?? 0))),
    )
    const ends = lastOfEach(events).filter((event) => event.endsWith('-35'))
    assert.deepEqual(ends, ['ended late revised above 24-35'])
  })
})

describe('a hole', () => {
  const AT_ONCE = { above: -15 }

  /** Whether a value that is too warm is judged after these. */
  const isJudged = (minute: number, ...payloads: readonly object[]) =>
    told(AT_ONCE, ...payloads, recordsAt([minute, -5])).length > 0

  it('is a pause of more than two and a half times the usual one', () => {
    const isHole = (pause: number) => isJudged(10.5, recordsIn(0, 10, isCold), recordsAt([9 + pause, -18]))
    assert.deepEqual([2.5, 2.51].map(isHole), [false, true])
  })

  it('is such a pause also while it is not known what was before another hole', () => {
    const isHole = (pause: number) => {
      const node = new Monitoring([AT_ONCE])
      const warm = [60, 61, 62, 62 + pause].map((minute) => recordsAt([minute, -5]))
      receiveAll(node, recordsIn(0, 10, isCold), ...warm)
      return node.receive(recordsAt([62.5, -18])).length > 0
    }
    assert.deepEqual([2.5, 2.51].map(isHole), [false, true])
  })

  it('remains as long as more than one and a half times the usual pause is left of it', () => {
    const remains = (left: number) =>
      isJudged(12.3, recordsIn(0, 10, isCold), recordsAt([13, -18]), recordsAt([13 - left, -18]))
    assert.deepEqual([1.5, 1.51].map(remains), [false, true])
  })

  it('is not every pause because two records are a second apart once', () => {
    const records = recordsAt([1, -18], [2, -18], [2 + 1 / 60, -18], [3, -18], [4, -18])
    assert.equal(isJudged(3.5, recordsAt([0, -18]), records), false)
  })

  it('is found by the median of the pauses, also if their number is even', () => {
    const records = recordsAt([0, -18], [1, -18], [4, -18])
    assert.equal(isJudged(7, records, recordsAt([10, -18])), true)
  })

  it('is found by the pause before if only two of three records differ in time', () => {
    const records = recordsAt([10, -18], [10, -18], [30, -18])
    assert.equal(isJudged(20, recordsIn(0, 10, isCold), records), true)
  })

  it('is also found in a message of few records, of which some were lost', () => {
    const records = recordsAt([1, -18], [2, -18], [3, -18], [7, -18])
    assert.equal(isJudged(5, recordsAt([0, -18]), records), true)
  })

  it('can be filled if it is one of the last 24', () => {
    // Each hole of 3 minutes has room for one value.
    const blocks = Array.from({ length: 26 }, (_, block) => [0, 1, 2].map((minute) => block * 5 + minute))
    const [first = [], ...others] = blocks.map((block) => block.map((minute) => [minute, -18] as const))
    const node = new Monitoring([AT_ONCE])
    receiveAll(node, recordsAt(...first), recordsAt(...others.flat()))
    const counts = blocks.slice(1).map((_, hole) => node.receive(recordsAt([hole * 5 + 3.5, -5])).length)
    assert.deepEqual(counts, [0, ...Array.from({ length: 24 }, () => 1)])
  })

  it('can be filled for 30 days', () => {
    const isFilledAfter = (hours: number) =>
      isJudged(11, recordsIn(0, 10, isCold), recordsIn(20, 22, isCold), recordsAt([20 + hours * 60, -18]))
    assert.deepEqual([30 * 24 - 1, 30 * 24 + 1].map(isFilledAfter), [true, false])
  })

  it('can be filled for 30 days, also if nothing is missing since then', () => {
    const isFilledAfter = (hours: number) =>
      isJudged(
        900,
        ...[
          [0, 600],
          [1200, 1201],
          [1260, 1801],
          [2400, 2401],
          [2460, 1201 + hours * 60],
        ].map(([from = 0, until = 0]) => recordsIn(from, until, isCold, 60)),
      )
    assert.deepEqual([30 * 24 - 1, 30 * 24 + 1].map(isFilledAfter), [true, false])
  })
})
