import assert from 'node:assert/strict'
import { beginPoll, deliver } from '../../../../src/lib/collect/poll'
import { readSavedState } from '../../../../src/lib/collect/saved-state'
import { countOf } from '../../../../src/lib/readings/content'
import { createPolledDevice } from '../../../support/collect/polled-device'
import { createRecordingStore } from '../../../support/collect/recording-store'
import { context, graph, type Json } from '../responses'

const NEWEST = 10
const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** A node that polls a device with these records. */
async function begin() {
  const log: Json[] = []
  const device = await createPolledDevice(
    (endpoint, { 'unixtime-from': from = 0, 'unixtime-to': to = 0, number = NEWEST }) => {
      const isInPeriod = ({ unixtime }: Json) => Number(unixtime) >= from && Number(unixtime) <= to
      const data = endpoint === 'latest-data' ? log : log.filter(isInPeriod)
      return graph({ data: data.slice(-number) })
    },
    { newest: NEWEST },
  )
  return { ...device, log, now: Math.floor(device.clock.now() / 1000) }
}

describe('a response', () => {
  it('hides the present records if all of its own are more than an hour ahead', async () => {
    for (const [hours, count, isAhead] of [
      [0.9, NEWEST, false],
      [1.1, NEWEST, true],
      [1.1, 1, true],
    ] as const) {
      const { log, now, poll, ahead } = await begin()
      for (const id of upTo(1, count)) log.push({ unixtime: now + hours * 3600 + id, 'data-id': id, ch1: id })
      await poll()
      assert.equal(ahead.length > 0, isAhead)
    }
  })

  it('does not hide earlier records if some of its own are unreadable', async () => {
    const { log, now, poll, ids } = await begin()
    const measure = (from: number, to: number) => {
      for (const id of upTo(from, to)) log.push({ unixtime: now + id * 60, 'data-id': id, ch1: id })
    }
    measure(1, 4)
    await poll()
    measure(5, 34)
    for (const record of log.slice(-3, -1)) record.unixtime = 'soon'
    await poll()
    const sent = ids().flat() as number[]
    assert.deepEqual(
      sent.sort((a, b) => a - b),
      [...upTo(1, 31), 34],
    )
  })
})

describe('records with numbers that no device counts to', () => {
  it('are sent once, and the cursor can be read again', async () => {
    for (const most of [2 ** 52 - 1, Number.MAX_SAFE_INTEGER]) {
      const { log, now, poll, delivered, state } = await begin()
      for (const id of [-most, most, -most]) {
        log.push({ unixtime: now + log.length * 60, 'data-id': id, ch1: 1 })
        assert.equal(await poll(), undefined)
        const device = state.toSave(0, 0) ?? {}
        assert.ok(readSavedState({ version: 1, devices: { A: JSON.parse(JSON.stringify(device)) } }))
      }
      assert.deepEqual(
        delivered.map(({ content }) => countOf(content)),
        [1, 1, 1],
      )
    }
  })
})

describe('a device that was polled with nothing new', () => {
  const record = (id: number) => ({ unixtime: 1_795_161_600 + id * 60, 'data-id': String(id), ch1: id })
  it('still reports an unreadable part at each poll, without a message', async () => {
    const data: unknown[] = [record(1), record(2)]
    const { poll, run } = await createPolledDevice(() => graph({ data }))
    const delivered: [number | undefined, boolean][] = []
    run.deliver = async ({ failed }, isEmpty = false) => void delivered.push([failed?.length, isEmpty])
    await poll()
    await poll()
    data.push('unreadable')
    for (let turn = 0; turn < 3; turn++) await poll()
    assert.deepEqual(delivered, [[0, false], ...Array(3).fill([1, true])])
  })

  it('is not saved again', async () => {
    const store = createRecordingStore()
    const { poll, clock } = await createPolledDevice(() => graph({ data: [record(1)] }), {}, { store })
    for (let turn = 0; turn < 5; turn++) {
      await poll()
      await clock.pass(60_000)
    }
    assert.equal(store.writes.length, 1)
  })
})

describe('data whose receipt is overdue', () => {
  it('is sent again with what its message says about losses and missing records', async () => {
    const { poll, run, state, target, clock, delivered } = await createPolledDevice(
      () => graph({ data: [{ unixtime: 1_795_161_600, 'data-id': 1, ch1: 1 }] }),
      {},
      { receiptTimeoutMs: 60_000 },
    )
    await poll()
    const [{ receipt: _, ...first } = assert.fail()] = delivered.splice(0)
    const cursor = state.cursor ?? assert.fail()
    await deliver(beginPoll(run, target, context), { ...first, overflow: true, backfill: true }, cursor)
    clock.advance(60_000)
    await poll()
    const said = delivered.map(({ overflow, backfill, receipt }) => [overflow, backfill, receipt])
    assert.deepEqual(said[0]?.slice(0, 2), [true, true])
    assert.deepEqual(said[1], said[0])
  })
})
