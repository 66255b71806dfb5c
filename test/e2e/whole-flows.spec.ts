import assert from 'node:assert/strict'
import { join } from 'node:path'
import { manualClock, type Simulator, startSimulator } from '../../simulator'
import { differenceOf } from '../support/archive/compare'
import { archiveFleet, trueRecordLines } from '../support/archive/fleet'
import { type Restarting, startRestarting, stores } from '../support/archive/restarting'
import { openSqlite } from '../support/archive/sqlite'
import { startBroker } from '../support/broker'
import { shownBy } from '../support/dashboard'
import { currentRows } from '../support/expected'
import { assertSame } from '../support/same'
import { until } from '../support/wait'
import { assertWithoutCode, filledIn, rounds } from '../support/whole-flow'

const STARTING_MS = 300_000
const FLOW_MS = 90_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const DEVICES = 4

describe('whole flows', () => {
  let nodeRed: Restarting
  let simulator: Simulator

  before('starts Node-RED with the package installed', async function () {
    this.timeout(STARTING_MS)
    nodeRed = await startRestarting(stores.atOnce)
  })

  after('ends it', () => nodeRed?.kill())

  /** Devices that record every minute from `from` on. */
  async function simulate(from: number, now: number): Promise<void> {
    const fleet = archiveFleet(DEVICES, from, now)
    simulator = await startSimulator({ clock: manualClock(now), limits: 'off', fleet })
  }

  afterEach(() => simulator?.close())

  async function restart(): Promise<void> {
    await nodeRed.end()
    await nodeRed.start()
  }

  it('publish each channel on a topic of its own, retained, each new value once', async function () {
    this.timeout(FLOW_MS)
    assertWithoutCode('mqtt-a-topic-per-channel')
    await simulate(Date.now() - HOUR, Date.now())
    const broker = await startBroker()
    try {
      const values = () =>
        currentRows(simulator.truth).flatMap(({ base, serial, channel, value }) =>
          value === undefined ? [] : { topic: `envlog/${base}/${serial}/${channel}`, text: String(value) },
        )
      const { received, end } = await broker.subscribe('envlog/#')
      const told = () => received.map(({ topic, text }) => ({ topic, text }))
      const first = values()
      await nodeRed.deploy(filledIn('mqtt-a-topic-per-channel', { simulator, broker: broker.node }))
      await until('all channels are published', () => received.length >= first.length)
      await rounds(simulator, 2)
      assertSame(told(), first)

      simulator.clock.advance(3 * MINUTE)
      const second = values()
      await until('the new values are published', () => received.length >= first.length + second.length)
      await rounds(simulator, 2)
      assertSame(told(), [...first, ...second])
      await restart()
      await rounds(simulator, 2)
      assertSame(told(), [...first, ...second])
      await end()

      const later = await broker.subscribe('envlog/#')
      await until('what is retained has come', () => later.received.length >= second.length)
      assertSame(
        later.received,
        second.map((message) => ({ ...message, retained: true })),
      )
      await later.end()
    } finally {
      // Node-RED must not lose its broker: it would try to connect for the rest of the time.
      await nodeRed.deploy([])
      await broker.close()
    }
  })

  it('archive every record, whatever the database does, over a restart', async function () {
    this.timeout(FLOW_MS)
    assertWithoutCode('archive-with-no-loss')
    const now = Math.floor(Date.now() / MINUTE) * MINUTE - 2 * DAY
    await simulate(now - 4 * HOUR, now)
    const file = join(nodeRed.userDir, 'readings.sqlite')
    await nodeRed.deploy(filledIn('archive-with-no-loss', { simulator, database: file }))
    const database = await openSqlite(file)
    try {
      const archived = async () => {
        const lines = new Map<string, string[]>()
        const rows = await database.rows('SELECT * FROM readings ORDER BY rowid')
        for (const { base, serial, time, channel, dataid, value, error } of rows) {
          const device = `${base}/${serial}`
          lines.set(device, [
            ...(lines.get(device) ?? []),
            `${time} ch${channel} ${dataid} ${value ?? error}`,
          ])
        }
        return lines
      }
      const assertArchived = async () => {
        const expected = trueRecordLines(simulator)
        const wrong = async () => {
          const { lost, doubled, invented, misplaced, examples } = differenceOf(expected, await archived())
          return { lost, doubled, invented, misplaced, examples }
        }
        await until('all is archived', async () => (await wrong()).lost === 0).catch(() => {})
        assert.deepEqual(await wrong(), { lost: 0, doubled: 0, invented: 0, misplaced: 0, examples: [] })
      }
      const tables = "SELECT name FROM sqlite_master WHERE name = 'readings'"
      await until('the flow has made its table', async () => (await database.rows(tables)).length > 0)
      await assertArchived()

      // The service's newest 300 of a device do not reach back to the beginning of the outage.
      await database.run('ALTER TABLE readings RENAME TO away; CREATE TABLE readings (other)')
      const before = simulator.counts()['latest-data'].total
      simulator.clock.advance(HOUR)
      await until('records come', () => simulator.counts()['latest-data'].total >= before + DEVICES / 2)
      simulator.clock.advance(11 * HOUR)
      await nodeRed.kill()
      await nodeRed.start()
      await rounds(simulator, DEVICES)
      await database.run('DROP TABLE readings; ALTER TABLE away RENAME TO readings')
      await assertArchived()
      assert.ok(simulator.counts().data.total > 0, 'the hole was filled')
    } finally {
      await database.close()
    }
  })

  it('show on a dashboard what holds now, and a line for each channel with each value once', async function () {
    this.timeout(FLOW_MS)
    assertWithoutCode('dashboard')
    const now = Math.floor(Date.now() / MINUTE) * MINUTE
    await simulate(now - HOUR, now)
    await nodeRed.deploy(filledIn('dashboard', { simulator }))
    const points: { series: string; x: number; y: number }[] = []
    for (let minutes = 0; minutes < 3; minutes++) {
      if (minutes > 0) simulator.clock.advance(MINUTE)
      const rows = currentRows(simulator.truth)
      const table = rows.map(({ name, label, value, error }) => [name, label, value ?? error])
      for (const { name, label, value, timestamp } of rows) {
        if (value !== undefined)
          points.push({ series: `${name} ${label}`, x: Number(timestamp), y: Number(value) })
      }
      await rounds(simulator, 4)
      const shown = await shownBy<{ payload: Record<string, unknown>[] }>(nodeRed.url(), 'board-table')
      assertSame(
        (shown?.payload ?? []).map(({ Device, Channel, Value }) => [Device, Channel, Value]),
        table,
      )
      const lines = await shownBy<{ _datapoint: Record<string, unknown> }[]>(nodeRed.url(), 'board-chart')
      assertSame(
        (lines ?? []).map(({ _datapoint: { category, x, y } }) => ({ series: category, x, y })),
        points,
      )
    }
  })
})
