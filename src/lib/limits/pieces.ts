import { DAY_MS } from '../../shared/local-clock'
import { type Bounds, continues, type Ended, isFurther, judge, type Run, SIDES, type Timed } from './judge'

/**
 * Judges values in their place, whatever their order (docs/judging.md, *Late values*). The measurements of a channel
 * are kept as pieces with holes between them. Of a piece that follows a hole, only the part up to the first value inside
 * by *Margin* depends on what the hole will bring: after that value, the judge is in the same state whatever it was
 * before. A piece is therefore judged twice, as after nothing and, up to that value, as after an alarm that lasts. When
 * a hole is filled, two pieces become one.
 */

/** Measurements without a hole between them, judged as if there were none before. Times are ms since 1970 UTC. */
export interface Piece {
  /** Times of the first and of the newest measurement, with or without a value. */
  first: number
  at: number
  /** The run that lasts at its end. */
  run: Run | undefined
  /** The first value; `undefined` if there is none. What follows depends on what was before the piece. */
  head: Timed | undefined
  /** What an alarm that lasts before the piece adds here; `undefined` if the first value ends an alarm of any side. */
  on: Run | undefined
  /** The value that ends that alarm; `undefined` if it lasts at the end of the piece. */
  end: Timed | undefined
  /** Runs before that end that are over: the one that begins with the first value, and the alarm. */
  own: readonly Ended[]
}

/** A measurement; its value is `null` if there is none. */
export interface Measurement {
  time: number
  value: number | null
}

interface Judged {
  /** Runs that are over. */
  ended: readonly Ended[]
  /** The run that lasts. */
  run: Run | undefined
}

/** What the measurements of a message have shown. */
export interface Added extends Judged {
  /** Of the runs that are over, those that may change if holes are filled; `undefined` if they are as before. */
  changeable: readonly Ended[] | undefined
  /** Whether some were older than known ones, so that they must be saved at once. */
  isLate: boolean
  /** Whether a hole or what follows it has changed, so that the pieces must be saved soon. */
  hasChanged: boolean
}

/** A pause is a hole if it is more than this many times as long as usual, */
export const HOLE = 2.5
/** and what is left of a hole stays one as long as it is more than this, because a value may be missing. */
export const COMPLETE = 1.5
export const MAX_HOLES = 24
export const MAX_HOLE_AGE_MS = 30 * DAY_MS

/** The measurements of a channel, judged by one limit. */
export class Pieces {
  /** In the order of time. Nearly always, there is only the last one. */
  #earlier: readonly Piece[]
  #last: Piece | undefined

  constructor(pieces: readonly Piece[] = []) {
    this.#last = pieces.at(-1)
    this.#earlier = pieces.length > 1 ? pieces.slice(0, -1) : NO_PIECES
  }

  get all(): readonly Piece[] {
    return this.#last ? [...this.#earlier, this.#last] : NO_PIECES
  }

  /** The time of the newest measurement. */
  get newest(): number {
    return this.#last?.at ?? Number.NEGATIVE_INFINITY
  }

  /** The run that lasts. */
  runOf(bounds: Bounds): Run | undefined {
    return follow(this.all, bounds).run
  }

  /**
   * Adds the measurements of a message. Known times change nothing.
   * @param measurements in the order of their times
   * @param usual the usual pause between measurements, ms
   */
  add(measurements: readonly Measurement[], usual: number, bounds: Bounds): Added {
    const first = measurements[0]
    // Much faster than placing it, and a first message has thousands of channels.
    if (!this.#last && first) this.#last = startPiece(first, bounds)
    // Nearly always they follow the newest one, behind everything that may change.
    const last = this.#last
    if (!last?.head || isOpen(last)) return this.#place(measurements, usual, bounds)
    let settled: readonly Ended[] = NOTHING
    for (let index = 0; index < measurements.length; index++) {
      const measurement = measurements[index] as Measurement
      const isLater = measurement.time > last.at
      if (isLater ? measurement.time - last.at > HOLE * usual : measurement.time < last.first) {
        const placed = this.#place(measurements.slice(index), usual, bounds)
        return { ...placed, ended: [...settled, ...placed.ended] }
      }
      const ended = isLater ? addValue(last, measurement, bounds) : undefined
      if (ended) settled = [...settled, ended]
    }
    return { ended: settled, run: last.run, changeable: undefined, isLate: false, hasChanged: false }
  }

  /** Adds measurements to the pieces to which they belong, or begins new pieces. */
  #place(measurements: readonly Measurement[], usual: number, bounds: Bounds): Added {
    const { newest } = this
    const pieces = [...this.all]
    const settled: Ended[] = []
    let isLate = false
    let hasChanged = false
    for (const measurement of measurements) {
      const index = pieces.findLastIndex(({ first }) => first <= measurement.time)
      if (isKnown(pieces, index, measurement.time)) continue
      hasChanged = true
      isLate ||= measurement.time < newest
      const ended = addAfter(pieces, index, measurement, usual, bounds)
      if (ended) settled.push(ended)
    }
    settled.push(...join(pieces, usual, bounds))
    this.#last = pieces.pop()
    this.#earlier = pieces
    const { ended, run } = follow(this.all, bounds)
    const all = [...settled, ...ended].sort((a, b) => a.time - b.time)
    return { ended: all, run, changeable: ended, isLate, hasChanged: hasChanged && pieces.length > 0 }
  }
}

const NO_PIECES: readonly Piece[] = []
const NOTHING: readonly Ended[] = []

/** Whether what follows a hole still depends on what the hole will bring. */
const isOpen = ({ on, end }: Piece) => on !== undefined && end === undefined

