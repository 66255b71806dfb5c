import assert from 'node:assert/strict'
import { type DueReport, DueReports } from '../../../../src/lib/report/due-reports'
import { dueTimes, type Every, formatDue, nextDue } from '../../../../src/lib/report/schedule'
import { TimeZone } from '../../../../src/shared/local-clock'
import { createVirtualClock, type VirtualClock } from '../../../support/clock'
import { createMemoryStore, type MemoryStore } from '../../../support/memory-store'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const BERLIN = new TimeZone('Europe/Berlin')

describe('the schedule of reports', () => {
  const between = (every: Every, at: string, after: string, until: string) =>
    dueTimes({ every, at }, BERLIN, { after: Date.parse(after), until: Date.parse(until) }).map((due) =>
      new Date(due).toISOString().slice(0, 16),
    )

  it('is each day, on Mondays, or on the first, at a local time', () => {
    assert.deepEqual(between('day', '00:30', '2026-11-20T00:00Z', '2026-11-22T00:00Z'), [
      '2026-11-20T23:30',
      '2026-11-21T23:30',
    ])
    assert.deepEqual(between('monday', '06:00', '2026-11-20T00:00Z', '2026-12-01T00:00Z'), [
      '2026-11-23T05:00',
      '2026-11-30T05:00',
    ])
    assert.deepEqual(between('month', '00:30', '2026-11-20T00:00Z', '2027-01-01T00:00Z'), [
      '2026-11-30T23:30',
      '2026-12-31T23:30',
    ])
  })

  it('excludes the beginning and includes the end', () => {
    assert.deepEqual(between('day', '01:00', '2026-11-20T00:00Z', '2026-11-21T00:00Z'), ['2026-11-21T00:00'])
  })

  it('is an hour later on a day without that time, and the first of two', () => {
    assert.deepEqual(between('day', '02:30', '2026-03-29T00:00Z', '2026-03-29T12:00Z'), ['2026-03-29T01:30'])
    assert.deepEqual(between('day', '02:30', '2026-10-24T22:00Z', '2026-10-25T12:00Z'), ['2026-10-25T00:30'])
  })

  it('knows the next one', () => {
    const after = Date.parse('2026-12-01T00:00Z')
    const next = (every: Every) => formatDue(BERLIN, nextDue({ every, at: '00:30' }, BERLIN, after))
    assert.equal(next('day'), '2026-12-02T00:30')
    assert.equal(next('monday'), '2026-12-07T00:30')
    assert.equal(next('month'), '2027-01-01T00:30')
  })
})

