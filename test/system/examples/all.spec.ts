import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type EndpointName, type Simulator, startSimulator } from '../../../simulator'
import { openSqlite } from '../../support/archive/sqlite'
import { type Broker, startBroker } from '../../support/broker'
import { type Chat, startChat } from '../../support/chat'
import {
  type InfluxServer,
  type MariaDbServer,
  type PostgresServer,
  startInflux,
  startMariaDb,
  startPostgres,
} from '../../support/databases'
import { exampleNames, functionModules, neededBy, readExample, useExamples } from '../../support/examples'
import { type MailServer, startMailServer } from '../../support/mail'
import { packageJson } from '../../support/package'
import { isInPalette } from '../../support/palette'
import { temporaryFolder } from '../../support/run'
import { freePort } from '../../support/server-process'
import { startTds, type TdsServer } from '../../support/tds'
import { until } from '../../support/wait'

const STARTING_MS = 120_000
const RUN_MS = 90_000

/** Short, and few enough that all of the examples together use them up. */
const LIMITS: Record<EndpointName, { limit: number; window: number }> = {
  current: { limit: 3, window: 2 },
  'latest-data': { limit: 8, window: 2 },
  'latest-data-relay': { limit: 6, window: 2 },
  data: { limit: 3, window: 2 },
  'data-relay': { limit: 2, window: 2 },
  alert: { limit: 5, window: 2 },
}

/** But for those that need much to be installed: they have long tests. */
const here = exampleNames.filter((name) => !isInPalette(neededBy(name) ?? '', 'opcua'))

describe('the examples together', () => {
  const hall = useExamples({ speed: 1, examples: here })
  let simulator: Simulator
  let broker: Broker
  let chat: Chat
  let mail: MailServer
  let postgres: PostgresServer
  let mariadb: MariaDbServer
  let tds: TdsServer
  let influx: InfluxServer

  before('starts all that they write to', async function () {
    this.timeout(STARTING_MS)
    simulator = await startSimulator({ limits: LIMITS, windowPhase: 0.7 })
    ;[broker, chat, mail, postgres, mariadb, tds, influx] = await Promise.all([
      startBroker(),
      startChat(),
      startMailServer(),
      startPostgres(),
      startMariaDb(),
      startTds(join(temporaryFolder('tds'), 'readings.sqlite')),
      startInflux(),
    ])
  })

  after('ends it', async () => {
    await Promise.all([simulator?.close(), broker?.close(), chat?.close(), mail?.close()])
    await Promise.all([postgres?.stop(), mariadb?.stop(), tds?.end(), influx?.stop()])
  })

  it('are listed by the import dialog and are what it gets', async () => {
    const address = `/library/examples/flows/${packageJson.name}`
    for (const name of exampleNames) {
      const path = name.split('/').map(encodeURIComponent).join('/')
      assert.deepEqual(await hall.json(`${address}/${path}`), readExample(name), name)
    }
  })

  it('need the packages that their folders name, and no other', async () => {
    const modules = await hall.json<{ module: string; types: string[] }[]>('/nodes')
    const moduleOf = new Map(modules.flatMap(({ module, types }) => types.map((type) => [type, module])))
    const workspace = ['tab', 'group', 'junction']
    for (const name of here) {
      const flow = readExample(name)
      const types = flow.map(({ type }) => type).filter((type) => !workspace.includes(type))
      const used = [...types.map((type) => moduleOf.get(type)), ...functionModules(flow)]
      const others = new Set(used.filter((module) => module !== 'node-red' && module !== packageJson.name))
      const needed = neededBy(name)
      assert.deepEqual([...others], needed ? [needed] : [], name)
    }
  })

  it('stay within the quota of one account, and all get what they want', async function () {
    this.timeout(RUN_MS)
    const sqlite = join(hall.userDir, 'together.sqlite')
    const { received, end } = await broker.subscribe('envlog/#', 'homeassistant/#', 'spBv1.0/#')
    const databases = { postgres, mariadb, tds, influx, sqlite }
    const modbus = await freePort()
    const surroundings = { simulator, broker: broker.node, chat, mail, modbus, ...databases }
    await hall.deploy(here, surroundings)
    for (const button of ['write it', 'every night at 2', 'at 8']) await hall.press(button)
    const counts = () => Object.entries(simulator.counts())
    const few = () => counts().filter(([name, { total }]) => total <= LIMITS[name as EndpointName].limit)
    await until('all limits are used up', () => few().length === 0, RUN_MS / 2).catch(() => {
      assert.deepEqual(few(), [])
    })

    const database = await openSqlite(sqlite)
    try {
      const tables = { SQLite: database.rows, MariaDB: mariadb.query, 'the stand-in of SQL Server': tds.rows }
      for (const [name, ask] of Object.entries(tables)) {
        const rows = async () => Number((await ask('SELECT count(*) AS n FROM readings'))[0]?.n)
        await until(`records are in ${name}`, async () => (await rows()) > 300)
      }
    } finally {
      await database.close()
    }
    await until(
      'points are in InfluxDB',
      async () => (await influx.query('SELECT * FROM envlog')).length > 300,
    )
    await until('MQTT has states, sensors and births', () =>
      ['envlog/', 'homeassistant/', 'spBv1.0/Factory/DBIRTH/'].every((start) =>
        received.some(({ topic }) => topic.startsWith(start)),
      ),
    )
    for (const path of ['metrics', 'envlog/readings'])
      await until(`${path} are there`, async () => (await fetch(`${hall.url()}/${path}`)).status === 200)
    await until('somebody is told', () => chat.texts.some((text) => text.includes('has been silent since')))
    const files = readdirSync(hall.userDir)
    for (const pattern of [
      /^envlog-modbus\.csv$/,
      /^envlog-\d{4}-\d\d\.csv$/,
      /^envlog-\d{4}-\d\d-\d\d\.csv$/,
      /^freezer-checks-/,
    ]) {
      assert.ok(
        files.some((file) => pattern.test(file)),
        String(pattern),
      )
    }
    assert.ok(existsSync(sqlite))
    await end()

    for (const [name, { over, refused }] of counts())
      assert.deepEqual({ over, refused }, { over: 0, refused: 0 }, name)
  })
})
