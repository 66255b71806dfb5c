import assert from 'node:assert/strict'
import type { Message } from '../support/collector'
import {
  ALL,
  influxLanes,
  influxNode,
  mariaDbLanes,
  mariaDbNode,
  postgresLanes,
  postgresNode,
  sqliteLanes,
  sqliteNode,
} from '../support/database-lanes'
import { type InfluxServer, startInflux, startMariaDb, startPostgres } from '../support/databases'
import {
  alertPoints,
  currentPoints,
  deviceIn,
  type FlatRow,
  newestOf,
  pointsOf,
  rowsOf,
} from '../support/expected'
import { deviceNamed, hostile, hostileFleet, hostileNames, serialOf, TIMELESS } from '../support/hostile'
import { lane, useNodeRed } from '../support/lanes'
import { assertSame } from '../support/same'
import { until } from '../support/wait'

const STARTING_MS = 300_000
const ANSWER_MS = 30_000

/** Half a surrogate pair; no text of PostgreSQL can hold it, nor a NUL. */
const HALF = '\ud83d'
/** By serial. */
const ODD: Record<string, string> = { '52D10001': 'a\0b', '52D10002': `a${HALF}b` }
const odd = Object.keys(ODD)

const titles = { sqlite: 'SQLite', postgres: 'PostgreSQL', mariadb: 'MariaDB' }

describe('rows in databases', () => {
  const hall = useNodeRed()

  before('starts PostgreSQL and MariaDB and makes the tables', async function () {
    this.timeout(STARTING_MS)
    const [postgres, mariadb] = await Promise.all([startPostgres(), startMariaDb()])
    for (const server of [postgres, mariadb]) hall.endLater(server)
    const config = [sqliteNode(hall.nodeRed.userDir), postgresNode(postgres), mariaDbNode(mariadb)]
    const lanes = [...sqliteLanes(odd), ...postgresLanes(odd), ...mariaDbLanes(odd)]
    await hall.deploy([lane('everybody', 'current', {}), ...lanes], config)
    await until('MariaDB is connected', () => hall.ask('mariadb-table').then(() => true, isNotConnected))
    await Promise.all([hall.ask('sqlite-table'), hall.ask('postgres-table')])
  })

  for (const [name, title] of Object.entries(titles)) {
    it(`go into ${title} with one statement, whatever the names, and nothing doubles`, async function () {
      this.timeout(ANSWER_MS)
      const { truth } = hall.simulator
      const devices = truth.devices()
      const rows = devices.flatMap((device) => rowsOf(device, newestOf(truth, device)))
      const expected = rows.filter(({ time }) => time !== undefined)
      assert.ok(expected.length > devices.length)
      for (let times = 0; times < 2; times++) {
        await hall.ask(`${name}-device`, devices.length)
        assertSame(await stored(name), expected)
      }
      // The newest of all devices in one message: nothing that is not there.
      await hall.ask(`${name}-all`)
      assertSame(await stored(name), expected)
    })

    it(`go into ${title} with a NUL or half a character in a name, replaced`, async function () {
      this.timeout(ANSWER_MS)
      const { simulator } = hall
      const named = odd.map((serial) => deviceNamed(String(ODD[serial]), serial))
      simulator.set({ fleet: [...hostileFleet(), ...named] })
      try {
        // An answer about all devices makes those known that are new.
        await hall.ask('everybody')
        const devices = odd.map((serial) => deviceIn(simulator.truth, serial))
        const rows = devices.flatMap((device) => rowsOf(device, newestOf(simulator.truth, device)))
        for (const serial of odd) await hall.ask(`${name}-${serial}`)
        const found = (await stored(name)).filter(({ serial }) => odd.includes(String(serial)))
        assertSame(found, rows.map(replaced))
      } finally {
        simulator.set({ fleet: hostileFleet() })
        await hall.ask('everybody')
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
    const [msg] = await hall.ask(`${name}-read`)
    const rows: Message[] = msg?.payload.rows ?? msg?.payload
    return rows.map((row) => said(row) as FlatRow)
  }
})

describe('points in InfluxDB', () => {
  const hall = useNodeRed()
  let influx: InfluxServer

  before('starts InfluxDB', async function () {
    this.timeout(STARTING_MS)
    influx = await startInflux()
    hall.endLater(influx)
    await hall.deploy(influxLanes([TIMELESS, ...hostileNames.map(serialOf)]), [influxNode(influx)])
  })

  it('are the same numbers at the same instants, once, and none without a time', () => checkPoints(TIMELESS))

  for (const name of hostileNames) {
    it(`keep the name ${JSON.stringify(hostile[name])} in tags`, () => checkPoints(serialOf(name)))

    it(`keep the alert text ${JSON.stringify(hostile[name])}`, async () => {
      const { truth } = hall.simulator
      const device = deviceIn(truth, serialOf(name))
      await hall.ask(`alerts-${device.serial}`)
      const rows = await influx.query(`SELECT * FROM envlog_alerts WHERE serial = '${device.serial}'`)
      const found = rows.map(({ time, text, kind: _, ...tags }) => ({ tags: said(tags), text, time }))
      assertSame(found, alertPoints(device, truth.alerts(device.serial)))
    })
  }

  it('go in for all devices together, whatever the names', async () => {
    await hall.ask('points')
    const rows = await influx.query(`SELECT * FROM "${ALL}"`)
    assertSame(
      rows.map((row) => pointOf(row, ALL)),
      currentPoints(hall.simulator.truth, ALL),
    )
  })

  async function checkPoints(serial: string): Promise<void> {
    const { truth } = hall.simulator
    const device = deviceIn(truth, serial)
    for (let times = 0; times < 2; times++) {
      await hall.ask(`points-${serial}`)
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
