import assert from 'node:assert/strict'
import {
  ALL,
  influxChains,
  influxNode,
  mariaDbChains,
  mariaDbNode,
  postgresChains,
  postgresNode,
  sqliteChains,
  sqliteNode,
} from '../support/database-chains'
import { type InfluxServer, startInflux, startMariaDb, startPostgres } from '../support/databases'
import {
  alertPoints,
  currentPoints,
  deviceIn,
  expectedRows,
  type FlatRow,
  newestOf,
  pointsOf,
} from '../support/expected'
import { chain, useNodeRed } from '../support/flow-harness'
import type { Message } from '../support/flow-types'
import { deviceNamed, hostile, hostileFleet, hostileNames, serialOf, TIMELESS } from '../support/hostile'
import { assertSame } from '../support/same'
import { until } from '../support/wait'

const STARTING_MS = 300_000
const ANSWER_MS = 30_000

/** Half a surrogate pair; PostgreSQL can store neither that nor NUL. */
const HALF = '\ud83d'
/** By serial. */
const ODD: Record<string, string> = { '52D10001': 'a\0b', '52D10002': `a${HALF}b` }
const odd = Object.keys(ODD)

const titles = { sqlite: 'SQLite', postgres: 'PostgreSQL', mariadb: 'MariaDB' }

const ROW_NODES = ['node-red-contrib-postgrestor-next', 'node-red-node-mysql', 'node-red-node-sqlite']

describe('rows in databases', () => {
  const harness = useNodeRed(ROW_NODES)

  before('starts PostgreSQL and MariaDB and makes the tables', async function () {
    this.timeout(STARTING_MS)
    const [postgres, mariadb] = await Promise.all([startPostgres(), startMariaDb()])
    for (const server of [postgres, mariadb]) harness.stopAfterwards(server)
    const config = [sqliteNode(harness.nodeRed.userDir), postgresNode(postgres), mariaDbNode(mariadb)]
    const chains = [...sqliteChains(odd), ...postgresChains(odd), ...mariaDbChains(odd)]
    await harness.deploy([chain('everybody', 'current', {}), ...chains], config)
    await until('MariaDB is connected', () => harness.run('mariadb-table').then(() => true, isNotConnected))
    await Promise.all([harness.run('sqlite-table'), harness.run('postgres-table')])
  })

  for (const [name, title] of Object.entries(titles)) {
    it(`go into ${title} with one statement, whatever the names, and nothing doubles`, async function () {
      this.timeout(ANSWER_MS)
      const { truth } = harness.simulator
      const devices = truth.devices()
      const rows = devices.flatMap((device) => expectedRows(device, newestOf(truth, device)))
      const expected = rows.filter(({ time }) => time !== undefined)
      assert.ok(expected.length > devices.length)
      for (let times = 0; times < 2; times++) {
        await harness.run(`${name}-device`, devices.length)
        assertSame(await stored(name), expected)
      }
      // The newest row of all devices in one message adds nothing.
      await harness.run(`${name}-all`)
      assertSame(await stored(name), expected)
    })

    it(`are stored in ${title} with NUL and half surrogate pairs in names replaced`, async function () {
      this.timeout(ANSWER_MS)
      const { simulator } = harness
      const named = odd.map((serial) => deviceNamed(String(ODD[serial]), serial))
      simulator.set({ fleet: [...hostileFleet(), ...named] })
      try {
        // An answer about all devices updates the directory with new ones.
        await harness.run('everybody')
        const devices = odd.map((serial) => deviceIn(simulator.truth, serial))
        const rows = devices.flatMap((device) => expectedRows(device, newestOf(simulator.truth, device)))
        for (const serial of odd) await harness.run(`${name}-${serial}`)
        const found = (await stored(name)).filter(({ serial }) => odd.includes(String(serial)))
        assertSame(found, rows.map(replaced))
      } finally {
        simulator.set({ fleet: hostileFleet() })
        await harness.run('everybody')
      }
    })
  }

  /** The node connects by itself, and takes no statement before. */
  function isNotConnected(error: Error): false {
    if (/not connected/.test(error.message)) return false
    throw error
  }

  /** What the table holds, without what is null. */
  async function stored(name: string): Promise<FlatRow[]> {
    const [msg] = await harness.run(`${name}-read`)
    const rows: Message[] = msg?.payload.rows ?? msg?.payload
    return rows.map((row) => said(row) as FlatRow)
  }
})

describe('points in InfluxDB', () => {
  const harness = useNodeRed(['node-red-contrib-influxdb'])
  let influx: InfluxServer

  before('starts InfluxDB', async function () {
    this.timeout(STARTING_MS)
    influx = await startInflux()
    harness.stopAfterwards(influx)
    await harness.deploy(influxChains([TIMELESS, ...hostileNames.map(serialOf)]), [influxNode(influx)])
  })

  it('have the same numbers and times, once each, and none without a time', () => checkPoints(TIMELESS))

  for (const name of hostileNames) {
    it(`keep the name ${JSON.stringify(hostile[name])} in tags`, () => checkPoints(serialOf(name)))

    it(`keep the alert text ${JSON.stringify(hostile[name])}`, async () => {
      const { truth } = harness.simulator
      const device = deviceIn(truth, serialOf(name))
      await harness.run(`alerts-${device.serial}`)
      const rows = await influx.query(`SELECT * FROM envlog_alerts WHERE serial = '${device.serial}'`)
      const found = rows.map(({ time, text, kind: _, ...tags }) => ({ tags: said(tags), text, time }))
      assertSame(found, alertPoints(device, truth.alerts(device.serial)))
    })
  }

  it('can be written for all devices together, with any names', async () => {
    await harness.run('points')
    const rows = await influx.query(`SELECT * FROM "${ALL}"`)
    assertSame(
      rows.map((row) => pointOf(row, ALL)),
      currentPoints(harness.simulator.truth, ALL),
    )
  })

  async function checkPoints(serial: string): Promise<void> {
    const { truth } = harness.simulator
    const device = deviceIn(truth, serial)
    for (let times = 0; times < 2; times++) {
      await harness.run(`points-${serial}`)
      const rows = await influx.query(`SELECT * FROM envlog WHERE serial = '${serial}'`)
      assertSame(
        rows.map((row) => pointOf(row)),
        pointsOf(device, newestOf(truth, device)),
      )
    }
  }
})

function pointOf({ time, ...row }: Message, measurement = 'envlog') {
  const [fields, tags] = [true, false].map((wanted) => {
    const entries = Object.entries(said(row)).filter(([key]) => /^ch\d$/.test(key) === wanted)
    return Object.fromEntries(entries)
  })
  return { measurement, tags, fields, timestamp: new Date(time).toISOString() }
}

function said(row: Message): Message {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
}

function replaced(row: FlatRow): FlatRow {
  const entries = Object.entries(row).map(([key, value]) => [
    key,
    typeof value === 'string' ? value.replaceAll('\0', '\ufffd').replaceAll(HALF, '\ufffd') : value,
  ])
  return Object.fromEntries(entries)
}
