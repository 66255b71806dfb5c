import * as z from 'zod/mini'
import { isTimestamp } from '../decode/time'
import type { Condition } from './condition'
import { aboutOf, type LimitEvent, NOTHING, pathOf, toIso, toMinutes } from './event'
import type { Over } from './history'

/** Saved alarms that are over. As there may be 200, they are arrays without what can be derived. */

const text = z.nullable(z.string())
const number = z.nullable(z.number())
const instant = z.custom<number>(isTimestamp)

export const savedBy = z.tuple([instant, text, text])

/**
 * `[key, from, until, flags, utcOffset, condition, limit, base, serial, name, channel, label, quantity, above, below,
 * value, extreme, unit, detail, acknowledged]`, with `from` and `until` in ms after `key`.
 */
export const savedOver = z.tuple([
  ...([instant, z.number(), z.number(), z.int(), number, z.string(), text, text, text, text] as const),
  ...([number, text, text, number, number, number, number, text, text, z.nullable(savedBy)] as const),
])
export type SavedOver = z.output<typeof savedOver>

const WAITING = 1
const HELD = 2
const LATE = 4
const REVISED = 8
/** Held back, but nothing that it was about is still watched. */
const UNWATCHED = 16

const timeOf = (iso: string | null) => Date.parse(iso ?? '')

export function toSavedOver({ report, conditions, isWaiting, isHeld }: Over): SavedOver {
  const { event, utcOffset } = report
  const { id, from, until, condition, limit, base, serial, name, channel, label, quantity } = event
  const { above, below, value, extreme, unit, detail, late, revised, acknowledged } = event
  const key = timeOf(`${id}`.slice(pathOf(event).length + 1))
  const held = isHeld ? HELD + (conditions.length === 0 ? UNWATCHED : 0) : 0
  const flags = (isWaiting ? WAITING : 0) + held + (late ? LATE : 0) + (revised ? REVISED : 0)
  return [
    ...([key, timeOf(from) - key, timeOf(until) - key, flags, utcOffset] as const),
    ...([condition ?? '', limit, base, serial, name, channel, label, quantity, above, below] as const),
    ...([value, extreme, unit, detail] as const),
    acknowledged && [timeOf(acknowledged.at), acknowledged.by, acknowledged.note],
  ]
}

/** The conditions that it was about are not yet known. */
function fromSavedOver(saved: SavedOver): Over {
  const [key, from, until, flags, utcOffset, condition, limit, base, serial, name, ...others] = saved
  const [channel, label, quantity, above, below, value, extreme, unit, detail, acknowledged] = others
  const event: LimitEvent = {
    ...{
      ...NOTHING,
      state: 'ended',
      condition: condition as LimitEvent['condition'],
      limit,
      base,
      serial,
      name,
    },
    ...{ channel, label, quantity, above, below, value, extreme, unit, detail },
    from: toIso(key + from),
    until: toIso(key + until),
    minutes: toMinutes(from, until),
    late: (flags & LATE) !== 0,
    revised: (flags & REVISED) !== 0,
    acknowledged: acknowledged && { at: toIso(acknowledged[0]), by: acknowledged[1], note: acknowledged[2] },
  }
  const report = { event: { ...event, id: `${pathOf(event)}/${toIso(key)}` }, utcOffset }
  return { report, conditions: [], isWaiting: (flags & WAITING) !== 0, isHeld: (flags & HELD) !== 0 }
}

/** Alarms with the conditions that they are about: for a base unit, the silence of its devices. */
export function fromSavedHistory(
  saved: readonly SavedOver[],
  conditions: Iterable<Condition>,
): readonly Over[] {
  const all = saved.map(fromSavedOver)
  const needed = all.filter(
    ({ isWaiting, isHeld }, index) => isWaiting || (isHeld && !((saved[index] as SavedOver)[3] & UNWATCHED)),
  )
  if (needed.length === 0) return all
  const found = new Map(needed.map(({ report }) => [pathOf(report.event), [] as Condition[]]))
  for (const condition of conditions) for (const path of pathsOf(condition)) found.get(path)?.push(condition)
  for (const over of needed) over.conditions = found.get(pathOf(over.report.event)) ?? []
  return all
}

function pathsOf(condition: Condition): string[] {
  const { event } = aboutOf(condition)
  const own = pathOf(event)
  return condition.kind === 'silent' ? [own, pathOf({ ...event, serial: null })] : [own]
}
