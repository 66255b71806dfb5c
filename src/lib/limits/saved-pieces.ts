import * as z from 'zod/mini'
import { isTimestamp } from '../decode/time'
import type { Ended, Run } from './judge'
import { type Piece, Pieces } from './pieces'

/**
 * Saved pieces of a channel. They are written often and there may be many, so they are arrays of numbers, with times in
 * ms after the beginning of the piece, and without what the judge no longer needs.
 */

const numbers = (length: number) => z.array(z.number()).check(z.length(length))

/** `[from, at, value, extreme, flags]`. */
const savedRun = numbers(5)
/** `[extreme, flags, time, value]`: the furthest value, and the newest one or, if it is over, the one that ended it. */
const savedOn = numbers(4)
/** `[from, at, extreme, flags, time, value]`: the last two are of the value that ended it. */
const savedEnded = numbers(6)
const orNone = <T extends z.ZodMiniType>(saved: T) => z.union([z.literal(0), saved])

/** `[first, length]`, with a value also its time and the value, and then what lasts or may change. */
export const savedPiece = z.union([
  z.tuple([z.custom<number>(isTimestamp), z.number()]),
  z.tuple([z.custom<number>(isTimestamp), z.number(), z.number(), z.number()]),
  z.tuple(
    [z.custom<number>(isTimestamp), z.number(), z.number(), z.number(), orNone(savedRun), orNone(savedOn)],
    savedEnded,
  ),
])
export type SavedPiece = z.output<typeof savedPiece>

const BELOW = 1
const ALARM = 2
const OVER = 4

export function toSavedPiece({ first, at, run, head, on, end, own }: Piece): SavedPiece {
  const length = at - first
  if (!head) return [first, length]
  const { time, value } = head
  const about = [first, length, time - first, value] as const
  if (!run && !on) return [...about]
  const toRun = (one: Run) => [one.from - first, one.at - first, one.value, one.extreme, flagsOf(one)]
  const toOn = ({ extreme, at: newest, value: last, ...others }: Run) =>
    end
      ? [extreme, flagsOf(others) + OVER, end.time - first, end.value]
      : [extreme, flagsOf(others), newest - first, last]
  const toEnded = ({ run: over, ...ended }: Ended) => [
    ...[over.from - first, over.at - first, over.extreme, flagsOf(over)],
    ...[ended.time - first, ended.value],
  ]
  return [...about, run ? toRun(run) : 0, on ? toOn(on) : 0, ...own.map(toEnded)] as SavedPiece
}

export function fromSavedPieces(saved: readonly SavedPiece[]): Pieces {
  return new Pieces(saved.map(fromSavedPiece))
}

function fromSavedPiece([first, length, time, value, run = 0, on = 0, ...own]: SavedPiece): Piece {
  const piece: Piece = {
    first,
    at: first + length,
    run: run === 0 ? undefined : toRun(first, run),
    head: time === undefined || value === undefined ? undefined : { time: first + time, value },
    on: undefined,
    end: undefined,
    own: own.map((one) => toEnded(first, one)),
  }
  if (on === 0) return piece
  const [extreme, flags, at, last] = on as [number, number, number, number]
  const going = { from: Number.NEGATIVE_INFINITY, at: first + at, value: last, extreme, ...fromFlags(flags) }
  const end = flags & OVER ? { time: first + at, value: last } : undefined
  return { ...piece, on: going, end }
}

function toRun(first: number, [from, at, value, extreme, flags]: readonly number[]): Run {
  const numbersOf = { value, extreme } as { value: number; extreme: number }
  return {
    from: first + (from as number),
    at: first + (at as number),
    ...numbersOf,
    ...fromFlags(flags as number),
  }
}

function toEnded(first: number, [from, at, extreme, flags, time, value]: readonly number[]): Ended {
  const run = toRun(first, [from, at, extreme, extreme, flags] as number[])
  return { run, time: first + (time as number), value: value as number }
}

/** The side of a run, and whether it is an alarm, as a number. */
export const flagsOf = ({ side, isAlarm }: Pick<Run, 'side' | 'isAlarm'>): number =>
  (side === 'below' ? BELOW : 0) + (isAlarm ? ALARM : 0)

export const fromFlags = (flags: number): Pick<Run, 'side' | 'isAlarm'> => ({
  side: flags & BELOW ? 'below' : 'above',
  isAlarm: (flags & ALARM) !== 0,
})
