import { randomUUID } from 'node:crypto'
import { inBackground } from '../background'
import type { Clock } from '../clock'
import type { Denied, Ledger, LedgerProcess, Need, OpenLedger, SharedUse } from '../quota/ledger'
import type { Entry } from '../quota/window'
import { CALL_TIMEOUT_MS, REPORT, RESERVE, SETTLE } from './redis-scripts'

/** Opening a connection may take longer than a call. */
const OPENING_TIMEOUT_MS = 5000
/** Interval of reports while Redis is connected, and of attempts to connect while it is away. */
const REPORT_MS = 10_000
const RETRY_MS = 1000
/** Consecutive failures before another connection is opened, because the current one may have stopped responding. */
const MAX_FAILURES = 2
/** The reason if Redis responds but has lost its data. */
const DATA_LOST = 'DATA_LOST'
/** If Redis loses its data again within this time, it counts as away. */
const LOST_AGAIN_MS = 5000

/** A connection to Redis or Valkey. */
export interface Connection {
  /** @throws an error whose `code` is the reason in one word, if known */
  run(script: string, keys: string[], argument: string): Promise<unknown>
  /** Whether it was opened recently and is not usable yet. */
  isOpening(): boolean
  end(): void
}

/** An account's access to the Redis that shares its quota. */
export interface RedisPort {
  connect(): Connection
  /** Identifies the account in Redis by a hash, which does not reveal its secrets. */
  account: string
  /** Maximum time of a request in flight, after which its process counts as dead. */
  leaseMs: number
}

/**
 * The quota that several processes share through Redis (docs/shared-quota.md). The quota for each request is reserved
 * and settled in Redis. Every few seconds the process reports all its usage that still counts. Each entry has an id, so
 * reporting it again does not count it twice. After an outage or a loss of data, the next report restores everything.
 */
export class SharedQuota implements Ledger {
  readonly #clock: Clock
  readonly #redis: RedisPort
  readonly #process: LedgerProcess
  #connection: Connection
  #state: Ledger['state'] = 'opening'
  /** Identifies the data in Redis. */
  #epoch = ''
  #code: string | undefined
  #failures = 0
  /** When Redis last lost its data, monotonic ms. */
  #lostAt = Number.NEGATIVE_INFINITY
  #isClosed = false
  #cancelReport = () => {}

