/** The quotas of several Node-REDs that share one account through a real Redis; the service is a model. */
import { Client } from '../../../src/lib/api/client'
import { systemClock } from '../../../src/lib/clock'
import { limitsWith } from '../../../src/lib/quota/account-limits'
import { Quota } from '../../../src/lib/quota/quota'
import { createConnector } from '../../../src/lib/shared-quota/redis-connection'
import { openSharedQuota } from '../../../src/lib/shared-quota/shared-quota'
import { createRandom } from '../../support/chance'
import { type Fate, ModelService, type ServiceRow } from '../../support/quota/model-service'
import { type OwnLimit, SETTINGS } from '../../support/quota/simulation'
import { until } from '../../support/wait'

/** Short, so that a test covers many windows. */
export const ROW: ServiceRow = { limit: 10, window: 1, kind: 'sliding', phase: 0 }
/** A window plus its margin, ms. */
export const HELD_MS = 1020
/** Latencies to the service and back, ms. */
const WAY_MS = 15
/** Requests at the same time under endless demand. */
const DEMAND = 6
export const LEASE_MS = 3000
/** Time to notice that Redis is away, or back. */
const NOTICED_MS = 20_000

const random = createRandom('members of a shared quota')

export const createService = (row = ROW) => new ModelService(systemClock, row, false)

export interface MemberOptions {
  address: string
  password?: string
  hasHeaders?: boolean
  /** The account's own limit. */
  limit?: number
  /** Limits of account nodes, instead of `limit`. */
  nodes?: readonly OwnLimit[]
}

export class Member {
  readonly quota = new Quota(systemClock)
  /** Why Redis was away, each time. */
  readonly reasons: string[] = []
  readonly #transport
  readonly #client: Client
  readonly #ending = new AbortController()
  #count = 0
  readonly leave: () => void

  constructor(
    service: ModelService,
    { address, password = '', hasHeaders = true, limit = ROW.limit, nodes }: MemberOptions,
  ) {
    const fate = (): Fate => ({
      up: random.below(WAY_MS),
      back: random.below(WAY_MS),
      ends: 'well',
      counted: true,
      hasHeaders,
    })
    this.#transport = service.transport(fate)
    const openLedger = openSharedQuota(systemClock, {
      connect: createConnector(address, password, undefined),
      account: 'an-account',
      leaseMs: LEASE_MS,
    })
    const onSharedChange = (isConnected: boolean, code?: string) => {
      if (!isConnected && code !== undefined) this.reasons.push(code)
    }
    const leaves = (nodes ?? [{ limit, window: ROW.window }]).map((current) =>
      this.quota.join({ concurrency: 4, limits: limitsWith({ current }), openLedger, onSharedChange }),
    )
    this.leave = () => {
      for (const leave of leaves) leave()
    }
    const ports = { transport: this.#transport, clock: systemClock, quota: this.quota, random: () => 0.5 }
    this.#client = new Client({ ...SETTINGS, retries: 0 }, ports)
  }

  /** When each request was sent, monotonic ms. */
  get sent(): readonly { at: number }[] {
    return this.#transport.sent
  }

  /** A single request. */
  async request(): Promise<void> {
    const context = { signal: this.#ending.signal, queueKey: 'node', maxWaitMs: null }
    await this.#client.read('current', { 'remote-serial': [`${this.#count++}`] }, context)
  }

  /** Endless demand, until stopped. */
  startDemand(): void {
    const goOn = async () => {
      while (!this.#ending.signal.aborted) await this.request().catch(() => {})
    }
    for (let count = 0; count < DEMAND; count++) void goOn()
  }

  waitUntilConnected(expected = true): Promise<unknown> {
    return until(`connected: ${expected}`, () => this.quota.counts().sharedConnected === expected, NOTICED_MS)
  }

  /** Like a deploy or a stop. */
  leaveAndStop(): void {
    this.#ending.abort()
    this.leave()
  }
}

/** The largest number of refusals within one window. */
export function mostRefusedInAWindow(service: ModelService): number {
  const times = service.refusals().map(({ at }) => at)
  const counts = times.map((from) => times.filter((at) => at >= from && at < from + ROW.window * 1000).length)
  return Math.max(0, ...counts)
}
