import assert from 'node:assert/strict'
import type { PollOptions } from '../../../src/lib/collect/poll'
import type { DeviceProfile, MeasuredRecord } from './device'
import type { JournalEntry, ReceivedResponse } from './journal'
import type { PollSimulation } from './poll-simulation'

/** Settings of a node for new records. */
export type PollSettings = Pick<PollOptions, 'start' | 'backfill'>

const AN_HOUR = 3_600_000
const ID_MODULUS = 65_536

/** A record that a node remembers, and the arrival of the last response that contained it. */
interface HeldRecord {
  record: MeasuredRecord
  at: number
}

/** The knowledge of a correct node, computed only from the journal. */
interface Knowledge {
  /** Delivered records; with receipts, those that a sink has stored. */
  delivered: ReadonlySet<number>
  /** The first response that counts: its records were delivered, or were not wanted. */
  first: ReceivedResponse | null
  /** The arrival of the last response, and the remembered records, by time. */
  at: number
  held: readonly HeldRecord[]
  /** The last response, and the records to be delivered after it: its own, and those of the hole before it. */
  response: ReceivedResponse | null
  shown: readonly MeasuredRecord[]
  hidden: readonly MeasuredRecord[]
  /** A later delivery has no receipt yet. */
  isOpen: boolean
}

const nothing: Knowledge = {
  delivered: new Set(),
  first: null,
  at: 0,
  held: [],
  response: null,
  shown: [],
  hidden: [],
  isOpen: false,
}

