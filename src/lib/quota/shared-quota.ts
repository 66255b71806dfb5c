import { randomUUID } from 'node:crypto'
import { inBackground } from '../background'
import type { Clock } from '../clock'
import { EXCHANGE } from './redis-script'
import type { RemotePart, Window } from './window'

/** A Redis that responds more slowly counts as away; opening a connection may take longer. */
const CALL_TIMEOUT_MS = 1000
const OPENING_TIMEOUT_MS = 5000
/** How often usage is reported while Redis is connected, and how often connecting is tried while it is away. */
const REPORT_MS = 10_000
const RETRY_MS = 1000
/** Consecutive failures before another connection is opened, because the current one may have stopped responding. */
const MAX_FAILURES = 2

/** A connection to Redis or Valkey. */
export interface Connection {
  /** @throws an error whose `code` is the reason in one word, if known */
  run(script: string, keys: string[], values: string[]): Promise<unknown>
  /** True shortly after opening, while it is not usable yet. */
  isOpening(): boolean
  end(): void
}

/** An account's access to the Redis that shares its quota. */
export interface RedisPort {
  connect(): Connection
  /** Identifies the account in Redis by a hash, which does not reveal its secrets. */
  account: string
  /** Maximum time of a request in flight: after that its process counts as dead. */
  leaseMs: number
}

/** Whether a quota is shared through Redis, and the state of that connection. */
export type Sharing = 'none' | 'opening' | 'connected' | 'away'

export interface SharedQuotaPorts {
  clock: Clock
  redis: RedisPort
  /** Identifies this process. */
  process: string
  /** All limits of the account, by name. */
  windows(): ReadonlyMap<string, Window>
  /**
   * Called when the first connection succeeds or fails, when the connection is lost or restored, or when the reason for
   * the loss changes.
   */
  onChange(): void
}

/**
 * The quota that several processes share through Redis (docs/quota.md, *Several Node-RED instances with one account*).
 * Each process writes its own usage, and reads that of the others. A request is reserved by writing it on condition that
 * nothing has changed since the last reading. Every few seconds the process writes all its usage again, so an outage or
 * a loss of data does no lasting harm.
 */
export class SharedQuota {
  readonly #ports: SharedQuotaPorts
  #connection: Connection
  #state: Exclude<Sharing, 'none'> = 'opening'
  /** Identifies the data in Redis; blank before the first report, and after a loss. */
  #epoch = ''
  #code: string | undefined
  #failures = 0
  #isClosed = false
  /** Exchanges run one at a time, because each writes all usage of its limits. */
  #last: Promise<unknown> = Promise.resolve()
  #cancelReport = () => {}
  /** How long all usage has been counted in Redis, ms. */
  sharedMs = 0

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

  /** The reason why it is not connected, in one word, if known. */
  get code(): string | undefined {
    return this.#code
  }

  /**
   * Writes the usage of some limits with what is pending, if no other process was faster, and reads that of the others.
   * @returns whether it was written; false if Redis is away, too
   */
  async reserve(limits: ReadonlyMap<string, Window>): Promise<boolean> {
    // What was read until now is what the reservation is based on.
    const versions = [...limits.values()].map(({ version }) => version)
    return this.#inTurn(() => this.#exchange(limits, versions))
  }

  /** Writes the usage of some limits, and reads that of the others. If Redis is away, the next report does that. */
  async sync(limits: ReadonlyMap<string, Window>): Promise<void> {
    await this.#inTurn(() => this.#exchange(limits))
  }

  /** Requests in flight can still be settled for a moment. */
  close(): void {
    this.#isClosed = true
    this.#cancelReport()
    this.#ports.clock.after(CALL_TIMEOUT_MS, () => this.#connection.end())
  }

