import assert from 'node:assert/strict'
import { manualClock, type Simulator, startSimulator } from '../../../simulator'
import { archiveFleet } from '../../support/archive/fleet'
import { assertArchived } from '../../support/archive/rows'
import { type MariaDb, type MariaDbServer, startMariaDb } from '../../support/databases'
import { asksNoMore, MARIADB_EXAMPLE, useExamples } from '../../support/examples'
import { until } from '../../support/wait'

const STARTING_MS = 120_000
const FLOW_MS = 120_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('newest records to MariaDB', () => {
  const hall = useExamples({ examples: [MARIADB_EXAMPLE] })
  let simulator: Simulator
  let mariadb: MariaDbServer
  let blocking: MariaDb | undefined

  before('starts MariaDB', async function () {
    this.timeout(STARTING_MS)
    mariadb = await startMariaDb()
  })

  after(() => mariadb?.stop())

  afterEach(async () => {
    await unblock()
    await simulator?.close()
    await mariadb.query('DROP TABLE IF EXISTS readings')
  })

  async function simulate(devices: number, ago: number): Promise<void> {
    const now = Math.floor(Date.now() / MINUTE) * MINUTE - ago
    const fleet = archiveFleet(devices, now - 2 * HOUR, now)
    simulator = await startSimulator({ clock: manualClock(now), limits: 'off', fleet })
  }

  const rows = () =>
    mariadb.query('SELECT * FROM readings ORDER BY time').catch((error: { code?: string }) => {
      // The flow has not made the table yet.
      if (error.code === 'ER_NO_SUCH_TABLE') return []
      throw error
    })

  /** The flow's statement about the first device stops at its second row, until `unblock` or the end of the server. */
  async function blockStatement(): Promise<void> {
    blocking = await mariadb.connect()
    await blocking.query('START TRANSACTION')
    // Where the next rows of channel 2 will be; each record has one of channel 1 before it.
    await blocking.query(`SELECT time FROM readings
      WHERE base = '52A10000' AND serial = '52A10000' AND channel = 2 AND time > now() FOR UPDATE`)
  }

  async function unblock(): Promise<void> {
    await blocking?.end().catch(() => {})
    blocking = undefined
  }

  const whenBlocked = () =>
    until('a statement waits for a row', async () => {
      const [found] = await mariadb.query("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")
      return Number(found?.Value) > 0
    })

  it('archives every record once, though it is away at the start, stopped, and killed in a statement', async function () {
    this.timeout(FLOW_MS)
    await simulate(4, 2 * DAY)
    await mariadb.stop()
    await hall.deploy([MARIADB_EXAMPLE], { simulator, mariadb })
    // What waits for its receipt is kept: an outage costs no quota.
    await asksNoMore(simulator)
    await mariadb.startAgain()
    await assertArchived(simulator, rows)

    await mariadb.stop()
    // The newest 300 of a device do not reach back over it.
    simulator.clock.advance(7 * HOUR)
    await asksNoMore(simulator)
    await mariadb.startAgain()
    await assertArchived(simulator, rows)
    assert.ok(simulator.counts().data.total > 0, 'the hole was filled')

    await blockStatement()
    simulator.clock.advance(HOUR)
    await whenBlocked()
    await mariadb.stop('SIGKILL')
    await mariadb.startAgain()
    await assertArchived(simulator, rows)
  })

  it('doubles nothing when Node-RED is killed before it hears that the records are stored', async function () {
    this.timeout(FLOW_MS)
    await simulate(4, 2 * DAY)
    await hall.deploy([MARIADB_EXAMPLE], { simulator, mariadb })
    await assertArchived(simulator, rows)
    const before = (await rows()).length

    await blockStatement()
    simulator.clock.advance(HOUR)
    await whenBlocked()
    await hall.kill()
    await unblock()
    await until('they are stored', async () => (await rows()).length > before)
    await hall.start()
    await assertArchived(simulator, rows)
    // It goes on: their receipts were returned.
    simulator.clock.advance(HOUR)
    await assertArchived(simulator, rows)
  })

  it('stores the records of a week in statements that the server takes', async function () {
    this.timeout(FLOW_MS)
    await simulate(1, 10 * DAY)
    await hall.deploy([MARIADB_EXAMPLE], { simulator, mariadb })
    await assertArchived(simulator, rows)
    simulator.clock.advance(7 * DAY)
    await assertArchived(simulator, rows)
  })
})
