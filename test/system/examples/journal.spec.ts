import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { paletteFolder } from '../../support/palette'
import { until } from '../../support/wait'
import { FREEZER, ON_DEMAND, useColdStore, withRounds } from './cold-store'

const FLOW_MS = 180_000

const JOURNAL = 'SQLite - needs node-red-node-sqlite/alarm journal'
const NOTE = '=door "repaired",\nclosed'
const BY = { by: 'night shift', note: NOTE }

interface Row {
  id: string
  began: string
  ended: string | null
  limitname: string | null
  condition: string | null
  state: string
  extreme: number | null
  acknowledgedby: string | null
  [column: string]: unknown
}

/** Adds buttons for commands. */
const withCommands = (commands: Record<string, object>) => (flow: FlowNode[]) => {
  const events = flow.find(({ name }) => name === 'events') as FlowNode
  const buttons = Object.entries(commands).map(([name, command]) => ({
    id: `test-${name}`,
    type: 'inject',
    name,
    z: events.z,
    x: 0,
    y: 0,
    props: [{ p: 'envlog', v: JSON.stringify(command), vt: 'json' }],
    wires: [[events.id]],
  }))
  return withRounds([...flow, ...buttons])
}

describe('the example with an alarm journal', () => {
  // Faster, a slow disk would count as one that fails, and events are sent before they are saved.
  const speed = 1
  const harness = useExamples({ speed, examples: [JOURNAL] })
  const store = useColdStore(harness, speed)
  let end: (() => Promise<unknown>) | undefined

  afterEach(() => end?.())

  /** An empty database, and what a statement returns. */
  async function database() {
    const load = createRequire(join(await paletteFolder(), 'package.json'))
    const { Database } = load('sqlite3')
    const file = join(harness.nodeRed.userDir, 'alarm-journal.sqlite')
    rmSync(file, { force: true })
    const connection = new Database(file)
    connection.configure('busyTimeout', 30_000)
    end = () => new Promise((resolve) => connection.close(resolve))
    return (sql = 'SELECT * FROM alarms ORDER BY began, id') =>
      new Promise<Row[]>((resolve, reject) =>
        connection.all(sql, (error: Error | null, rows: Row[]) => (error ? reject(error) : resolve(rows))),
      )
  }

  /** The cells of the file, without the header. */
  const cells = () => {
    const [head, ...lines] = readFileSync(join(harness.nodeRed.userDir, 'alarm-journal.csv'), 'utf8')
      .replace(/\r\n$/, '')
      .split('\r\n')
    return { head, lines }
  }

  it('stores each alarm in one row, with who acknowledged it, once, also after an outage and a kill', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    const query = await database()
    const rows = () => query().catch(() => [])
    const commands = { acknowledge: { acknowledge: true, ...BY }, mute: { mute: 30, by: 'night shift' } }
    const more = { ...ON_DEMAND, 'envlog-limits': { silentAfter: 300 } }
    await harness.deploy([JOURNAL], { simulator, more }, withCommands(commands))
    await minutes(2)
    simulator.begin({ serial: FREEZER, kind: 'door' })
    await minutes(4)
    await until('the alarm is stored', async () => (await rows()).length === 1)
    const [alarm] = await rows()
    assert.ok(alarm)
    const { id, began, ended, limitname, condition, threshold, unit, state, name, serial, channel } = alarm
    assert.deepEqual(
      { ended, limitname, condition, threshold, unit, state, name, serial, channel },
      {
        ended: null,
        limitname: 'critical',
        condition: 'above',
        threshold: -5,
        unit: '°C',
        state: 'alarm',
        name: 'Freezer',
        serial: FREEZER,
        channel: 1,
      },
    )
    assert.ok(id.endsWith(`/critical/${began}`), id)
    // The other limit of the freezer is exceeded, too.
    const stored = async () => (await rows()).find((row) => row.id === id)
    await harness.press('acknowledge')
    await until(
      'who acknowledged it is stored',
      async () => (await stored())?.acknowledgedby === 'night shift',
    )
    simulator.end({ serial: FREEZER, kind: 'door' })
    await until('all alarms are over', async () => {
      await minutes(1)
      return (await rows()).every(({ ended }) => ended !== null)
    })
    const over = await stored()
    assert.equal(over?.state, 'normal')
    assert.ok(Number(over?.extreme) > -5, String(over?.extreme))
    assert.equal(over?.note, '=door "repaired", closed')
    await harness.press('mute')
    await until('the mute is stored', async () => (await rows()).some((row) => row.state === 'muted'))

    // What the database has lost is there again after a start.
    const before = await rows()
    await harness.nodeRed.stop('SIGKILL')
    await query(`DELETE FROM alarms WHERE id = '${id}'`)
    await harness.nodeRed.start()
    const withoutSeen = (all: Row[]) => all.map(({ seen: _, ...row }) => row)
    await until('the alarm is stored again', async () => (await rows()).length === before.length)
    assert.deepEqual(withoutSeen(await rows()), withoutSeen(before))
  })

  it('writes a file that a spreadsheet reads, with headings and numbers of two languages', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    const query = await database()
    const commands = { acknowledge: { acknowledge: true, ...BY } }
    const deploy = (language: string, decimal: string) =>
      harness.deploy([JOURNAL], { simulator, more: ON_DEMAND }, (flow) =>
        withCommands(commands)(flow).map((node) => {
          if (node.name !== 'settings') return node
          const [first, second, ...others] = node.rules as object[]
          return { ...node, rules: [{ ...first, to: language }, { ...second, to: decimal }, ...others] }
        }),
      )
    const written = (count: number) =>
      until('the file is written', () => {
        try {
          return cells().lines.length === count && cells()
        } catch {
          return false
        }
      })
    await deploy('en', '.')
    simulator.begin({ serial: FREEZER, kind: 'door' })
    await minutes(4)
    await until('the alarm is stored', async () => (await query().catch(() => [])).length === 1)
    await harness.press('acknowledge')
    await until('it is in the file', () => {
      try {
        return cells().lines[0]?.includes('night shift')
      } catch {
        return false
      }
    })
    const { head, lines } = await written(1)
    assert.equal(
      head,
      '\ufeffBegin,End,Minutes,Device,Serial number,Base unit,Channel,Label,Limit,Condition,Threshold,Extreme,Unit,State,Acknowledged,By,Note,Corrected,Detail',
    )
    assert.match(
      String(lines[0]),
      /^\d{4}-\d\d-\d\d \d\d:\d\d:00,,\d,Freezer,52A10001,52A10001,1,Inside,critical,above,-5,-[\d.]+,°C,lasts,\d{4}-\d\d-\d\d [\d:]{8},night shift,"'=door ""repaired"", closed",,$/,
    )

    // An alarm that ended without an event is not said to last.
    await query("UPDATE alarms SET seen = '2020-01-01T00:00:00.000Z', id = 'gone', serial = '5214E001'")
    await deploy('ja', ',')
    const japanese = await until('both are in the file', () => cells().lines.length === 2 && cells())
    assert.match(String(japanese.head), /^\ufeff開始;終了;分;機器;.*;訂正;詳細$/)
    assert.deepEqual(
      japanese.lines
        .map((line) => line.split(';'))
        .map(([, , , name, serial, , , , , kind, , extreme, , state]) => {
          assert.match(String(extreme), /^-\d+(?:,\d+)?$/)
          return [name, serial, kind, state]
        }),
      [
        ['Freezer', FREEZER, '上限超過', '継続中'],
        ['Freezer', "'5214E001", '上限超過', '判定終了'],
      ],
    )
  })
})
