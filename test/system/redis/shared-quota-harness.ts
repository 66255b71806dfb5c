/** Two complete Node-REDs on one account, a Redis with a password, and a service for each test. */
import assert from 'node:assert/strict'
import type { LogEntry, Simulator } from '../../../simulator'
import type { QuotaNode } from '../../support/quota-flow'
import { firstRuntime, otherRuntime } from '../../support/runtimes'
import { until } from '../../support/wait'
import { type QuotaHarness, useQuotaHarness } from './quota-harness'
import { type RedisServer, startRedis } from './redis-server'
import { deployShared, type LimitOfWindow, throughput } from './shared-quota'

const STARTING_MS = 300_000
/**
 * Required share of the possible requests; low, because timers are late on a busy machine. The models measure it
 * exactly.
 */
export const MIN_THROUGHPUT = 0.5
export const RUN_MS = 60_000
export const ROW: LimitOfWindow = { limit: 20, window: 1 }
export const PASSWORD = 'not-a-secret'
/** Boxes of the collector, cleared for each test. */
const BOXES = ['endless', 'six', 'done-six', 'errors', 'statuses']

export interface SharedQuotaHarness {
  readonly harnesses: readonly [QuotaHarness, QuotaHarness]
  readonly redis: RedisServer
  readonly simulator: Simulator
  /** Devices that can be requested. */
  readonly remotes: readonly { serial: string; base: string }[]
  /** One round over far more devices than the limit allows. */
  longRound(): QuotaNode[]
  deploy(nodes: readonly QuotaNode[], password?: string): Promise<void>
  /** Triggers a node in each of them. */
  trigger(id: string): Promise<void>
  /** Waits for a total number of requests. */
  untilRequests(count: number): Promise<unknown>
  more(count: number): Promise<unknown>
  log(): readonly LogEntry[]
  over(): number
  /** Share of the possible requests in the next windows. */
  throughput(): Promise<number>
}

/** Call this in a `describe`. */
export function useSharedQuotaHarness(): SharedQuotaHarness {
  const harnesses = [useQuotaHarness(firstRuntime), useQuotaHarness(otherRuntime)] as const
  let redis: RedisServer
  let simulator: Simulator
  let remotes: { serial: string; base: string }[]

  before('starts Redis', async function () {
    this.timeout(STARTING_MS)
    redis = await startRedis({ password: PASSWORD })
  })

  after('ends Redis', async () => {
    await redis?.end('SIGKILL')
  })

  beforeEach('starts a service', async () => {
    const limits = { 'latest-data-relay': ROW }
    simulator = await harnesses[0].simulate({ devices: 600, limits, windows: 'sliding', logSize: 10_000 })
    remotes = simulator.truth
      .devices()
      .filter(({ endpoints }) => endpoints.includes('latest-data-relay'))
      .map(({ serial, base }) => ({ serial, base }))
    assert.ok(remotes.length > 300)
    for (const { collector } of harnesses) for (const name of BOXES) collector.box(name).length = 0
  })

  const log = () => simulator.log
  const untilRequests = (count: number) => until(`${count} requests`, () => log().length >= count)
  return {
    harnesses,
    get redis() {
      return redis
    },
    get simulator() {
      return simulator
    },
    get remotes() {
      return remotes
    },
    longRound: () => [{ id: 'endless', action: 'latest', devices: remotes }],
    deploy: (nodes, password = PASSWORD) =>
      deployShared(harnesses, { simulator, address: redis.url, password, nodes }),
    async trigger(id) {
      for (const runtime of harnesses) await runtime.trigger(id)
    },
    untilRequests,
    more: (count) => untilRequests(log().length + count),
    log,
    over: () => log().filter((entry) => entry.over).length,
    throughput: () => throughput(simulator, ROW, 3),
  }
}
