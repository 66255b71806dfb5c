import type { Limit } from '../../shared/limits-schema'
import { MINUTE_MS } from '../../shared/local-clock'

/**
 * Judges the values of a channel by the times at which they were measured (docs/judging.md, *Values*). Values without a
 * number are not judged: they neither end a run nor lengthen it.
 */

/** The part of a limit that values are compared with, in the unit of the values. */
export type Bounds = Pick<Limit, 'above' | 'below' | 'minutes' | 'margin'>

export const SIDES = ['above', 'below'] as const
export type Side = (typeof SIDES)[number]

/** Successive values outside on one side. Times are ms since 1970 UTC. */
export interface Run {
  from: number
  /** Time of the newest value. */
  at: number
  /** The newest value, and the one furthest outside. */
  value: number
  extreme: number
  side: Side
  isAlarm: boolean
}

/** A value with the time of its measurement. */
export interface Timed {
  time: number
  value: number
}

/** The state of values that are judged in the order of their times. */
export interface Lane {
  run: Run | undefined
}

/** A run that is over, and the value that ended it. */
export interface Ended extends Timed {
  run: Run
}

/** How far a value is outside on a side; negative inside. Rounded, because 0.2 - 0.3 is not exactly -0.1. */
function distanceOutside(value: number, side: Side, { above, below }: Bounds): number {
  const limit = side === 'above' ? above : below
  if (limit === null) return Number.NEGATIVE_INFINITY
  return Math.round((side === 'above' ? value - limit : limit - value) * 1e9) / 1e9
}

/** The side on which a value is outside. */
function sideOutside(value: number, bounds: Bounds): Side | undefined {
  return SIDES.find((side) => distanceOutside(value, side, bounds) > 0)
}

/** Whether a value is further outside than another. */
export const isFurther = (value: number, other: number, side: Side) =>
  side === 'above' ? value > other : value < other

/** Whether a value leaves a run on a side as it is: it is not inside the limit, or in an alarm not by *Margin*. */
export const continues = (value: number, side: Side, isAlarm: boolean, bounds: Bounds) =>
  distanceOutside(value, side, bounds) > (isAlarm ? -bounds.margin : 0)

/**
 * Judges a value that is later than all others in the lane. A run begins with the first value outside, and is an alarm
 * from the first value measured at least `minutes` later. It ends with the first value that is not outside on its side
 * or, if it is an alarm, that is inside by `margin`. A value outside on the other side also begins a new run.
 * @returns the run that ended with this value
 */
export function judge(lane: Lane, { time, value }: Timed, bounds: Bounds): Ended | undefined {
  const { run } = lane
  if (run && continues(value, run.side, run.isAlarm, bounds)) {
    run.at = time
    run.value = value
    if (isFurther(value, run.extreme, run.side)) run.extreme = value
    run.isAlarm ||= time - run.from >= bounds.minutes * MINUTE_MS
    return undefined
  }
  const side = sideOutside(value, bounds)
  lane.run = side && { from: time, at: time, value, extreme: value, side, isAlarm: bounds.minutes <= 0 }
  return run && { run, time, value }
}
