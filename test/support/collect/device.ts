import type { RecordOrder } from './selection'

/** What happens at a device, one after the other. */
export type Step =
  /** A record, a minute after the one before. */
  | 'next'
  /** Another of the same second. */
  | 'same'
  /** Measured, but it never reached the service. */
  | 'lost'
  /** Its ids restart. */
  | 'restart'
  /** Measured with a clock that is three hours ahead, this once. */
  | 'ahead'
  | 'timeless'
  /** From now on its clock is ten minutes behind what it was. */
  | 'back'
  /** From now on its clock is two hours ahead of what it was. */
  | 'forward'

/** How a device is, and what a service does with its records. */
export interface DeviceProfile {
  standalone: boolean
  ids: 'counted' | 'zero'
  firstId: number
  /** Seconds that its clock is behind. */
  slow: number
  /** Records the service keeps. */
  capacity: number
  /** Which are the newest: those measured last, or those received last. */
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
  /** How often the ids had restarted, and the number of records since. */
  run: number
  count: number
  isAhead: boolean
  /** How far answers had reached when it was measured, ms: older records cannot be distinguished from known ones. */
  reached: number
}

const MINUTE = 60_000
const THREE_HOURS = 10_800
/** Records of one second, and records ahead of the clock, at the same time: fewer than an answer contains. */
export const MAX_PER_SECOND = 3
const MAX_AHEAD = 3
const ID_MODULUS = 65_536

/** A device that measures on demand, and the log of all its records. */
export function createDevice(profile: DeviceProfile, time: { now(): number; advance(ms: number): void }) {
  const log: MeasuredRecord[] = []
  let run = 0
  let count = 0
  let offset = -profile.slow
  let reached = 0
  let isFirst = true

  const clock = () => Math.floor(time.now() / 1000) + offset
  const ofThisSecond = () => log.filter(({ unixtime }) => unixtime === clock()).length
  const ahead = () => log.filter(({ unixtime }) => unixtime > clock()).length

  /** Unusual records are separated by normal ones: no answer contains only such. */
  const isNormal = () => (log.at(-1)?.unixtime ?? 0) > 0 && !log.at(-1)?.isAhead

  function idOf(): number {
    if (profile.ids === 'zero') return 0
    const first = run === 0 ? profile.firstId : profile.standalone ? 1 : 0
    return profile.standalone ? first + count : (first + count) % ID_MODULUS
  }

  function record(unixtime: number, isAhead = false): void {
    log.push({ seq: log.length, unixtime, id: idOf(), run, count, isAhead, reached })
    count++
  }

  const steps: Record<Step, () => void> = {
    next: () => record(clock()),
    same: () => record(clock()),
    lost: () => void count++,
    restart() {
      run++
      count = 0
      record(clock())
    },
    ahead() {
      if (ahead() < MAX_AHEAD && isNormal()) record(clock() - offset + THREE_HOURS, true)
      else record(clock())
    },
    timeless: () => record(log.length === 0 || isNormal() ? 0 : clock()),
    back() {
      // Earlier records could not be requested if the newest are those received last.
      if (profile.newestBy === 'time') offset -= 600
      record(clock())
    },
    forward() {
      offset += 7200
      record(clock())
    },
  }

  return {
    log,
    stored: () => log.slice(-profile.capacity),
    /** An answer reached this instant, ms; how far those before had reached. */
    reach(instant: number) {
      const before = reached
      reached = Math.max(reached, instant)
      return before
    },
    measure(step: Step) {
      if (step !== 'same' || isFirst || ofThisSecond() >= MAX_PER_SECOND) time.advance(MINUTE)
      isFirst = false
      steps[step]()
    },
  }
}

export type SimulatedDevice = ReturnType<typeof createDevice>
