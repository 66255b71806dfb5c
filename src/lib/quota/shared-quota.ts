import { randomUUID } from 'node:crypto'
import { inBackground } from '../background'
import type { Clock } from '../clock'
import { REPORT, RESERVE, SETTLE } from './redis-scripts'

/** A Redis that is slower than this counts as away. */
const CALL_TIMEOUT_MS = 1000
/** How often usage is reported while Redis is connected, and how often a connection is tried while it is away. */
const REPORT_MS = 10_000
const RETRY_MS = 1000
/** Failures in a row before another connection is opened, because the present one may be mute. */
const MAX_FAILURES = 2

/** A connection to Redis or Valkey. */
export interface Connection {
  /** @throws an error whose `code` says why in a word, if that is known */
  run(script: string, keys: string[], argument: string): Promise<unknown>
  /** True while it was opened a moment ago and is not usable yet. */
  isOpening(): boolean
  end(): void
}

/** How an account reaches the Redis that it shares its quota through. */
export interface RedisPort {
  connect(): Connection
  /** Names the account in Redis by a hash, which does not reveal its secrets. */
  account: string
  /** How long a request may be in flight: after that its process counts as dead. */
  leaseMs: number
}

/** What a request needs of one limit: of the endpoint's requests, or of a device's records. */
export interface Need {
  name: string
  wanted: number
  /** With how few it is sent. */
  minimum: number
  /** The account's own limit, and what the last response reported: both hold. */
  limits: { limit: number; heldMs: number; reported: boolean }[]
}

/** What became of a need. */
export interface Use {
  used: number
  /** What the service reported as remaining of `limit`; `null` if it did not. */
  remaining: number | null
  limit: number
  heldMs: number
  flightMs: number
  /** How long the limit is closed, because the service refused the request; 0 if it did not. */
  closedMs: number
}

/** A request that is counted in Redis, or will be when Redis is back. */
export interface Lease {
  /** False while Redis is away. */
  isShared: boolean
  /** What was granted of each need: fewer records than wanted if others use the device as well. */
  granted: number[]
  /** What all members hold of the first need, this one included. */
  held: number
  settle(uses: Use[]): void
}

/** Others have what the request needs: when to ask again, and which need it is (0: requests, 1: records). */
export interface Denial {
  waitMs: number
  need: number
}

/** What this process has used of a limit, as long as it may count. */
export interface Usage {
  name: string
  id: string
  amount: number
  /** When it was answered, in monotonic ms; `undefined` while it is in flight. */
  at: number | undefined
  heldMs: number
}

export interface SharedQuotaPorts {
  clock: Clock
  redis: RedisPort
  /** All usage of this process. It outlives a deploy, which opens another connection. */
  usage: Set<Usage>
  /** Called when the connection is lost or back, or is lost for another reason. */
  onChange(): void
}

/**
 * The quota that several processes share through Redis (docs/quota.md, *Several Node-REDs on one account*). Each request
 * is reserved and settled there. All usage that still counts is reported again every few seconds, by ids that count once:
 * that is all it takes after Redis was away, or has lost its data.
 */
export class SharedQuota {
  readonly #ports: SharedQuotaPorts
  #connection: Connection
  /** Identifies the data in Redis; `undefined` while it is away. */
  #epoch: string | undefined
  #code: string | undefined
  #failures = 0
  #isClosed = false
  #openLeases = 0
  #cancelReport = () => {}

