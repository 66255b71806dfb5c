/** Stories of a freezer in minutes after the beginning. */
import type { LimitEvent } from '../../../src/lib/limits/event'
import { AT_8, MINUTE, seriesOf, type Value } from './monitoring'

export const at = (minute: number) => AT_8 + minute * MINUTE

export type Minutes = readonly [from: number, until: number]

/** A freezer that is too warm from each first minute until each second one. */
export const warmIn =
  (...times: readonly Minutes[]) =>
  (minute: number) =>
    times.some(([from, until]) => minute >= from && minute < until) ? -5 : -18

export const isCold = () => -18

/** Records from a minute until before another one. */
export function recordsIn(from: number, until: number, valueAt: (minute: number) => Value, interval = 1) {
  const count = Math.ceil((until - from) / interval)
  return recordsAt(
    ...Array.from({ length: count }, (_, index) => {
      const minute = from + index * interval
      return [minute, valueAt(minute)] as const
    }),
  )
}

export const recordsAt = (...records: readonly (readonly [minute: number, value: Value])[]) =>
  seriesOf(records.map(([minute, value]) => [Math.round(at(minute)), value]))

const toMinute = (time: string | null) => (time === null ? '' : (Date.parse(time) - AT_8) / MINUTE)

/** An event as `ended late above 20-80`: state, late, revised, condition, beginning and end. */
export function inMinutes({ state, late, revised, condition, from, until }: LimitEvent): string {
  const times = `${toMinute(from)}-${toMinute(until)}`
  return [state, late && 'late', revised && 'revised', condition, times].filter((part) => part).join(' ')
}

/** The last event about each id. */
export const lastOfEach = (events: readonly LimitEvent[]) =>
  [...new Map(events.map((event) => [event.id, event])).values()].map(inMinutes)