function startPiece(measurement: Measurement, bounds: Bounds): Piece {
  const { time } = measurement
  const piece: Piece = {
    first: time,
    at: time,
    run: undefined,
    head: undefined,
    on: undefined,
    end: undefined,
    own: NOTHING,
  }
  addValue(piece, measurement, bounds)
  return piece
}

/** Whether a time lies in a piece, or in a hole that is too old. @param index of the piece that begins before it */
function isKnown(pieces: readonly Piece[], index: number, time: number): boolean {
  const [before, after] = [pieces[index], pieces[index + 1]]
  if (before && time <= before.at) return true
  return after !== undefined && after.first < (pieces.at(-1)?.at ?? 0) - MAX_HOLE_AGE_MS
}

/** Adds a measurement to a piece, or begins a new one after it. */
function addAfter(
  pieces: Piece[],
  index: number,
  measurement: Measurement,
  usual: number,
  bounds: Bounds,
): Ended | undefined {
  const piece = pieces[index]
  const longest = (index < pieces.length - 1 ? COMPLETE : HOLE) * usual
  if (piece && measurement.time - piece.at <= longest) return addValue(piece, measurement, bounds)
  pieces.splice(index + 1, 0, startPiece(measurement, bounds))
  return undefined
}

/** Joins the pieces between which no value can be missing, or whose hole is one too many or too old. */
function join(pieces: Piece[], usual: number, bounds: Bounds): Ended[] {
  const oldest = (pieces.at(-1)?.at ?? 0) - MAX_HOLE_AGE_MS
  const settled: Ended[] = []
  for (let index = 0; index < pieces.length - 1; ) {
    const [left, right] = pieces.slice(index) as [Piece, Piece]
    const isHole = right.first - left.at > COMPLETE * usual && right.first >= oldest
    if (isHole) index++
    else settled.push(...joinNext(pieces, index, bounds))
  }
  while (pieces.length > MAX_HOLES + 1) settled.push(...joinNext(pieces, 0, bounds))
  return settled
}

/** The runs that may change if holes are filled, and the one that lasts. */
function follow(pieces: readonly Piece[], bounds: Bounds): Judged {
  const ended: Ended[] = []
  let run: Run | undefined
  for (const piece of pieces) {
    const judged = goOn(run, piece, bounds)
    ended.push(...judged.ended)
    run = judged.run
  }
  return { ended, run }
}

/** @returns the run that ended with this measurement, if nothing before the piece can change it */
function addValue(piece: Piece, { time, value }: Measurement, bounds: Bounds): Ended | undefined {
  piece.at = time
  if (value === null) return undefined
  const ended = judge(piece, { time, value }, bounds)
  if (!piece.head) {
    piece.head = { time, value }
    piece.on = runThrough(piece.head, bounds)
    return undefined
  }
  if (!isOpen(piece)) return ended
  if (judge({ run: piece.on }, { time, value }, bounds)) piece.end = { time, value }
  return ended && !keep(piece, ended) ? ended : undefined
}

/** What the first value adds to an alarm that lasts before the piece. */
function runThrough({ time, value }: Timed, bounds: Bounds): Run | undefined {
  // As `margin` is at most half the distance between the limits, this is at most one side.
  const side = SIDES.find((one) => continues(value, one, true, bounds))
  const from = Number.NEGATIVE_INFINITY
  return side && { from, at: time, value, extreme: value, side, isAlarm: true }
}

/** Keeps a run that depends on what was before the piece, if it is an alarm or may become part of one by itself. */
function keep(piece: Piece, ended: Ended): boolean {
  const isKept = ended.run.isAlarm || ended.run.from === piece.head?.time
  if (isKept) piece.own = [...piece.own, ended]
  return isKept
}

/** Judges the part of a piece that depends on what was before it, after a run that lasted there. */
function goOn(before: Run | undefined, piece: Piece, bounds: Bounds): Judged {
  const { head, run, on, end, own } = piece
  if (!head) return { ended: [], run: before }
  if (!before) return { ended: own, run }
  const current = { ...before }
  if (on?.side !== before.side) return { ended: [endOf(current, head), ...own], run }
  const lead = own.find((ended) => ended.run.from === head.time)
  const leading = lead?.run ?? (run?.from === head.time ? run : undefined)
  if (leading) {
    // Until it is an alarm, all its values are outside, so the furthest stands for all.
    judge({ run: current }, { time: leading.at, value: leading.extreme }, bounds)
    current.value = leading.value
  }
  if (!current.isAlarm) {
    if (leading && !lead) return { ended: [], run: current }
    const others = own.filter((ended) => ended !== lead)
    return { ended: [endOf(current, lead ?? head), ...others], run }
  }
  current.at = on.at
  current.value = on.value
  if (isFurther(on.extreme, current.extreme, on.side)) current.extreme = on.extreme
  return end ? { ended: [endOf(current, end)], run } : { ended: [], run: current }
}

const endOf = (run: Run, { time, value }: Timed): Ended => ({ run, time, value })

/** Joins a piece and the next one. @returns the runs that are over, which nothing will change */
function joinNext(pieces: Piece[], index: number, bounds: Bounds): readonly Ended[] {
  const [left, right] = pieces.slice(index) as [Piece, Piece]
  if (!left.head) {
    right.first = left.first
    pieces.splice(index, 1)
    return []
  }
  pieces.splice(index + 1, 1)
  const { ended, run } = goOn(left.run, right, bounds)
  left.at = right.at
  left.run = run
  if (!right.head || !isOpen(left)) return ended
  const after = goOn(left.on, right, bounds)
  const [end] = after.ended
  left.on = end?.run ?? after.run
  left.end = end && { time: end.time, value: end.value }
  const isChangeable = (one: Ended) => one.run.from < (end?.time ?? Number.POSITIVE_INFINITY)
  return ended.filter((one) => !isChangeable(one) || !keep(left, one))
}
