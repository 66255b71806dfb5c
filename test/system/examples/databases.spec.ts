import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { rounds, useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { HOSTILE } from '../../support/outputs'
import { paletteFolder } from '../../support/palette'
import { assertSame } from '../../support/same'
import { HOST } from '../../support/server-process'
import { expectedValues } from '../../support/truth'
import { until } from '../../support/wait'
import { startInflux, startPostgres } from './database-servers'

const STARTING_MS = 300_000
const FLOW_MS = 180_000
const DAY = 86_400_000
/** Longer than the newest 300 records reach back, and more rows than one statement allows. */
const OUTAGE = 8 * DAY

const POSTGRES = 'PostgreSQL - needs node-red-contrib-postgrestor-next/newest records to PostgreSQL'
const INFLUX = 'InfluxDB - needs node-red-contrib-influxdb/points to InfluxDB'
const SQLITE = 'SQLite - needs node-red-node-sqlite/newest records to SQLite'
const REPAIR = 'SQLite - needs node-red-node-sqlite/repair of the last days'
/** As in the flow. */
const REPAIRED = 7 * DAY

const NOW = Date.UTC(2026, 0, 15, 3)
const HOUR_AGO = NOW / 1000 - 3600
/** A device that gets new records as time passes, and one under a base unit. */
const GROWING = '52C10001'
const REMOTE = '52C10003'

const fleet: DeviceDefinition[] = [
  { serial: GROWING, name: 'Growing', records: { interval: 60, from: HOUR_AGO } },
  {
    serial: REMOTE,
    base: { serial: '5F0A1001', name: 'Hall 1' },
    records: [
      { unixtime: 0, id: 1, values: { 1: 1.5 } },
      { unixtime: HOUR_AGO, id: 2, values: { 1: 2.5 } },
    ],
  },
  ...HOSTILE.map((text, at) => ({
    serial: `52B1000${at.toString(16).toUpperCase()}`,
    name: text,
    model: text,
    group: { num: 1, name: text },
    channels: [{ num: 1, name: text, unit: text }],
    records: [-18.4, 0, 1e-7, 123456.789, 0.1 + 0.2, 'E1', null].map((value, index) => ({
      unixtime: HOUR_AGO + 600 * index,
      id: index + 1,
      values: { 1: value },
    })),
  })),
]

interface InfluxResult {
  results: [{ series?: [{ columns: string[]; values: unknown[][] }] }]
}

/** A third-party package that the examples need. */
const load = async (module: string) => createRequire(join(await paletteFolder(), 'package.json'))(module)

/** What a stored row says. */
const readingOf = (row: Record<string, unknown>) => {
  const { serial, base, timestamp, time, channel, value, error, label, unit, dataid, name, groupname } = row
  const about = { serial, base, name: name ?? '', group: groupname ?? '', label, unit: unit ?? '' }
  return {
    ...about,
    timestamp,
    time: new Date(time as string).toISOString(),
    channel,
    value,
    error,
    dataId: dataid,
  }
}

describe('examples to databases', () => {
  const harness = useExamples({ examples: [POSTGRES, INFLUX, SQLITE] })
  let simulator: Simulator
  let end: (() => Promise<unknown>) | undefined

  beforeEach(async () => {
    simulator = await startSimulator({
      clock: manualClock(NOW),
      limits: 'off',
      fleet,
    })
  })

  afterEach(async function () {
    this.timeout(FLOW_MS)
    await end?.()
    end = undefined
    await simulator?.close()
  })

  /** Everything that the service has, except records without a time. */
  const expected = () =>
    simulator.truth
      .devices()
      .flatMap((device) =>
        expectedValues(simulator, device, {
          action: 'range',
          from: 0,
          to: Number.MAX_SAFE_INTEGER,
        }),
      )
      .filter(({ timestamp }) => timestamp !== null)

  /** @param rows reads the table; fails while it is missing */
  async function assertStored(rows: () => Promise<object[]>, wanted: object[] = expected()): Promise<void> {
    const isStored = () => rows().then((found) => found.length >= wanted.length)
    await until('everything is stored', () => isStored().catch(() => false)).catch(() => {})
    assertSame(await rows(), wanted)
  }

  it('archive every record in PostgreSQL once, with any names, despite an outage and a crash', async function () {
    this.timeout(STARTING_MS + FLOW_MS)
    const { Client, types } = await load('pg')
    // Otherwise a bigint is returned as text.
    types.setTypeParser(types.builtins.INT8, Number)
    const server = await startPostgres()
    end = server.stop
    const { port, user, password, database } = server
    const login = { host: HOST, port, user, password, database }
    const rows = async () => {
      const client = new Client(login)
      await client.connect()
      const found = client.query('SELECT * FROM readings').finally(() => client.end())
      return (await found).rows.map(readingOf)
    }
    await harness.deploy([POSTGRES], { simulator, more: { postgresDB: login } })
    await assertStored(rows)

    await harness.nodeRed.stop('SIGKILL')
    await server.stop()
    simulator.clock.advance(OUTAGE)
    await harness.nodeRed.start()
    await rounds(simulator, 4)
    await server.startAgain()
    await assertStored(rows)
    assert.ok(simulator.counts().data.total > 0, 'the hole was filled')
  })

  /** Another copy of the flow, which has delivered nothing yet. */
  const copy = (flow: FlowNode[], name: string): FlowNode[] =>
    JSON.parse(JSON.stringify(flow).replaceAll('envlog-example-influx', name))

  it('archive every record in InfluxDB once, with any names, errors as text if wanted, despite an outage', async function () {
    this.timeout(STARTING_MS + FLOW_MS)
    const server = await startInflux()
    const { port } = server
    end = server.stop
    /** Of each value or error: device, time, channel. */
    const stored = async () => {
      const query = new URLSearchParams({ db: 'envlog', epoch: 'ms', q: 'SELECT * FROM envlog' })
      const { results } = (await (
        await fetch(`http://${HOST}:${port}/query?${query}`)
      ).json()) as InfluxResult
      const { columns, values } = results[0].series?.[0] ?? { columns: [], values: [] }
      return values.flatMap((cells) => {
        const row = Object.fromEntries(columns.map((column, at) => [column, cells[at]]))
        const { serial, base, time: timestamp } = row
        return [1, 2, 3, 4].flatMap((channel) => {
          const [value, error] = [row[`ch${channel}`] ?? null, row[`ch${channel}_error`] ?? null]
          return value === null && error === null ? [] : [{ serial, base, timestamp, channel, value, error }]
        })
      })
    }
    for (const value of ['false', 'true']) {
      const more = {
        influxdb: { hostname: HOST, port: String(port), database: 'envlog' },
        tab: { env: [{ name: 'ERRORS', value, type: 'bool' }] },
      }
      await harness.deploy([INFLUX], { simulator, more }, (flow) => copy(flow, `influx-${value}`))
      const wanted = () =>
        expected()
          .filter(({ error }) => value === 'true' || error === null)
          .map(({ serial, base, timestamp, channel, value, error }) => ({
            serial,
            base,
            timestamp,
            channel,
            value,
            error,
          }))
      await assertStored(stored, wanted())
      await server.stop()
      simulator.clock.advance(OUTAGE)
      await rounds(simulator, 4)
      await server.startAgain()
      await assertStored(stored, wanted())
    }
  })

  /** An empty database file, and its rows. */
  async function sqlite() {
    const { Database } = await load('sqlite3')
    const file = join(harness.nodeRed.userDir, 'readings.sqlite')
    rmSync(file, { force: true })
    const connection = new Database(file)
    connection.configure('busyTimeout', 30_000)
    end = () => new Promise((resolve) => connection.close(resolve))
    return () =>
      new Promise<object[]>((resolve, reject) =>
        connection.all('SELECT * FROM readings', (error: Error | null, found: Record<string, unknown>[]) =>
          error ? reject(error) : resolve(found.map(readingOf)),
        ),
      )
  }

  it('archive every record in SQLite once, with any names', async function () {
    this.timeout(FLOW_MS)
    const rows = await sqlite()
    await harness.deploy([SQLITE], { simulator })
    await assertStored(rows)
  })

  it('show the device if the service no longer has records when the database is available again', async function () {
    this.timeout(FLOW_MS)
    await sqlite()
    const minute = 60_000
    const now = Math.floor(Date.now() / minute) * minute
    const records = { interval: 60, drift: 0, from: (now - 5 * DAY) / 1000 }
    const unit = { serial: REMOTE, name: 'Freezer', base: { serial: '5F0A1001' } }
    await simulator.close()
    simulator = await startSimulator({
      clock: manualClock(now),
      limits: 'off',
      fleet: [{ ...unit, records: { ...records, until: (now - 3 * DAY) / 1000 } }],
    })
    // Otherwise a busy machine might confirm the first records too late, and there would be nothing to compare with.
    await harness.deploy([SQLITE], { simulator, more: { 'envlog-latest': { ackTimeout: 600 } } })
    await rounds(simulator, 2)
    const shown = () => harness.nodeRed.log().includes('[debug:records lost]')
    assert.ok(!shown())
    simulator.set({ fleet: [{ ...unit, records }] })
    // As long as no record is added, the service does not delete the oldest one, after which the loss is noticed.
    await until('it is noticed', () => /Records between .+ are missing/.test(harness.nodeRed.log()))
    // The next record says so.
    simulator.clock.advance(minute)
    await until('the loss is shown', shown)
    assert.match(harness.nodeRed.log(), /\[debug:records lost\] \d{4}-\d\d-\d\d Freezer \(52C10003\)/)
  })

  it('store in SQLite the records of the last days that arrived late, and nothing twice', async function () {
    this.timeout(FLOW_MS)
    const rows = await sqlite()
    // Node-RED's clock determines the last days.
    const now = Math.floor(Date.now() / 1000) * 1000
    const at = (days: number) => ({ unixtime: (now - days * DAY) / 1000, values: { 1: days } })
    const records = [10, 6, 3, 2].map((days, id) => ({ ...at(days), id: id + 1 }))
    const fleetWith = (...held: typeof records) =>
      [GROWING, REMOTE].map((serial) => ({
        serial,
        name: serial,
        records: serial === REMOTE ? held : records,
      }))
    await simulator.close()
    const clock = manualClock(now)
    simulator = await startSimulator({ clock, limits: 'off', fleet: fleetWith(...records.slice(3)) })
    await harness.deploy([REPAIR], { simulator })
    const isThere = () => rows().then(Array.isArray, () => false)
    await until('the table is there', isThere)
    const repair = async () => {
      await harness.press('every night at 3')
      const recent = expected().filter(({ time }) => Date.parse(String(time)) >= now - REPAIRED)
      await assertStored(rows, recent)
    }
    await repair()
    for (const first of [2, 0]) {
      simulator.set({ fleet: fleetWith(...records.slice(first)) })
      await repair()
    }
  })
})
