import type { RecordOrder } from './selection'

/** Successive events of a device. */
export type Step =
  /** A record, a minute after the previous one. */
  | 'next'
  /** Another record of the same second. */
  | 'same'
  /** Measured, but it never reached the service. */
  | 'lost'
  /** The device's ids restart. */
  | 'restart'
  /** Measured with a clock that is three hours ahead, only this time. */
  | 'ahead'
  | 'timeless'
  /** Measured without a number, although others have one; only for a standalone device. */
  | 'monitored'
  /** Measured, but it reaches the service after newer ones. */
  | 'late'
  /** The earliest, or the latest, late record reaches the service. */
  | 'arrive'
  | 'arrive-latest'
  /** From now on the device's clock is ten minutes behind its previous time. */
  | 'back'
  /** From now on the device's clock is two hours ahead of its previous time. */
  | 'forward'

/** The properties of a device, and how a service treats its records. */
export interface DeviceProfile {
  standalone: boolean
  ids: 'counted' | 'zero'
  firstId: number
  /** Maximum number of id restarts. */
  maxRestarts: number
  /** How far its clock is behind, in seconds. */
  slow: number
  /** Number of records that the latest endpoints return; the real service has 300. */
  newest: number
  /** Number of records that the service keeps. */
  capacity: number
  /** Which records are the newest: the last measured, or the last received. */
  newestBy: 'time' | 'arrival'
  inclusive: boolean
  order: RecordOrder
}

export interface MeasuredRecord {
  /** A sequence number, which is also the value of the record, so that all records differ. */
  seq: number
  /** In seconds; 0 for no time. */
  unixtime: number
  id: number
  /** Number of id restarts so far, and number of records since the last one. */
  run: number
  count: number
  /** Whether its time is right, and it reached the service before all later ones. */
  isPlain: boolean
}

interface Time {
  now(): number
  advance(ms: number): void
}

const MINUTE = 60_000
const THREE_HOURS = 10_800
/** Maximum number of records of the same second, and of records ahead of the clock: fewer than a response contains. */
export const MAX_PER_SECOND = 3
const MAX_AHEAD = 3
const ID_MODULUS = 65_536

/** A device that measures on demand, and the log of all its records. */
export class SimulatedDevice {
  readonly log: MeasuredRecord[] = []
  readonly #profile: DeviceProfile
  readonly #time: Time
  /** The records that reached the service, in this order. */
  readonly #received: MeasuredRecord[] = []
  /** The records that have not reached it yet. */
  readonly #waiting: MeasuredRecord[] = []
  #run = 0
  #count = 0
  #offset: number
  #isFirst = true
  #isOdd = false

  constructor(profile: DeviceProfile, time: Time) {
    this.#profile = profile
    this.#time = time
    this.#offset = -profile.slow
  }

  /** Moves its clock. */
  moveClock(seconds: number): void {
    this.#offset += seconds
  }

  /** The records that the service has. @param lag number of the last ones that it does not have yet */
  stored(lag = 0): MeasuredRecord[] {
    const count = Math.max(0, this.#received.length - lag)
    return this.#received.slice(0, count).slice(-this.#profile.capacity)
  }

  measure(step: Step): void {
    if (step !== 'same' || this.#isFirst || this.#ofThisSecond >= MAX_PER_SECOND) this.#time.advance(MINUTE)
    this.#isFirst = false
    if (step !== 'ahead' && step !== 'timeless') this.#isOdd = false
    this.#steps[step]()
  }

  readonly #steps: Record<Step, () => void> = {
    next: () => this.#record(),
    same: () => this.#record(),
    lost: () => void this.#count++,
    restart: () => {
      if (this.#run < this.#profile.maxRestarts) [this.#run, this.#count] = [this.#run + 1, 0]
      this.#record()
    },
    ahead: () => this.#recordOdd(this.#ahead < MAX_AHEAD, this.#clock - this.#offset + THREE_HOURS),
    timeless: () => this.#recordOdd(true, 0),
    monitored: () => {
      if (!this.#profile.standalone) return this.#record()
      this.#record(this.#clock, { id: 0 })
      // The record did not use a number.
      this.#count--
    },
    late: () => this.#record(this.#clock, { to: this.#waiting }),
    arrive: () => this.#arrive(this.#waiting.shift()),
    'arrive-latest': () => this.#arrive(this.#waiting.pop()),
    back: () => {
      this.#offset -= 600
      this.#record()
    },
    forward: () => {
      this.#offset += 7200
      this.#record()
    },
  }

  get #clock(): number {
    return Math.floor(this.#time.now() / 1000) + this.#offset
  }

  get #ofThisSecond(): number {
    return this.log.filter(({ unixtime }) => unixtime === this.#clock).length
  }

  get #ahead(): number {
    return this.log.filter(({ unixtime }) => unixtime > this.#clock).length
  }

  get #id(): number {
    const { ids, firstId, standalone } = this.#profile
    if (ids === 'zero') return 0
    const first = this.#run === 0 ? firstId : standalone ? 1 : 0
    return standalone ? first + this.#count : (first + this.#count) % ID_MODULUS
  }

  #record(unixtime = this.#clock, { id = this.#id, to = this.#received } = {}): void {
    const isOnTime = unixtime === this.#clock && to === this.#received
    const isPlain = isOnTime && this.#offset === -this.#profile.slow
    const measured = { seq: this.log.length, unixtime, id, run: this.#run, count: this.#count, isPlain }
    this.log.push(measured)
    to.push(measured)
    this.#count++
  }

  /** Unusual records are separated by normal ones, so that no response contains only unusual ones. */
  #recordOdd(isWanted: boolean, unixtime: number): void {
    const isNow = isWanted && !this.#isOdd
    this.#record(isNow ? unixtime : this.#clock)
    this.#isOdd = isNow
  }

  #arrive(measured: MeasuredRecord | undefined): void {
    if (measured) this.#received.push(measured)
    else this.#record()
  }
}
