import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { manualClock, type Simulator, startSimulator } from '../../../simulator'
import { archiveFleet } from '../../support/archive/fleet'
import { assertArchived, type StoredRow } from '../../support/archive/rows'
import { openSqlite } from '../../support/archive/sqlite'
import { startInflux, startPostgres } from '../../support/databases'
import { asksNoMore, rounds, useExamples } from '../../support/examples'
import { deviceIn, pointsOf } from '../../support/expected'
import { paletteFolder } from '../../support/palette'
import { assertSame } from '../../support/same'
import { until } from '../../support/wait'

const STARTING_MS = 120_000
const FLOW_MS = 90_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DEVICES = 4

const SQLITE = 'SQLite - needs node-red-node-sqlite/newest records to SQLite'
const POSTGRES = 'PostgreSQL - needs node-red-contrib-postgrestor-next/newest records to PostgreSQL'
const INFLUX = 'InfluxDB - needs node-red-contrib-influxdb/points to InfluxDB'

describe('examples to databases', () => {
  const hall = useExamples({ examples: [SQLITE, POSTGRES, INFLUX] })
  let simulator: Simulator

  beforeEach(async () => {
    const now = Math.floor(Date.now() / MINUTE) * MINUTE - 48 * HOUR
    const fleet = archiveFleet(DEVICES, now - 2 * HOUR, now)
    simulator = await startSimulator({ clock: manualClock(now), limits: 'off', fleet })
  })

  afterEach(() => simulator?.close())

  /** The newest 300 of a device do not reach back over it. */
  const longOutage = () => simulator.clock.advance(7 * HOUR)

  it('archive every record in PostgreSQL, though it is stopped meanwhile', async function () {
    this.timeout(STARTING_MS)
    const postgres = await startPostgres()
    const { Client } = createRequire(join(await paletteFolder(), 'package.json'))('pg')
    const query = async (sql: string, database = postgres.database) => {
      const { port, user, password } = postgres
      const client = new Client({ host: '127.0.0.1', port, user, password, database })
      await client.connect()
      try {
        return (await client.query(sql)).rows
      } finally {
        await client.end()
      }
    }
    const rows = (): Promise<StoredRow[]> =>
      query('SELECT * FROM readings ORDER BY time').catch((error: { code?: string }) => {
        // The flow has not made the table yet.
        if (error.code === '42P01') return []
        throw error
      })
    /**
     * A connection that breaks while its pool keeps it takes Node-RED down: the example keeps them for a millisecond, and
     * here they are refused before the server ends.
     */
    const admit = (isOpen: boolean) =>
      query(`ALTER DATABASE ${postgres.database} ALLOW_CONNECTIONS ${isOpen}`, 'template1')
    const isAlone = async () => {
      const others = await query(
        "SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
        'template1',
      )
      return others.length === 0
    }
    try {
      await hall.deploy([POSTGRES], { simulator, postgres })
      await assertArchived(simulator, rows)
      for (const outage of [() => simulator.clock.advance(HOUR), longOutage]) {
        await admit(false)
        await until('nobody is connected', isAlone)
        await postgres.stop()
        outage()
        // What waits for its receipt is kept: an outage costs no quota.
        await asksNoMore(simulator)
        await postgres.startAgain()
        await admit(true)
        await assertArchived(simulator, rows)
      }
      assert.ok(simulator.counts().data.total > 0, 'the hole was filled')
    } finally {
      await hall.deploy([], { simulator }).finally(async () => {
        await until('nobody is connected', isAlone)
        await postgres.stop()
      })
    }
  })

  it('archive every record in SQLite, whatever the database does, over a crash', async function () {
    this.timeout(FLOW_MS)
    const file = join(hall.userDir, 'readings.sqlite')
    await hall.deploy([SQLITE], { simulator, sqlite: file })
    const database = await openSqlite(file)
    try {
      const rows = () => database.rows('SELECT * FROM readings ORDER BY time')
      const tables = "SELECT name FROM sqlite_master WHERE name = 'readings'"
      await until('the flow has made its table', async () => (await database.rows(tables)).length > 0)
      await assertArchived(simulator, rows)

      await database.run('ALTER TABLE readings RENAME TO away; CREATE TABLE readings (other)')
      const before = simulator.counts()['latest-data'].total
      simulator.clock.advance(HOUR)
      await until('records come', () => simulator.counts()['latest-data'].total >= before + DEVICES / 2)
      longOutage()
      await hall.kill()
      await hall.start()
      await rounds(simulator, DEVICES)
      await database.run('DROP TABLE readings; ALTER TABLE away RENAME TO readings')
      await assertArchived(simulator, rows)
      assert.ok(simulator.counts().data.total > 0, 'the hole was filled')
    } finally {
      await database.close()
    }
  })

  it('archive every record in InfluxDB, though it is stopped meanwhile', async function () {
    this.timeout(STARTING_MS)
    const influx = await startInflux()
    const { truth } = simulator
    const expected = () =>
      truth.devices().flatMap(({ serial, base, standalone }) => {
        const records = truth.records(serial, standalone ? undefined : base)
        return pointsOf(deviceIn(truth, serial), records)
      })
    const brief = (point: { tags: object; fields: object; timestamp: string }) => ({
      serial: (point.tags as StoredRow).serial,
      ch1: (point.fields as StoredRow).ch1,
      time: point.timestamp,
    })
    const found = async () =>
      (await influx.query('SELECT * FROM envlog')).map(({ serial, ch1, time }) => ({
        serial,
        ch1,
        time: new Date(Number(time)).toISOString(),
      }))
    const assertStored = async () => {
      await until('all is stored', async () => (await found()).length >= expected().length).catch(() => {})
      assertSame(await found(), expected().map(brief))
    }
    try {
      await hall.deploy([INFLUX], { simulator, influx })
      await assertStored()
      await influx.stop()
      longOutage()
      await asksNoMore(simulator)
      await influx.startAgain()
      await assertStored()
    } finally {
      await hall.deploy([], { simulator })
      await influx.stop()
    }
  })
})
