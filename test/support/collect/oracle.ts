import assert from 'node:assert/strict'
import type { PollOptions } from '../../../src/lib/collect/poll'
import type { Measured } from './device'
import type { Answered, Entry } from './journal'
import type { World } from './world'

/** What a node is told of new records. */
export type Wish = Pick<PollOptions, 'start' | 'backfill'>

const AN_HOUR = 3_600_000

/** What a node that does its work knows, by the journal alone. */
interface Known {
  /** Records that were delivered; with receipts, those a sink has stored. */
  have: ReadonlySet<number>
  answer: Answered | null
  /** Records that this node is not to bring: what there was before it began. */
  before: ReadonlySet<number> | null
}

/**
 * Holds a run against what really was measured.
 * @param isLenient true where a record may come twice
 */
export function createOracle({ log, journal }: World, { start, backfill }: Wish) {
  const nothing: Known = {
    have: new Set(),
    answer: null,
    before: null,
  }
  /** What was known after each entry. */
  const states: Known[] = []
  const before = (index: number) => states[index - 1] ?? nothing

  function begin({ records, upTo }: Answered): ReadonlySet<number> {
    const all = log.slice(0, upTo)
    const inAnswer = new Set(records.map(({ seq }) => seq))
    if (start === 'now') return seqs(all)
    if (start === 'held') return seqs(all.filter(({ seq }) => !inAnswer.has(seq)))
    return seqs(log.filter(({ unixtime }) => unixtime * 1000 < start.since))
  }

  /** Records that are with the service, and that nobody who has this answer can have overlooked. */
  function due(answer: Answered, known: Known, keptFrom: number): Measured[] {
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

  function next(known: Known, entry: Entry, acknowledges: boolean): Known {
    const begun = () => known.before ?? (known.answer ? begin(known.answer) : null)
    switch (entry.kind) {
      case 'answered':
        return { ...known, answer: entry.answer }
      case 'delivered':
        return {
          ...known,
          before: begun(),
          have: acknowledges ? known.have : union(known.have, entry.records),
        }
      case 'completed':
        return { ...known, before: begun() }
      case 'acknowledged': {
        const delivery = journal[entry.delivery]
        assert.ok(delivery?.kind === 'delivered')
        return { ...known, have: union(known.have, delivery.records) }
      }
      case 'forgotten':
        return { ...nothing, have: acknowledges ? known.have : new Set() }
      case 'died': {
        const then = before(entry.at)
        const { answer } = then
        const again = then.before ?? (entry.hasCursor && answer ? begin(answer) : null)
        return { ...then, before: again, have: acknowledges ? known.have : then.have }
      }
      default:
        return known
    }
  }

  return {
    /** Reads the journal; each entry is judged in its turn. */
    read(acknowledges: boolean, judge: (entry: Entry, index: number) => void): void {
      for (const [index, entry] of journal.entries()) {
        states.push(next(before(index), entry, acknowledges))
        judge(entry, index)
      }
    },
    /** What was delivered, or stored, before an entry. */
    had: (index: number) => before(index).have,
    /** What is due at the end of a trigger and is not there. */
    missing(index: number, keptFrom: number): number[] {
      const known = states[index] ?? nothing
      if (!known.answer) return []
      return due(known.answer, known, keptFrom)
        .map(({ seq }) => seq)
        .filter((seq) => !known.have.has(seq))
    },
  }
}

const seqs = (records: readonly Measured[]) => new Set(records.map(({ seq }) => seq))
const union = (have: ReadonlySet<number>, records: readonly Measured[]) =>
  new Set([...have, ...seqs(records)])
