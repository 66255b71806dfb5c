import type { Serials } from '../../shared/action'
import type { Acknowledgment } from './condition'
import type { LimitEvent } from './event'

/** Who gives a command, and why; each has at most 100 characters. */
export interface Signature {
  by: string | null
  note: string | null
}

/** @param at ms since 1970 UTC @param ms how long there are no reminders; `null` for ever */
export function sign({ by, note }: Signature, at: number, ms: number | null = null): Acknowledgment {
  return { at, by, note, ms }
}

/** An alarm that may be acknowledged. */
interface Candidate {
  event: LimitEvent
  isReported: boolean
  isAcknowledged: boolean
}

/**
 * Whether an alarm is one of those to be acknowledged: one that was reported, of these devices or silent base units, or
 * that nobody has acknowledged; or one with one of these ids, also if a mute holds it back.
 */
export function createFilter(of: Serials): (candidate: Candidate) => boolean {
  if (of === 'all') return ({ isReported, isAcknowledged }) => isReported && !isAcknowledged
  const names = new Set(of)
  return ({ event: { id, serial, base }, isReported }) =>
    names.has(id ?? '') || (isReported && names.has(serial ?? base ?? ''))
}
