import assert from 'node:assert/strict'
import type { PollOptions } from '../../../src/lib/collect/poll'
import type { MeasuredRecord } from './device'
import type { JournalEntry, ReceivedAnswer } from './journal'
import type { PollSimulation } from './poll-simulation'

/** Settings of a node for new records. */
export type PollSettings = Pick<PollOptions, 'start' | 'backfill'>

const AN_HOUR = 3_600_000

/** What a correct node knows, computed only from the journal. */
interface Knowledge {
  /** Records that were delivered; with receipts, those a sink has stored. */
  delivered: ReadonlySet<number>
  answer: ReceivedAnswer | null
  /** Records that this node does not deliver, because they existed before its start. */
  before: ReadonlySet<number> | null
}

/**
 * Compares a run with what was really measured.
 */
export function createOracle({ log, journal }: PollSimulation, { start, backfill }: PollSettings) {
  const nothing: Knowledge = {
    delivered: new Set(),
    answer: null,
    before: null,
  }
  /** What was known after each entry. */
  const states: Knowledge[] = []
  const before = (index: number) => states[index - 1] ?? nothing

  function excludedAtStart({ records, upTo }: ReceivedAnswer): ReadonlySet<number> {
    const all = log.slice(0, upTo)
    const inAnswer = new Set(records.map(({ seq }) => seq))
    if (start === 'now') return seqs(all)
    if (start === 'held') return seqs(all.filter(({ seq }) => !inAnswer.has(seq)))
    return seqs(log.filter(({ unixtime }) => unixtime * 1000 < start.since))
  }

  /** Records of the service that a node with this answer must have found. */
  function due(answer: ReceivedAnswer, known: Knowledge, keptFrom: number): MeasuredRecord[] {
    const { upTo, receivedAt, newest } = answer
    const inAnswer = seqs(answer.records)
    if (newest !== undefined && newest < answer.reached) return []
    return log.slice(keptFrom, upTo).filter(({ seq, unixtime, isAhead, reached }) => {
      const instant = unixtime * 1000
      if (known.before?.has(seq)) return false
      if (inAnswer.has(seq) && (unixtime === 0 || instant > receivedAt + AN_HOUR)) return true
      if (unixtime === 0 || instant < reached) return false
      if (!backfill) return inAnswer.has(seq) && instant >= answer.reached
      return inAnswer.has(seq) || !isAhead
    })
  }

  function next(known: Knowledge, entry: JournalEntry, acknowledges: boolean): Knowledge {
    const begun = () => known.before ?? (known.answer ? excludedAtStart(known.answer) : null)
    switch (entry.kind) {
      case 'answered':
        return { ...known, answer: entry.answer }
      case 'delivered':
        return {
          ...known,
          before: begun(),
          delivered: acknowledges ? known.delivered : union(known.delivered, entry.records),
        }
      case 'completed':
        return { ...known, before: begun() }
      case 'acknowledged': {
        const delivery = journal[entry.delivery]
        assert.ok(delivery?.kind === 'delivered')
        return { ...known, delivered: union(known.delivered, delivery.records) }
      }
      case 'forgotten':
        return { ...nothing, delivered: acknowledges ? known.delivered : new Set() }
      case 'died': {
        const then = before(entry.at)
        const { answer } = then
        const again = then.before ?? (entry.hasCursor && answer ? excludedAtStart(answer) : null)
        if (!acknowledges) return { ...then, before: again }
        // What was sent with a receipt is known after any crash.
        return { ...then, before: known.before ?? again, delivered: known.delivered }
      }
      default:
        return known
    }
  }

  return {
    /** Reads the journal; `check` is called for each entry. */
    read(acknowledges: boolean, check: (entry: JournalEntry, index: number) => void): void {
      for (const [index, entry] of journal.entries()) {
        states.push(next(before(index), entry, acknowledges))
        check(entry, index)
      }
    },
    /** What was delivered, or stored, before an entry. */
    deliveredBefore: (index: number) => before(index).delivered,
    /** What is due at the end of a trigger and is not there. */
    missing(index: number, keptFrom: number): number[] {
      const known = states[index] ?? nothing
      if (!known.answer) return []
      return due(known.answer, known, keptFrom)
        .map(({ seq }) => seq)
        .filter((seq) => !known.delivered.has(seq))
    },
  }
}

const seqs = (records: readonly MeasuredRecord[]) => new Set(records.map(({ seq }) => seq))
const union = (have: ReadonlySet<number>, records: readonly MeasuredRecord[]) =>
  new Set([...have, ...seqs(records)])
