/** Two whole Node-REDs on one account, a Redis with a password, and for each test a service of its own. */
import assert from 'node:assert/strict'
import type { LogEntry, Simulator } from '../../../simulator'
import type { QuotaNode } from '../../support/quota-flow'
import { type QuotaHarness, useQuotaHarness } from '../../support/quota-harness'
import { type RedisServer, startRedis } from '../../support/redis'
import { firstRuntime, otherRuntime } from '../../support/runtimes'
import { deployShared, type LimitOfWindow, throughput } from '../../support/shared-quota'
import { until } from '../../support/wait'

const STARTING_MS = 300_000
/** Share of what could come that has to: timers are late on a busy machine; how much it really is the models show. */
export const FLOWING = 0.7
export const RUN_MS = 60_000
export const ROW: LimitOfWindow = { limit: 20, window: 1 }
export const PASSWORD = 'not-a-secret'
/** Where messages and what is told of them come, anew for each test. */
const BOXES = ['endless', 'six', 'done-six', 'errors', 'statuses']

export interface Scene {
  readonly harnesses: readonly [QuotaHarness, QuotaHarness]
  readonly redis: RedisServer
  readonly simulator: Simulator
  /** Devices that may be asked. */
  readonly remotes: readonly { serial: string; base: string }[]
  /** One round over far more devices than the limit allows. */
  endless(): QuotaNode[]
  deploy(nodes: readonly QuotaNode[], password?: string): Promise<void>
  /** Triggers a node in each of them. */
  trigger(id: string): Promise<void>
  /** Waits for so many requests in all, or more than there are. */
  untilRequests(count: number): Promise<unknown>
  more(count: number): Promise<unknown>
  log(): readonly LogEntry[]
  over(): number
  /** Share of what could have come in the next windows. */
  flowing(): Promise<number>
}

/** In a `describe`. */
export function useScene(): Scene {
  const harnesses = [useQuotaHarness(firstRuntime), useQuotaHarness(otherRuntime)] as const
  let redis: RedisServer
  let simulator: Simulator
  let remotes: { serial: string; base: string }[]

  before('starts Redis', async function () {
    this.timeout(STARTING_MS)
    redis = await startRedis({ password: PASSWORD })
  })

  after('ends Redis', async () => {
    redis?.wake()
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
    endless: () => [{ id: 'endless', action: 'latest', devices: remotes }],
    deploy: (nodes, password = PASSWORD) =>
      deployShared(harnesses, { simulator, address: redis.url, password, nodes }),
    async trigger(id) {
      for (const harness of harnesses) await harness.trigger(id)
    },
    untilRequests: untilRequests,
    more: (count) => untilRequests(log().length + count),
    log,
    over: () => log().filter((entry) => entry.over).length,
    flowing: () => throughput(simulator, ROW, 3),
  }
}