/** Compares a run with the records that were really measured. */
export function createOracle(
  { log, journal }: PollSimulation,
  { start, backfill }: PollSettings,
  { standalone, newest: most }: DeviceProfile,
) {
  const { since = null } = typeof start === 'object' ? start : {}
  /** The knowledge after each entry. */
  const states: Knowledge[] = []
  const before = (index: number) => states[index - 1] ?? nothing

  /** Whether a node that started with this response should deliver the record. */
  function isWanted(record: MeasuredRecord, first: ReceivedResponse | null): boolean {
    const { seq, unixtime } = record
    if (since !== null) return unixtime === 0 || timeOf(record) >= since
    if (!first) return start === 'all'
    const { records, stored, receivedAt } = first
    // Only the time of an empty response is known.
    if (start === 'now' && records.length === 0) return unixtime === 0 || timeOf(record) >= receivedAt
    return !seqs(stored).has(seq) || (start === 'all' && seqs(records).has(seq))
  }

  /** Whether it is known, or cannot be distinguished from a known one. */
  function isKnown(
    record: MeasuredRecord,
    { records }: ReceivedResponse,
    held: readonly HeldRecord[],
  ): boolean {
    const same = held.filter((one) => keyOf(one.record) === keyOf(record))
    if (same.some((one) => one.record.seq === record.seq)) return true
    if (same.length > 0) return records.filter((one) => keyOf(one) === keyOf(record)).length <= same.length
    const [oldest] = held.flatMap((one) => (one.record.unixtime > 0 ? [one.record] : []))
    return oldest !== undefined && held.length >= most && isOlder(record, oldest)
  }

  /** Whether a record is older than another by both time and number. */
  function isOlder(record: MeasuredRecord, other: MeasuredRecord): boolean {
    if (record.unixtime === 0 || record.unixtime >= other.unixtime) return false
    if (standalone) return record.id > 0 && record.id < other.id
    const by = (other.id - record.id + ID_MODULUS) % ID_MODULUS
    return by > 0 && by <= ID_MODULUS / 2
  }

  /** The period of missing records before a response, ms. */
  function findHole({ records, receivedAt }: ReceivedResponse, { first, at, held }: Knowledge) {
    const timed = records.filter(({ unixtime }) => unixtime > 0)
    const usual = timed.filter((record) => timeOf(record) <= receivedAt + AN_HOUR)
    const compared = usual.length > 0 ? usual : timed
    const known = new Set(held.map(({ record }) => keyOf(record)))
    if (records.length < most || compared.some((one) => known.has(keyOf(one)))) return undefined
    const [oldest] = compared.toSorted((a, b) => timeOf(a) - timeOf(b))
    if (!oldest) return undefined
    const reliable = held.flatMap((one) => {
      const isAside = usual.length > 0 && timeOf(one.record) > one.at + AN_HOUR
      return one.record.unixtime === 0 || isAside ? [] : [one.record]
    })
    const from = reliable.length > 0 ? Math.max(...reliable.map(timeOf)) : (since ?? (first ? at : undefined))
    const newest = reliable.filter((record) => timeOf(record) === from)
    if (
      from === undefined ||
      newest.some(({ id }) => (standalone ? id + 1 : (id + 1) % ID_MODULUS) === oldest.id)
    )
      return undefined
    return { from, to: timeOf(oldest) }
  }

  function receive(known: Knowledge, response: ReceivedResponse): Knowledge {
    const { first, held } = known
    const isDue = (record: MeasuredRecord) => isWanted(record, first) && !isKnown(record, response, held)
    const hole = backfill ? findHole(response, known) : undefined
    const hidden = response.stored.filter(
      (record) => hole && timeOf(record) >= hole.from && timeOf(record) <= hole.to,
    )
    const due = { shown: response.records.filter(isDue), hidden: hidden.filter(isDue) }
    return { ...known, response, isOpen: false, ...due }
  }

  function count(known: Knowledge, response = known.response): Knowledge {
    if (!response) return known
    const { records, receivedAt } = response
    const keys = new Set(records.map(keyOf))
    const room = Math.max(0, most - records.length)
    const earlier = known.held.filter(({ record }) => !keys.has(keyOf(record)))
    const held = [
      ...earlier.slice(earlier.length - Math.min(room, earlier.length)),
      ...records.map((record) => ({ record, at: receivedAt })),
    ].toSorted((a, b) => timeOf(a.record) - timeOf(b.record))
    return { ...known, first: known.first ?? response, at: receivedAt, held }
  }

  /** The knowledge when the state was saved. For a first response without new records, this was just before its end. */
  function restore({ at, hasCursor }: Extract<JournalEntry, { kind: 'died' }>): Knowledge {
    const then = before(at)
    if (then.first || !hasCursor) return then
    return start === 'now'
      ? count(then)
      : { ...then, first: then.response, at: then.response?.receivedAt ?? 0 }
  }

  function next(known: Knowledge, entry: JournalEntry, acknowledges: boolean): Knowledge {
    switch (entry.kind) {
      case 'answered':
        return receive(known, entry.response)
      case 'delivered':
        if (acknowledges) return { ...known, isOpen: true }
        return count({ ...known, delivered: union(known.delivered, entry.records) })
      case 'completed':
        return known.isOpen ? known : count(known)
      case 'acknowledged': {
        const delivery = journal[entry.delivery]
        assert.ok(delivery?.kind === 'delivered')
        const stored = { ...known, delivered: union(known.delivered, delivery.records) }
        return entry.to > entry.from ? count(stored, before(entry.delivery).response) : stored
      }
      case 'forgotten':
        return { ...nothing, delivered: acknowledges ? known.delivered : nothing.delivered }
      case 'died':
        // Records sent with a receipt are known after any crash.
        return { ...restore(entry), ...(acknowledges && { delivered: known.delivered }) }
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
    /** The given records that a node remembers, and that time and number distinguish from all others. */
    remembered(index: number, records: readonly MeasuredRecord[]): number[] {
      const held = seqs(before(index).held.map(({ record }) => record))
      const isInDoubt = (one: MeasuredRecord) => log.filter((other) => keyOf(other) === keyOf(one)).length > 1
      return records.flatMap((one) => (held.has(one.seq) && !isInDoubt(one) ? [one.seq] : []))
    },
    /** The given records from before the node's start that no response has contained since. */
    excluded(index: number, records: readonly MeasuredRecord[]): number[] {
      const { first, response } = before(index)
      if (since !== null) return records.flatMap((one) => (isWanted(one, first) ? [] : [one.seq]))
      if (!first || !response) return []
      const [stored, shown] = [seqs(first.stored), seqs([...first.records, ...response.records])]
      const begin = Math.min(...first.records.flatMap((one) => (one.unixtime > 0 ? [timeOf(one)] : [])))
      // A record without a number is ambiguous.
      const isEarlier = (one: MeasuredRecord) =>
        one.unixtime > 0 && one.id > 0 && timeOf(one) < begin && stored.has(one.seq)
      return records.flatMap((one) => (isEarlier(one) && !shown.has(one.seq) ? [one.seq] : []))
    },
    /** Records that are due at the end of a trigger but missing, among those that the service still has. */
    missing(index: number, stored: readonly MeasuredRecord[]): number[] {
      const { shown, hidden, delivered } = states[index] ?? nothing
      const left = seqs(stored)
      const due = seqs([...shown, ...hidden.filter(({ seq }) => left.has(seq))])
      return [...due].filter((seq) => !delivered.has(seq))
    },
    /** Whether a delivery after the last response has no receipt yet. */
    isOpen: (index: number) => (states[index] ?? nothing).isOpen,
  }
}

const keyOf = ({ unixtime, id }: MeasuredRecord) => `${unixtime}/${id}`
const timeOf = ({ unixtime }: MeasuredRecord) => unixtime * 1000
const seqs = (records: readonly MeasuredRecord[]) => new Set(records.map(({ seq }) => seq))
const union = (have: ReadonlySet<number>, records: readonly MeasuredRecord[]) =>
  new Set([...have, ...seqs(records)])
