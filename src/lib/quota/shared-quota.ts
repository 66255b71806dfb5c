import { randomUUID } from 'node:crypto'
import { inBackground } from '../background'
import type { Clock } from '../clock'
import { CALL_TIMEOUT_MS, REPORT, RESERVE, SETTLE } from './redis-scripts'
import type { Entry, OwnLimits, Use } from './window'

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
 * Whether a quota is shared through Redis, and the state of that connection. `opening`: requests wait until Redis has
 * responded or failed, because it may know more than this process.
 */
export type Sharing = 'none' | 'opening' | 'connected' | 'away'

/** The requests of an endpoint, or the records of a device. */
interface Counted {
  name: string
  /** Those of this process, from its settings or the service's table. */
  limits: OwnLimits
}

/** What a request needs of the limits. */
export interface Need extends Counted {
  wanted: number
  /** The request is sent only if at least this amount is available. */
  minimum: number
}

/** Use that is settled in Redis. */
export interface SharedUse extends Use {
  /** Whether the service has refused the request because of this limit. */
  isClosed: boolean
  /** Whether the service has responded, so that refusals before it are not followed by another one. */
  hasResponse: boolean
}

/** A denial, because other processes use what the request needs. */
export interface Denied {
  /** Index of the need (0: requests, 1: records). */
  need: number
  /** Time until the request should ask again, in ms. */
  retryMs: number
  /** Time until the need is expected to be available, in ms, if all requests in flight were completed now. */
  estimateMs: number
}

/** The current and past usage of the limits by this process. */
export interface Usage extends Counted {
  entries: Entry[]
}

export interface SharedQuotaPorts {
  clock: Clock
  redis: RedisPort
  /** Identifies this process; the ids of its reservations begin with it and a colon. */
  process: string
  /** All usage of this process. */
  usage(): Usage[]
  /**
   * Called when the first connection succeeds or fails, when the connection is lost or restored, or when the reason for
   * the loss changes.
   */
  onChange(): void
}

/**
 * The quota that several processes share through Redis (docs/quota.md, *Several Node-RED instances with one account*).
 * The quota for each request is reserved and settled in Redis. Every few seconds the process reports all its usage that
 * still counts. Each entry has an id, so reporting it again does not count it twice. After an outage or a loss of
 * data, the next report restores everything.
 */
export class SharedQuota {
  readonly #ports: SharedQuotaPorts
  #connection: Connection
  #state: Exclude<Sharing, 'none'> = 'opening'
  /** Identifies the data in Redis. */
  #epoch = ''
  #code: string | undefined
  #failures = 0
  /** When Redis last lost its data, monotonic ms. */
  #lostAt = Number.NEGATIVE_INFINITY
  #isClosed = false
  #cancelReport = () => {}

  constructor(ports: SharedQuotaPorts) {
    this.#ports = ports
    this.#connection = ports.redis.connect()
    inBackground(this.#reportAgain())
  }

  get redis(): RedisPort {
    return this.#ports.redis
  }

  get state(): Exclude<Sharing, 'none'> {
    return this.#state
  }

  /** The reason for the missing connection in one word, if known. */
  get code(): string | undefined {
    return this.#code
  }

  /**
   * Reserves the needs of a request, while Redis is connected.
   * @returns the granted amount of each need, possibly fewer records than wanted; `Denied` if other processes use them;
   * `undefined` if the connection to Redis was lost, or Redis responded after the lease
   */
  async reserve(id: string, needs: Need[]): Promise<number[] | Denied | undefined> {
    const { clock, redis } = this.#ports
    const askedAt = clock.monotonic()
    try {
      const reply = await this.#run(RESERVE, needs, { epoch: this.#epoch, id, needs })
      const [status, ...rest] = reply as [number, ...number[]]
      if (status === -1) throw dataLost()
      if (status === 0) {
        const [need = 0, retryMs = 0, estimateMs = 0] = rest
        return { need, retryMs, estimateMs }
      }
      // After the lease, Redis considers the process dead. This happens if it was suspended.
      return clock.monotonic() - askedAt < redis.leaseMs ? rest : undefined
    } catch (error) {
      this.#lose(error)
      return undefined
    }
  }

  /** Ends a reservation. If Redis is away, the next report does that. */
  async settle(id: string, needs: Need[], uses: SharedUse[], flightMs: number): Promise<void> {
    const argument = { epoch: this.#epoch, id, needs, uses, flightMs: Math.round(flightMs) }
    try {
      if ((await this.#run(SETTLE, needs, argument)) === -1) throw dataLost()
    } catch (error) {
      this.#lose(error)
    }
  }

  /** Closes the connection after a moment, so that requests in flight can still be settled. */
  close(): void {
    this.#isClosed = true
    this.#cancelReport()
    this.#ports.clock.after(CALL_TIMEOUT_MS, () => this.#connection.end())
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
    const { clock, process, usage } = this.#ports
    const now = clock.monotonic()
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
    if (hasChanged) this.#ports.onChange()
  }

  #reportIn(ms: number): void {
    this.#cancelReport()
    if (!this.#isClosed)
      this.#cancelReport = this.#ports.clock.after(ms, () => inBackground(this.#reportAgain()))
  }

  #reconnect(): void {
    if (this.#isClosed) return
    this.#connection.end()
    this.#connection = this.#ports.redis.connect()
  }

  #lose(error: unknown): void {
    const { code } = error as { code?: string }
    const now = this.#ports.clock.monotonic()
    // Other requests have received the same reply.
    if (code === DATA_LOST && this.#state === 'opening') return
    const isLost = code === DATA_LOST && now - this.#lostAt > LOST_AGAIN_MS
    if (isLost) this.#lostAt = now
    const state = isLost ? 'opening' : 'away'
    const hasChanged = this.#state !== state || (code !== undefined && code !== this.#code)
    this.#state = state
    this.#code = code ?? this.#code
    this.#reportIn(state === 'opening' ? 0 : RETRY_MS)
    if (hasChanged && !this.#isClosed) this.#ports.onChange()
  }

  async #run(script: string, parts: { name: string }[], argument: object): Promise<unknown> {
    const { clock, redis } = this.#ports
    const { account, leaseMs } = redis
    const keys = ['epoch', ...parts.map(({ name }) => name)].map((name) => `envlog:{${account}}:${name}`)
    const limitMs = this.#state === 'opening' ? OPENING_TIMEOUT_MS : CALL_TIMEOUT_MS
    let cancel = () => {}
    const timeout = new Promise<never>((_, reject) => {
      const fail = () => reject(Object.assign(new Error('Redis is too slow'), { code: 'TIMEOUT' }))
      // After a blocked event loop, timers fire before sockets are read. The second timer allows for a reply that has
      // already arrived.
      cancel = clock.after(limitMs, () => {
        cancel = clock.after(1, fail)
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

/** An entry with its age, which is `null` while it is in flight and -1 while Redis is being asked for it. */
function reportOf({ id, amount, at, isAsked }: Entry, now: number) {
  const ageMs = Number.isFinite(at) ? Math.round(now - at) : null
  return { id, amount, ageMs: isAsked ? -1 : ageMs }
}

const dataLost = () => Object.assign(new Error('Redis has lost its data'), { code: DATA_LOST })
