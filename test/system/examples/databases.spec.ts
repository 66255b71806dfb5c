import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { neededBy, stopsRequesting, useExamples } from '../../support/examples'
import { deviceIn, expectedRows, type FlatRow, pointsOf } from '../../support/expected'
import {
  deviceNamed,
  GROWING,
  HOSTILE_NOW,
  hostile,
  hostileNames,
  REMOTE,
  serialOf,
  TIMELESS,
} from '../../support/hostile'
import { stored } from '../../support/outputs'
import { isInPalette } from '../../support/palette'
import { assertSame } from '../../support/same'
import { until } from '../../support/wait'
import { type Database, databases } from './databases'

const STARTING_MS = 120_000
const FLOW_MS = 120_000
const DAY = 86_400_000
/** Longer than the newest 300 records reach back, and more rows than one statement of MariaDB allows. */
const OUTAGE = 8 * DAY

const REPAIR = 'SQLite - needs node-red-node-sqlite/repair of the last days'
/** As in the flow. */
const REPAIRED = 7 * DAY

const fleet: DeviceDefinition[] = [
  { serial: GROWING, name: 'Growing', records: { interval: 60, from: HOSTILE_NOW / 1000 - 3600 } },
  {
    serial: TIMELESS,
    name: 'a\0b and half a \ud83d pair',
    records: [
      { unixtime: 0, id: 1, values: { 1: 1.5 } },
      { unixtime: HOSTILE_NOW / 1000 - 60, id: 2, values: { 1: 2.5 } },
    ],
  },
  { ...deviceNamed(hostile.wide, REMOTE), base: { serial: '5F0A1001', name: hostile.html } },
  ...hostileNames.map((name) => deviceNamed(hostile[name], serialOf(name))),
]

describe('examples to databases', () => {
  const examples = databases.map(({ example }) => example)
  const hall = useExamples({ examples: examples.filter((name) => isInPalette(String(neededBy(name)))) })
  let simulator: Simulator
  let database: Database | undefined

  beforeEach(async () => {
    simulator = await startSimulator({
      clock: manualClock(HOSTILE_NOW),
      limits: 'off',
      fleet,
      logSize: 100_000,
    })
  })

  afterEach(async function () {
    this.timeout(FLOW_MS)
    await database?.end()
    database = undefined
    await simulator?.close()
  })

  const records = (serial: string) => {
    const { base, standalone } = deviceIn(simulator.truth, serial)
    return simulator.truth.records(serial, standalone ? undefined : base).filter(({ time }) => time !== 0)
  }

  /** All records that the service has, in the form of the database. */
  const expected: Record<Database['form'], () => FlatRow[]> = {
    rows: () =>
      simulator.truth
        .devices()
        .flatMap((device) => expectedRows(device, records(device.serial)))
        .map(
          (row) =>
            Object.fromEntries(
              Object.entries({ ...row, dataid: row.dataid ?? 0 }).map(([key, value]) => [
                key,
                typeof value === 'string' ? stored(value) : value,
              ]),
            ) as FlatRow,
        ),
    points: () =>
      simulator.truth.devices().flatMap((device) =>
        pointsOf(device, records(device.serial)).map(({ tags, fields, timestamp }) => ({
          ...tags,
          ...fields,
          time: timestamp,
        })),
      ),
  }

  async function assertStored({ form, rows }: Database): Promise<void> {
    const wanted = expected[form]()
    await until('everything is stored', async () => (await rows()).length >= wanted.length).catch(() => {})
    assertSame(await rows(), wanted)
  }

  for (const { title, example, start } of databases)
    it(`archive every record in ${title} once, with any names, despite an outage and a crash`, async function () {
      this.timeout(STARTING_MS + FLOW_MS)
      const here = await start(hall.userDir)
      database = here
      await hall.deployWith([example], { simulator, more: here.nodes }, here.adapt ?? ((flow) => flow))
      await assertStored(here)

      await hall.kill()
      await here.stop()
      simulator.clock.advance(OUTAGE)
      // Records that wait for their receipt are kept: an outage costs no quota.
      await Promise.all([stopsRequesting(simulator, GROWING), hall.start()])
      await here.startAgain()
      await assertStored(here)
      assert.ok(simulator.counts().data.total > 0, 'the hole was filled')
    })

  it('store in SQLite the records of the last days that arrived late, and nothing twice', async function () {
    this.timeout(FLOW_MS)
    const [sqlite] = databases
    // Data stored by the other test.
    rmSync(join(hall.userDir, 'readings.sqlite'), { force: true })
    const here = await (sqlite as NonNullable<typeof sqlite>).start(hall.userDir)
    database = here
    // Node-RED's clock determines the last days.
    const now = Math.floor(Date.now() / DAY) * DAY
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
    await hall.deployWith([REPAIR], { simulator, more: here.nodes }, (flow) => flow)
    const since = now - REPAIRED
    const recent = () => expected.rows().filter(({ time }) => Date.parse(String(time)) >= since)
    const repair = async () => {
      await hall.press('every night at 3')
      const isStored = async () => (await here.rows()).length >= recent().length
      await until('everything is stored', isStored).catch(() => {})
      assertSame(await here.rows(), recent())
    }
    await repair()
    for (const first of [2, 0]) {
      simulator.set({ fleet: fleetWith(...records.slice(first)) })
      await repair()
    }
  })
})