  async #inTurn(exchange: () => Promise<boolean>): Promise<boolean> {
    const turn = this.#last.then(() => {
      if (this.#state !== 'connected') return false
      return exchange().catch((error: unknown) => {
        this.#lose(error)
        return false
      })
    })
    this.#last = turn
    return turn
  }

  /** Reports all usage, now and regularly from then on. Never rejects. */
  async #reportAgain(): Promise<void> {
    this.#cancelReport()
    const wasConnected = this.#state === 'connected'
    const report = this.#last.then(() => this.#report())
    this.#last = report.catch(() => {})
    try {
      await report
      this.#failures = 0
    } catch (error) {
      this.#lose(error)
      if (++this.#failures % MAX_FAILURES === 0 && !this.#connection.isOpening()) this.#reconnect()
    }
    // The report does not include requests that were sent without Redis while it was running.
    if (this.#state === 'connected') this.#reportIn(wasConnected ? REPORT_MS : 0)
    else this.#reportIn(RETRY_MS)
  }

  async #report(): Promise<void> {
    if (this.#state === 'away') this.#epoch = ''
    await this.#exchange(this.#ports.windows())
    if (this.#isClosed) return
    const hasChanged = this.#state !== 'connected'
    this.#state = 'connected'
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
    const { code = this.#code } = error as { code?: string }
    const hasChanged = this.#state !== 'away' || code !== this.#code
    this.#state = 'away'
    this.#code = code
    this.#reportIn(RETRY_MS)
    if (hasChanged && !this.#isClosed) this.#ports.onChange()
  }

  /**
   * @param versions for a reservation: the versions that it is based on
   * @returns whether the usage was written, which it is only if these are the latest versions
   */
  async #exchange(limits: ReadonlyMap<string, Window>, versions?: readonly string[]): Promise<boolean> {
    const { clock, redis, process } = this.#ports
    const askedAt = clock.monotonic()
    const keys = ['epoch', ...limits.keys()].map((name) => `envlog:{${redis.account}}:${name}`)
    const values = [...limits.values()].flatMap((window, index) => [
      versions?.[index] ?? '*',
      JSON.stringify({ ...window.part(askedAt, versions !== undefined), leaseMs: redis.leaseMs }),
    ])
    const reply = (await this.#run(keys, [this.#epoch, randomUUID(), process, ...values])) as Reply | null
    if (!reply) throw Object.assign(new Error('Redis has lost its data'), { code: 'DATA_LOST' })
    const [epoch, sharedMs, redisNow, isWritten, ...contents] = reply
    const now = clock.monotonic()
    this.#epoch = epoch
    this.sharedMs = sharedMs
    for (const [index, window] of [...limits.values()].entries()) {
      const { version = '', ...parts } = toFields(contents[index] ?? [])
      delete parts[process]
      window.version = version
      window.readAt = now
      window.setRemote(
        Object.values(parts).flatMap((text) => readPart(text, redisNow, now)),
        now,
      )
      if (versions && isWritten) window.confirm()
    }
    // If this process was suspended, the others may consider it dead.
    return isWritten === 1 && now - askedAt < redis.leaseMs
  }

  async #run(keys: string[], values: string[]): Promise<unknown> {
    const { clock } = this.#ports
    const limitMs = this.#state === 'opening' ? OPENING_TIMEOUT_MS : CALL_TIMEOUT_MS
    let cancel = () => {}
    const timeout = new Promise<never>((_, reject) => {
      const fail = () => reject(Object.assign(new Error('Redis is too slow'), { code: 'TIMEOUT' }))
      // A second timer, because after a blocked event loop timers fire before sockets are read: this gives a reply that
      // has arrived a chance.
      cancel = clock.after(limitMs, () => {
        cancel = clock.after(1, fail)
      })
    })
    try {
      return await Promise.race([this.#connection.run(EXCHANGE, keys, values), timeout])
    } finally {
      cancel()
    }
  }
}

type Reply = [epoch: string, sharedMs: number, redisNow: number, isWritten: number, ...contents: string[][]]

function toFields(contents: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {}
  for (let at = 0; at < contents.length; at += 2) fields[String(contents[at])] = String(contents[at + 1])
  return fields
}

/**
 * A part in Redis; none if it cannot be read, or is ahead of the clock: it was written before the clock was set back,
 * and a living process writes it again.
 */
function readPart(text: string, redisNow: number, now: number): RemotePart[] {
  const ageMs = redisNow - Number.parseInt(text, 10)
  if (!(ageMs >= 0)) return []
  try {
    const { leaseMs, ...part } = JSON.parse(text.slice(text.indexOf(' ')))
    return Array.isArray(part.entries) ? [{ part, leaseMs, writtenAt: now - ageMs }] : []
  } catch {
    return []
  }
}
