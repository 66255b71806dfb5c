import assert from 'node:assert/strict'
import type { EnvlogError } from '../../../../src/lib/errors'
import { readMeasurements } from '../../../../src/lib/limits/measurements'
import { readSavedLimits } from '../../../../src/lib/limits/saved-limits'
import { isCold, recordsIn, warmIn } from '../../../support/limits/minutes'
import { limitsOf, MINUTE, Monitoring, nowIn, other, readingOf } from '../../../support/limits/monitoring'

const TOO_WARM = { name: 'too warm', above: -15 }

describe('a saved state of limits', () => {
  it('that is damaged, newer or of another node is refused, and an empty store is not', () => {
    const node = new Monitoring([TOO_WARM])
    node.receive([readingOf(nowIn(node), -10)])
    const saved = node.monitor.toSave()
    assert.deepEqual(readSavedLimits(JSON.parse(JSON.stringify(saved))), saved)
    for (const empty of [undefined, null]) assert.equal(readSavedLimits(empty), undefined)
    const reasonOf = (contents: unknown) => {
      try {
        return readSavedLimits(contents)
      } catch (error) {
        return (error as EnvlogError).reason
      }
    }
    assert.equal(reasonOf({ ...saved, version: 2 }), 'store-newer')
    const [[_key, device]] = Object.entries(saved.devices) as [[string, object]]
    for (const damaged of [
      'x',
      { version: 1 },
      { ...saved, version: '2' },
      { ...saved, noData: [1] },
      { version: 1, devices: { a: { cursor: {} } } },
      { ...saved, limits: [null] },
      { ...saved, limits: [{ above: 'warm' }] },
      ...['5212A1B2', '5839F001/', 'a/b/c'].map((other) => ({ ...saved, devices: { [other]: device } })),
    ])
      assert.equal(reasonOf(damaged), 'store-damaged')
  })

  it('contains a furthest value that has grown by a margin half a minute later', () => {
    const node = new Monitoring([{ ...TOO_WARM, margin: 2 }])
    const measures = (...values: readonly number[]) =>
      values.map((value) => {
        node.wait(1)
        return node.receive([readingOf(nowIn(node), value)])
      })
    measures(-18, -14, -12, 4, 5, -14)
    node.kill()
    const [[normal] = []] = measures(-18)
    assert.deepEqual([normal?.state, normal?.extreme], ['normal', 4])
  })

  it('contains it if it has grown by a unit, also with a smaller margin', () => {
    for (const [grown, expected] of [
      [-13.1, -14],
      [-13, -13],
    ] as const) {
      const node = new Monitoring([{ ...TOO_WARM, margin: 0.5 }])
      node.receive([readingOf(nowIn(node), -14)])
      node.wait(1)
      node.receive([readingOf(nowIn(node), grown)])
      node.wait(1)
      node.kill()
      assert.equal(node.receive([readingOf(nowIn(node), -18)])[0]?.extreme, expected)
    }
  })

  it('has a device of which little is known', () => {
    const node = new Monitoring([TOO_WARM])
    const unknown = { base: { serial: '5839F001' }, group: null, utcOffset: null, channels: [{ number: 1 }] }
    node.receive([readingOf(null, null, unknown)])
    node.restart()
    assert.equal(node.monitor.summarize().devices, 1)
  })

  it('has the group of a device, by which an alarm goes on, and the time zone of its texts', () => {
    const node = new Monitoring([{ ...TOO_WARM, groups: ['Cold chain'] }])
    node.receive([readingOf(nowIn(node), -10)])
    node.restart()
    const [reminder] = node.monitor.alarms.alarms()
    assert.deepEqual([reminder?.event.limit, reminder?.utcOffset], ['too warm', 540])
  })

  it('has the first time of a channel: what was over before it is not reported', () => {
    const node = new Monitoring([TOO_WARM])
    node.receive(recordsIn(0, 10, isCold))
    node.restart()
    assert.deepEqual(node.receive(recordsIn(-60, 0, warmIn([-50, -40]))), [])
  })

  it('has a device that was seen last, also after the node has been running for long', () => {
    const node = new Monitoring([])
    node.clock.advance(20 * 24 * 60 * MINUTE)
    node.receive([readingOf(nowIn(node), -18)])
    node.restart()
    node.wait(1)
    assert.equal(node.monitor.summarize().devices, 1)
  })

  it('is not written for measurements in which nothing happens', () => {
    const node = new Monitoring([TOO_WARM])
    const saves = Array.from({ length: 60 }, () => {
      node.clock.advance(30 * MINUTE)
      node.monitor.receive(readMeasurements([readingOf(nowIn(node), -18)]).devices, limitsOf(TOO_WARM))
      return node.monitor.alarms.collect().save
    })
    assert.deepEqual(saves, ['now', ...Array.from({ length: 59 }, () => undefined)])
  })

  it('ends what is no longer watched with the state false', () => {
    const node = new Monitoring([TOO_WARM, { name: 'critical', above: -5 }])
    const freezers = () => [
      readingOf(nowIn(node), 'E1', { battery: { level: 'replace-now' } }),
      other(nowIn(node), 0),
    ]
    node.receive(readingOf(nowIn(node), 'E1', { serial: '5212A1B4' }))
    for (let minute = 0; minute <= 60; minute++) {
      node.wait(1)
      node.receive(freezers())
    }
    assert.equal(node.monitor.summarize().alarms, 6)
    const never = Number.POSITIVE_INFINITY
    node.restart([{ ...TOO_WARM, above: -16 }], { silentAfterMs: never, errorAfterMs: never, battery: false })
    const { reports, states } = node.monitor.alarms.collect()
    assert.deepEqual(reports, [])
    assert.deepEqual(
      states.map(({ kind, about, isAlarm }) => `${kind} ${about.device?.serial} ${isAlarm}`).sort(),
      [
        'battery 5212A1B2 false',
        'error 5212A1B2 false',
        'error 5212A1B4 false',
        'limit 5212A1B3 false',
        'limit 5212A1B3 false',
        'silent 5212A1B4 false',
      ],
    )
  })
})

