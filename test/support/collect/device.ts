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

const MINUTE = 60_000
const THREE_HOURS = 10_800
/** Maximum number of records of the same second, and of records ahead of the clock: fewer than a response contains. */
export const MAX_PER_SECOND = 3
const MAX_AHEAD = 3
const ID_MODULUS = 65_536

/** A device that measures on demand, and the log of all its records. */
export function createDevice(profile: DeviceProfile, time: { now(): number; advance(ms: number): void }) {
  const log: MeasuredRecord[] = []
  /** The records that reached the service, in this order. */
  const received: MeasuredRecord[] = []
  /** The records that have not reached it yet. */
  const waiting: MeasuredRecord[] = []
  let run = 0
  let count = 0
  let offset = -profile.slow
  let isFirst = true
  let isOdd = false

  const clock = () => Math.floor(time.now() / 1000) + offset
  const ofThisSecond = () => log.filter(({ unixtime }) => unixtime === clock()).length
  const ahead = () => log.filter(({ unixtime }) => unixtime > clock()).length

  function idOf(): number {
    if (profile.ids === 'zero') return 0
    const first = run === 0 ? profile.firstId : profile.standalone ? 1 : 0
    return profile.standalone ? first + count : (first + count) % ID_MODULUS
  }

  function record(unixtime = clock(), { id = idOf(), to = received } = {}): void {
    const isPlain = unixtime === clock() && offset === -profile.slow && to === received
    const measured = { seq: log.length, unixtime, id, run, count, isPlain }
    log.push(measured)
    to.push(measured)
    count++
  }

  /** Unusual records are separated by normal ones, so that no response contains only unusual ones. */
  function recordOdd(isWanted: boolean, unixtime: number): void {
    const isNow = isWanted && !isOdd
    record(isNow ? unixtime : clock())
    isOdd = isNow
  }

  const arrive = (measured: MeasuredRecord | undefined) => {
    if (measured) received.push(measured)
    else record()
  }

  const steps: Record<Step, () => void> = {
    next: () => record(),
    same: () => record(),
    lost: () => void count++,
    restart() {
      if (run < profile.maxRestarts) [run, count] = [run + 1, 0]
      record()
    },
    ahead: () => recordOdd(ahead() < MAX_AHEAD, clock() - offset + THREE_HOURS),
    timeless: () => recordOdd(true, 0),
    monitored() {
      if (!profile.standalone) return record()
      record(clock(), { id: 0 })
      // The record did not use a number.
      count--
    },
    late: () => record(clock(), { to: waiting }),
    arrive: () => arrive(waiting.shift()),
    'arrive-latest': () => arrive(waiting.pop()),
    back() {
      offset -= 600
      record()
    },
    forward() {
      offset += 7200
      record()
    },
  }

  return {
    log,
    /** Moves its clock. */
    moveClock(seconds: number): void {
      offset += seconds
    },
    /** The records that the service has. @param lag number of the last ones that it does not have yet */
    stored: (lag = 0) => received.slice(0, Math.max(0, received.length - lag)).slice(-profile.capacity),
    measure(step: Step) {
      if (step !== 'same' || isFirst || ofThisSecond() >= MAX_PER_SECOND) time.advance(MINUTE)
      isFirst = false
      if (step !== 'ahead' && step !== 'timeless') isOdd = false
      steps[step]()
    },
  }
}

export type SimulatedDevice = ReturnType<typeof createDevice>