  constructor(clock: Clock, redis: RedisPort, process: LedgerProcess) {
    this.#clock = clock
    this.#redis = redis
    this.#process = process
    this.#connection = redis.connect()
    inBackground(this.#reportAgain())
  }

  get state(): Ledger['state'] {
    return this.#state
  }

  get code(): string | undefined {
    return this.#code
  }

  async reserve(id: string, needs: Need[]): Promise<number[] | Denied | undefined> {
    const askedAt = this.#clock.monotonic()
    try {
      const reply = await this.#run(RESERVE, needs, { epoch: this.#epoch, id, needs })
      const [status, ...rest] = reply as [number, ...number[]]
      if (status === -1) throw dataLost()
      if (status === 0) {
        const [need = 0, retryMs = 0, estimateMs = 0] = rest
        return { need, retryMs, estimateMs }
      }
      // After the lease, Redis considers the process dead. This happens if it was suspended.
      return this.#clock.monotonic() - askedAt < this.#redis.leaseMs ? rest : undefined
    } catch (error) {
      this.#lose(error)
      return undefined
    }
  }

  async settle(id: string, needs: Need[], uses: SharedUse[], flightMs: number): Promise<void> {
    const argument = { epoch: this.#epoch, id, needs, uses, flightMs: Math.round(flightMs) }
    try {
      if ((await this.#run(SETTLE, needs, argument)) === -1) throw dataLost()
    } catch (error) {
      this.#lose(error)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#cancelReport()
    this.#clock.after(CALL_TIMEOUT_MS, () => this.#connection.end())
  }

  /** Reports all usage, now and regularly from then on. Never rejects. */
  async #reportAgain(): Promise<void> {
    this.#cancelReport()
    const wasConnected = this.#state === 'connected'
    try {
      await this.#report()
      this.#failures = 0
    } catch (error) {
      this.#lose(error)
      if (++this.#failures % MAX_FAILURES === 0 && !this.#connection.isOpening()) this.#reconnect()
    }
    // The first report lacks requests that were sent without Redis while it was running, so another follows at once.
    if (this.#state === 'connected') this.#reportIn(wasConnected ? REPORT_MS : 0)
    else this.#reportIn(RETRY_MS)
  }

  async #report(): Promise<void> {
    const { id: process, usage } = this.#process
    const now = this.#clock.monotonic()
    const parts = usage().map((part) => ({
      ...part,
      entries: part.entries.map((entry) => reportOf(entry, now)),
    }))
    const epoch = String(await this.#run(REPORT, parts, { candidate: randomUUID(), process, parts }))
    if (this.#isClosed) return
    const hasChanged = this.#state !== 'connected'
    this.#state = 'connected'
    this.#epoch = epoch
    this.#code = undefined
    if (hasChanged) this.#process.onChange()
  }

  #reportIn(ms: number): void {
    this.#cancelReport()
    if (!this.#isClosed) this.#cancelReport = this.#clock.after(ms, () => inBackground(this.#reportAgain()))
  }

  #reconnect(): void {
    if (this.#isClosed) return
    this.#connection.end()
    this.#connection = this.#redis.connect()
  }

  #lose(error: unknown): void {
    const { code } = error as { code?: string }
    const now = this.#clock.monotonic()
    // Other requests have received the same reply.
    if (code === DATA_LOST && this.#state === 'opening') return
    const isLost = code === DATA_LOST && now - this.#lostAt > LOST_AGAIN_MS
    if (isLost) this.#lostAt = now
    const state = isLost ? 'opening' : 'away'
    const hasChanged = this.#state !== state || (code !== undefined && code !== this.#code)
    this.#state = state
    this.#code = code ?? this.#code
    this.#reportIn(state === 'opening' ? 0 : RETRY_MS)
    if (hasChanged && !this.#isClosed) this.#process.onChange()
  }

  async #run(script: string, parts: { name: string }[], argument: object): Promise<unknown> {
    const { account, leaseMs } = this.#redis
    const keys = ['epoch', ...parts.map(({ name }) => name)].map((name) => `envlog:{${account}}:${name}`)
    const limitMs = this.#state === 'opening' ? OPENING_TIMEOUT_MS : CALL_TIMEOUT_MS
    let cancel = () => {}
    const timeout = new Promise<never>((_, reject) => {
      const fail = () => reject(Object.assign(new Error('Redis is too slow'), { code: 'TIMEOUT' }))
      // After a blocked event loop, timers fire before sockets are read. The second timer allows for a reply that has
      // already arrived.
      cancel = this.#clock.after(limitMs, () => {
        cancel = this.#clock.after(1, fail)
      })
    })
    try {
      const reply = this.#connection.run(script, keys, JSON.stringify({ ...argument, leaseMs }))
      return await Promise.race([reply, timeout])
    } finally {
      cancel()
    }
  }
}

/** Opens the quota of an account that is shared through Redis. */
export const openSharedQuota =
  (clock: Clock, redis: RedisPort): OpenLedger =>
  (process) =>
    new SharedQuota(clock, redis, process)

/** An entry with its age, which is `null` while it is in flight and -1 while Redis is being asked for it. */
function reportOf({ id, amount, at, isAsked }: Entry, now: number) {
  const ageMs = Number.isFinite(at) ? Math.round(now - at) : null
  return { id, amount, ageMs: isAsked ? -1 : ageMs }
}

const dataLost = () => Object.assign(new Error('Redis has lost its data'), { code: DATA_LOST })
