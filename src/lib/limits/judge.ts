import type { Limit } from '../../shared/limits-schema'

/**
 * Judges the values of a channel by the times at which they were measured (docs/limits.md, *Judging*). Values without a
 * number are not judged: they neither end a run nor lengthen it.
 */

/** The part of a limit that values are compared with, in the unit of the values. */
export type Bounds = Pick<Limit, 'above' | 'below' | 'minutes' | 'margin'>

/** Successive values outside their limits, or another condition while it lasts. Times are ms since 1970 UTC. */
export interface Run {
  from: number
  /** Time of the newest value. */
  at: number
  /** The newest value, and the one furthest outside. */
  value: number | null
  extreme: number | null
  /** The side of the value that made it an alarm. */
  side: 'above' | 'below'
  isAlarm: boolean
  /** When it was last reported as an alarm or a reminder; `null` if it was not. */
  reportedAt: number | null
  /** Whether there are no more reminders. */
  isAcknowledged: boolean
  /** For `error`, the text of the service; for `battery`, the level; for `no-match`, what nothing matches. */
  detail: string | null
}

export function startRun(from: number, value: number | null = null, side: Run['side'] = 'above'): Run {
  const unreported = { isAlarm: false, reportedAt: null, isAcknowledged: false, detail: null }
  return { from, at: from, value, extreme: value, side, ...unreported }
}

/** A value with the time of its measurement. */
export interface Timed {
  time: number
  value: number
}

/** Values that are judged in the order of their times. */
export interface Lane {
  /** Time of the newest judged value. */
  at: number
  run: Run | undefined
}

/** A run that is over, and its first value inside. */
export interface Ended extends Timed {
  run: Run
}

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** How far a value is outside its limits; negative inside. Rounded, because 0.2 - 0.3 is not exactly -0.1. */
export function distanceOutside(value: number, { above, below }: Bounds): number {
  const distance = Math.max(
    above === null ? Number.NEGATIVE_INFINITY : value - above,
    below === null ? Number.NEGATIVE_INFINITY : below - value,
  )
  return Math.round(distance * 1e9) / 1e9
}

/**
 * Judges a value that is later than all others in the lane. A run begins with the first value outside. It is an alarm
 * from the first value measured at least `minutes` later. It ends with the first value that is not outside or, if it is
 * an alarm, that is inside by `margin`.
 * @returns the run that ended with this value
 */
export function judge(lane: Lane, { time, value }: Timed, bounds: Bounds): Ended | undefined {
  const distance = distanceOutside(value, bounds)
  lane.at = time
  const { run } = lane
  if (run ? distance <= (run.isAlarm ? -bounds.margin : 0) : distance <= 0) {
    lane.run = undefined
    return run && { run, time, value }
  }
  const side = bounds.above !== null && value > bounds.above ? 'above' : 'below'
  const current = run ?? startRun(time, value, side)
  lane.run = current
  current.at = time
  current.value = value
  if (distance > distanceOutside(current.extreme ?? value, bounds)) current.extreme = value
  if (!current.isAlarm && time - current.from >= bounds.minutes * MINUTE_MS) {
    current.isAlarm = true
    current.side = side
  }
  return undefined
}

/**
 * The lane for a value that is not later than the newest judged one. It is a new lane if time goes back, or after a gap,
 * because the value then belongs to another block.
 */
export function lateLane(lane: Lane | undefined, time: number, { minutes }: Bounds): Lane {
  const continues = lane && time >= lane.at && time - lane.at <= HOUR_MS + minutes * MINUTE_MS
  return continues ? lane : { at: Number.NEGATIVE_INFINITY, run: undefined }
}