  constructor(ports: SharedQuotaPorts) {
    this.#ports = ports
    this.#connection = ports.redis.connect()
    inBackground(this.#reportAgain())
  }

  get isConnected(): boolean {
    return this.#epoch !== undefined
  }

  /** Why it is not connected, in a word, if that is known. */
  get code(): string | undefined {
    return this.#code
  }

  /** Reserves what a request needs. While Redis is away, it is only noted. */
  async reserve(needs: Need[]): Promise<Lease | Denial> {
    const { clock, redis, usage } = this.#ports
    const id = randomUUID()
    const noted = needs.map(({ name, wanted, limits }): Usage => {
      const heldMs = Math.max(...limits.map((limit) => limit.heldMs))
      return { name, id, amount: wanted, at: undefined, heldMs }
    })
    for (const one of noted) usage.add(one)
    const drop = () => {
      for (const one of noted) Object.assign(one, { amount: 0, at: clock.monotonic() })
    }
    const isShared = this.isConnected
    let granted = needs.map(({ wanted }) => wanted)
    let held = 0
    if (isShared) {
      try {
        const { leaseMs } = redis
        const argument = { epoch: this.#epoch, id, leaseMs, needs }
        const [status, ...rest] = (await this.#run(RESERVE, needs, argument)) as number[]
        if (status === -1) throw dataLost()
        if (status === 0) {
          for (const one of noted) usage.delete(one)
          const [waitMs = 0, need = 0] = rest
          return { waitMs, need }
        }
        held = rest.pop() ?? 0
        granted = rest
      } catch (error) {
        drop()
        this.#lose(error)
        return { waitMs: 0, need: 0 }
      }
    }
    this.#openLeases++
    for (const [index, one] of noted.entries()) one.amount = granted[index] ?? 0
    const settle = (uses: Use[]) => {
      for (const [index, one] of noted.entries())
        Object.assign(one, { amount: uses[index]?.used ?? 0, at: clock.monotonic() })
      inBackground(this.#settle(id, needs, uses))
    }
    return { isShared, granted, held, settle }
  }

  /** What is in flight is settled before the connection ends. */
  close(): void {
    this.#isClosed = true
    this.#cancelReport()
    if (this.#openLeases === 0) this.#connection.end()
  }

  async #settle(id: string, needs: Need[], uses: Use[]): Promise<void> {
    try {
      if (!this.isConnected) return
      const sent = uses.map((use) => ({ ...use, remaining: use.remaining ?? -1 }))
      const argument = { epoch: this.#epoch, id, uses: sent }
      if ((await this.#run(SETTLE, needs, argument)) === -1) throw dataLost()
    } catch (error) {
      this.#lose(error)
    } finally {
      this.#openLeases--
      if (this.#isClosed) this.close()
    }
  }

  /** Reports all usage, now and from now on. Never rejects. */
  async #reportAgain(): Promise<void> {
    this.#cancelReport()
    try {
      await this.#report()
      this.#failures = 0
    } catch (error) {
      this.#lose(error)
      if (++this.#failures % MAX_FAILURES === 0 && !this.#connection.isOpening()) this.#reconnect()
    }
    this.#reportIn(this.isConnected ? REPORT_MS : RETRY_MS)
  }

  async #report(): Promise<void> {
    const { clock, redis, usage } = this.#ports
    const now = clock.monotonic()
    const parts = new Map<string, object[]>()
    const reported = [...usage]
    for (const one of reported) {
      const { name, id, amount, at, heldMs } = one
      if (at !== undefined && at + heldMs <= now) usage.delete(one)
      const entry =
        at === undefined
          ? { id, amount, leaseMs: redis.leaseMs }
          : { id, amount, ageMs: Math.round(now - at) }
      parts.set(name, [...(parts.get(name) ?? []), entry])
    }
    const names = [...parts.keys()].map((name) => ({ name }))
    const argument = { candidate: randomUUID(), parts: [...parts.values()] }
    const epoch = String(await this.#run(REPORT, names, argument))
    for (const one of reported)
      if (one.at !== undefined && one.at <= now && one.amount === 0) usage.delete(one)
    if (this.#isClosed) return
    const wasConnected = this.isConnected
    this.#epoch = epoch
    this.#code = undefined
    if (!wasConnected) this.#ports.onChange()
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
    const isChange = this.isConnected || code !== this.#code
    this.#epoch = undefined
    this.#code = code
    this.#reportIn(RETRY_MS)
    if (isChange && !this.#isClosed) this.#ports.onChange()
  }

  async #run(script: string, parts: { name: string }[], argument: object): Promise<unknown> {
    const { clock, redis } = this.#ports
    const keys = ['epoch', ...parts.map(({ name }) => name)].map(
      (name) => `envlog:{${redis.account}}:${name}`,
    )
    let cancel = () => {}
    const timeout = new Promise<never>((_, reject) => {
      const fail = () => reject(Object.assign(new Error('Redis is too slow'), { code: 'TIMEOUT' }))
      // A second timer: if the event loop was blocked, a reply that came meanwhile is read between the two.
      cancel = clock.after(CALL_TIMEOUT_MS, () => {
        cancel = clock.after(1, fail)
      })
    })
    try {
      return await Promise.race([this.#connection.run(script, keys, JSON.stringify(argument)), timeout])
    } finally {
      cancel()
    }
  }
}

const dataLost = () => Object.assign(new Error('Redis has lost its data'), { code: 'DATA_LOST' })
