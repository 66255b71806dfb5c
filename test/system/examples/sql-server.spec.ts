import assert from 'node:assert/strict'
import { join } from 'node:path'
import { manualClock, type Simulator, startSimulator } from '../../../simulator'
import { archiveFleet } from '../../support/archive/fleet'
import { assertArchived } from '../../support/archive/rows'
import { asksNoMore, SQL_SERVER_EXAMPLE, useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { temporaryFolder } from '../../support/run'
import { startTds, type TdsServer } from '../../support/tds'
import { until } from '../../support/wait'

const FLOW_MS = 120_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const FLOW = 'envlog-example-mssql'

describe('newest records to SQL Server, with a stand-in that speaks its protocol', () => {
  const hall = useExamples({ examples: [SQL_SERVER_EXAMPLE] })
  let simulator: Simulator
  let tds: TdsServer

  beforeEach(async () => {
    const now = Math.floor(Date.now() / MINUTE) * MINUTE - 48 * HOUR
    const fleet = archiveFleet(4, now - 2 * HOUR, now)
    simulator = await startSimulator({ clock: manualClock(now), limits: 'off', fleet })
    tds = await startTds(join(temporaryFolder('tds'), 'readings.sqlite'))
  })

  afterEach(async () => {
    await Promise.all([simulator?.close(), tds?.end()])
  })

  const rows = () =>
    tds.rows('SELECT * FROM readings ORDER BY time').catch((error: Error) => {
      // The flow has not made the table yet.
      if (/no such table/.test(error.message)) return []
      throw error
    })

  /** The last error of each node is kept where a test can see it. */
  function withCaught(flow: FlowNode[]): FlowNode[] {
    const rules = [
      { t: 'set', p: 'caught[msg.error.source.name]', pt: 'flow', to: 'error.message', tot: 'msg' },
    ]
    const id = `${FLOW}-caught`
    const keep = { id, type: 'change', z: FLOW, rules, x: 300, y: 480, wires: [] }
    return [...flow.map((node) => (node.type === 'catch' ? { ...node, wires: [[id]] } : node)), keep]
  }

  const caught = async () => JSON.stringify(await hall.json(`/context/flow/${FLOW}`))

  it('archives every record once, though it is away at the start, stopped, and stopped in a statement', async function () {
    this.timeout(FLOW_MS)
    await tds.stop()
    await hall.deployWith([SQL_SERVER_EXAMPLE], { simulator, tds }, withCaught)
    // What waits for its receipt is kept: an outage costs no quota.
    await asksNoMore(simulator)
    await until(
      'errors are caught',
      async () =>
        /create the table.*Failed to connect/.test(await caught()) && /insert new rows/.test(await caught()),
    )
    await tds.startAgain()
    await assertArchived(simulator, rows)

    await tds.stop()
    // The newest 300 of a device do not reach back over it.
    simulator.clock.advance(7 * HOUR)
    await asksNoMore(simulator)
    await tds.startAgain()
    await assertArchived(simulator, rows)
    assert.ok(simulator.counts().data.total > 0, 'the hole was filled')

    for (const where of ['before it runs', 'before the answer'] as const) {
      const release = tds.hold(where)
      simulator.clock.advance(HOUR)
      await until('a statement is held', () => tds.held() > 0)
      await tds.stop()
      release()
      await tds.startAgain()
      await assertArchived(simulator, rows)
    }
  })

  it('doubles nothing when Node-RED is killed before it hears that the records are stored', async function () {
    this.timeout(FLOW_MS)
    await hall.deploy([SQL_SERVER_EXAMPLE], { simulator, tds })
    await assertArchived(simulator, rows)

    const release = tds.hold('before the answer')
    simulator.clock.advance(HOUR)
    await until('a statement is held', () => tds.held() > 0)
    await hall.kill()
    release()
    await hall.start()
    await assertArchived(simulator, rows)
    // It goes on: their receipts were returned.
    simulator.clock.advance(HOUR)
    await assertArchived(simulator, rows)
  })
})
