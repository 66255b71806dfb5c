/** Whole flows as somebody would import them (`test/fixtures/flows`), filled in for the machine they run on. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Simulator } from '../../simulator'
import type { FlowNode } from './node-red'
import { root } from './package'
import { until } from './wait'

const folder = join(root, 'test', 'fixtures', 'flows')
const POLLED_MS = 20_000

export function readFlow(name: string): FlowNode[] {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
}

interface Surroundings {
  simulator: Simulator
  /** MQTT broker: `host`, `port` */
  broker?: FlowNode
  chat?: { url: string }
  database?: string
}

/** As the file says, but for addresses, secrets, and how long one would have to wait. */
export function filledIn(name: string, surroundings: Surroundings): FlowNode[] {
  const { simulator, broker, chat, database } = surroundings
  const { apiKey, loginId, loginPass } = simulator.account
  const account = { baseUrl: simulator.url, retries: 0, credentials: { apiKey, loginId, loginPass } }
  const filling: Record<string, object | undefined> = {
    'envlog-account': account,
    'mqtt-broker': broker && { broker: broker.broker, port: broker.port },
    'http request': chat,
    sqlitedb: database === undefined ? undefined : { db: database },
    // In the log, for whoever looks for the reason.
    debug: { console: true },
    'envlog-current': { repeat: 1 },
    'envlog-latest': { repeat: 1, ackTimeout: 2 },
  }
  return readFlow(name).map((node) => ({ ...node, ...filling[node.type] }))
}

/** So many rounds from now on, each with all that came of it. */
export async function rounds(simulator: Simulator, count: number): Promise<void> {
  const asked = () => simulator.counts().current.total + simulator.counts()['latest-data'].total
  // The one after the last says that the last is done with.
  const end = asked() + count + 1
  await until(`${count} rounds`, () => asked() >= end, POLLED_MS)
}

/** Nobody has to write code for it. */
export function assertWithoutCode(name: string): void {
  const types = new Set(readFlow(name).map(({ type }) => type))
  for (const type of ['function', 'exec', 'unknown']) assert.ok(!types.has(type), `${name}: ${type}`)
  assert.ok(types.has('comment'), `${name} explains itself`)
  assert.ok(types.has('catch'), `${name}: failures are seen`)
}