describe('the reports that a node makes by itself', () => {
  const START = Date.parse('2026-11-20T12:00Z')
  let clock: VirtualClock
  let store: MemoryStore
  let node: DueReports

  async function start({
    every = 'day',
    kind = 'yesterday',
    isOnlyNewest = false,
  }: {
    every?: Every | null
    kind?: string
    isOnlyNewest?: boolean
  } = {}) {
    node = new DueReports(clock, store, {
      schedule: every && { every, at: '00:30' },
      clock: BERLIN,
      kind,
      keyOf: (due) => formatDue(BERLIN, due),
      isOnlyNewest,
    })
    await node.ready()
  }

  const stop = () => node.close()

  /** Makes all that are due. @returns their keys */
  async function makeAll(): Promise<string[]> {
    const made: string[] = []
    for (let due = node.next(); due; due = node.next()) {
      made.push(due.key.slice(5, 10))
      await node.made(due)
    }
    return made
  }

  beforeEach(() => {
    clock = createVirtualClock(1000.25, START)
    store = createMemoryStore(clock)
  })

  it('are none for the time before it was deployed, and then each once', async () => {
    await start()
    assert.deepEqual(await makeAll(), [])
    clock.advance(DAY)
    assert.deepEqual(await makeAll(), ['11-21'])
    assert.deepEqual(await makeAll(), [])
    await stop()
    await start()
    assert.deepEqual(await makeAll(), [], 'after a restart')
  })

  it('are made after the start, oldest first, as far as seven days back', async () => {
    await start()
    await stop()
    clock.advance(3 * DAY)
    await start()
    assert.deepEqual(await makeAll(), ['11-21', '11-22', '11-23'])
    await stop()
    clock.advance(30 * DAY)
    await start()
    const late = await makeAll()
    assert.deepEqual([late.length, late[0], late.at(-1)], [7, '12-17', '12-23'])
  })

  it('are made again if they were interrupted before they were sent, also by the end of the process', async () => {
    await start()
    await clock.pass(DAY)
    assert.equal(node.next()?.key, '2026-11-21T00:30')
    // The process ends: nothing is written.
    await start()
    assert.deepEqual(await makeAll(), ['11-21'])
    await start()
    assert.deepEqual(await makeAll(), [], 'written when it was made')
  })

  it('are made once if the clock is set back and forth', async () => {
    await start()
    clock.advance(DAY)
    assert.deepEqual(await makeAll(), ['11-21'])
    clock.jump(-2 * DAY)
    assert.deepEqual(await makeAll(), [])
    clock.jump(2 * DAY + HOUR)
    assert.deepEqual(await makeAll(), [])
    clock.jump(DAY)
    assert.deepEqual(await makeAll(), ['11-22'])
  })

  it('go on if the clock was set back at a restart', async () => {
    await start()
    await stop()
    clock.jump(-30 * DAY)
    await start()
    clock.advance(DAY)
    assert.deepEqual(await makeAll(), ['10-22'])
  })

  it('are tried again every 15 minutes for seven days, and told once', async () => {
    await start()
    clock.advance(DAY)
    let attempts = 0
    let told = 0
    for (let minute = 0; minute <= 8 * 24 * 60; minute++) {
      const due = node.next()
      if (due?.key === '2026-11-21T00:30') {
        attempts++
        if (!due.isTold) told++
        await node.failed(due)
      } else if (due) await node.made(due)
      clock.advance(MINUTE)
      if (minute === 100) {
        await stop()
        await start()
      }
    }
    assert.equal(told, 1)
    // From 12:00 on the 21st until 00:30 on the 28th, and at once after the restart.
    assert.equal(attempts, 4 * (6 * 24 + 11.5) + 1)
  })

  it('are those of one schedule if it changes, and none of the time without one', async () => {
    await start()
    clock.advance(DAY)
    await makeAll()
    await stop()
    await start({ every: null })
    assert.equal(node.waitMs, undefined)
    clock.advance(3 * DAY)
    assert.deepEqual(await makeAll(), [])
    await stop()
    await start()
    assert.deepEqual(await makeAll(), [])
    clock.advance(DAY)
    assert.deepEqual(await makeAll(), ['11-25'])
  })

  it('are none for the time before a deploy with other reports', async () => {
    await start({ every: 'month' })
    clock.advance(4 * DAY)
    assert.deepEqual(await makeAll(), [])
    await stop()
    await start({ every: 'day' })
    assert.deepEqual(await makeAll(), [], 'more often')
    clock.advance(DAY)
    assert.deepEqual(await makeAll(), ['11-25'])
    await stop()
    clock.advance(DAY)
    await start({ every: 'day' })
    assert.deepEqual(await makeAll(), ['11-26'], 'after a restart')
    await stop()
    await start({ every: 'day', kind: 'last-week' })
    clock.advance(DAY)
    assert.deepEqual(await makeAll(), ['11-27'], 'of another period')
  })

  it('go on from a state of an earlier version, without their kind, until that changes', async () => {
    await store.save(JSON.stringify({ version: 1, since: START, made: [], told: [] }))
    clock.advance(DAY)
    await start()
    assert.deepEqual(await makeAll(), ['11-21'])
    await stop()
    clock.advance(DAY)
    await start({ kind: 'last-week' })
    assert.deepEqual(await makeAll(), [])
  })

  it('begin with a store that is empty', async () => {
    await store.save('null')
    await start()
    clock.advance(DAY)
    assert.deepEqual(await makeAll(), ['11-21'])
  })

  it('need no more space the longer they are made, or are not done', async () => {
    const sizesOf = async (end: (due: DueReport) => Promise<void>) => {
      store = createMemoryStore(clock)
      await start()
      const sizes: number[] = []
      for (let day = 1; day <= 200; day++) {
        clock.advance(DAY)
        for (let due = node.next(); due; due = node.next()) await end(due)
        if (day % 100 === 0) sizes.push(JSON.stringify(store.contents()).length)
      }
      await stop()
      return sizes
    }
    for (const end of [(due: DueReport) => node.made(due), (due: DueReport) => node.failed(due)]) {
      const [early = 0, late] = await sizesOf(end)
      assert.ok(early > 0)
      assert.equal(late, early)
    }
  })

  it('are not written if the node makes none by itself', async () => {
    await start({ every: null })
    await clock.pass(HOUR)
    assert.equal(store.writes(), 0)
  })

  it('are not written at a further attempt, which changes nothing', async () => {
    await start()
    clock.advance(DAY)
    const attempt = async () => {
      const due = node.next()
      assert.ok(due)
      await node.failed(due)
    }
    await attempt()
    const writes = store.writes()
    clock.advance(15 * MINUTE)
    await attempt()
    assert.equal(store.writes(), writes)
  })

  it('of the current readings are only the newest', async () => {
    await start({ isOnlyNewest: true })
    clock.advance(3 * DAY)
    assert.deepEqual(await makeAll(), ['11-23'])
  })

  it('are looked for every minute, because the clock may be set', async () => {
    await start()
    assert.equal(node.waitMs, MINUTE)
    clock.advance(11.5 * HOUR - 20_000)
    assert.equal(node.waitMs, 20_000)
  })

  it('are not made if the state cannot be read', async () => {
    for (const [contents, reason] of [
      [{ version: 2 }, 'store-newer'],
      [{ version: 1, since: 'yesterday', made: [], told: [] }, 'store-damaged'],
    ] as const) {
      await store.save(JSON.stringify(contents))
      await assert.rejects(start(), { reason })
    }
  })
})