describe('the size of a saved state', () => {
  const ROW = { name: 'too warm 1', above: -15, minutes: 30, margin: 1 }
  const sizeOf = (rows: readonly object[], ...payloads: readonly object[]) => {
    const node = new Monitoring(rows)
    for (const payload of payloads) node.receive(payload)
    return JSON.stringify(node.monitor.toSave().devices).length
  }

  it('is at most 230 bytes for a channel in alarm by a row', () => {
    const minutes = Array.from({ length: 60 }, (_, minute) => recordsIn(minute, minute + 1, () => -9.8))
    const payloads = [recordsIn(-9, 0, () => -18.3), ...minutes]
    const [size, sizeOfOthers] = [sizeOf([ROW], ...payloads), sizeOf([], ...payloads)]
    assert.ok(size - sizeOfOthers <= 230, `${size - sizeOfOthers} bytes`)
  })

  it('does not grow with alarms that values for a hole no longer change', () => {
    const sizeAfter = (blocks: number) =>
      sizeOf(
        [{ ...ROW, minutes: 0 }],
        ...Array.from({ length: blocks }, (_, block) =>
          recordsIn(block * 100, block * 100 + 10, warmIn([block * 100, block * 100 + 4])),
        ),
      )
    const growth = sizeAfter(90) - sizeAfter(60)
    assert.ok(Math.abs(growth) <= 30, `${growth} bytes`)
  })

  it('does not grow with excursions that are too short, while it is not known when an alarm before a hole ended', () => {
    const sizeAfter = (minutes: number) =>
      sizeOf(
        [ROW],
        recordsIn(-9, 0, () => -18.3),
        recordsIn(100, 100 + minutes, (minute) => (minute % 2 === 0 ? -14.5 : -15.5)),
      )
    const growth = sizeAfter(60) - sizeAfter(20)
    assert.ok(growth <= 30, `${growth} bytes`)
  })

  it('is at most 120 bytes for each of 24 holes that values inside or a short excursion follow', () => {
    for (const warm of [0, 4]) {
      const blocks = Array.from({ length: 25 }, (_, block) =>
        recordsIn(block * 100, block * 100 + 10, (minute) => (minute % 100 < warm ? -9.8 : -18.3)),
      )
      const first = recordsIn(-99, -90, () => -18.3)
      const perHole = (sizeOf([ROW], first, ...blocks) - sizeOf([ROW], first)) / 24
      assert.ok(perHole > 20 && perHole <= 120, `${perHole} bytes`)
    }
  })
})
