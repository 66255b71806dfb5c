import assert from 'node:assert/strict'
import type { DeviceProfile, MeasuredRecord } from './device'
import type { JournalEntry, ReceivedResponse } from './journal'
import type { PollSettings, PollSimulation } from './poll-simulation'

/** What a correct node and its sink have done, computed only from the journal. */
interface Progress {
  /** The first response that counts. */
  first: ReceivedResponse | null
  /** Records that must not be delivered again: delivered or, with receipts, acknowledged. */
  confirmed: ReadonlySet<number>
  /** Records in responses whose trigger has completed. */
  shown: ReadonlySet<number>
  /** Whether a loss was reported, as such or by the numbers of records. */
  hasOverflow: boolean
}

const beginning: Progress = { first: null, confirmed: new Set(), shown: new Set(), hasOverflow: false }

/**
 * Compares a run, at the end of which everything has been fetched, with the records that were really measured.
 * @param acknowledges whether records count as delivered when their receipt has been returned
 * @throws if a record was sent twice or in the wrong order, or is missing without a word
 */
export function judge(
  { log, journal, cursor }: PollSimulation,
  { start }: PollSettings,
  profile: DeviceProfile,
  acknowledges: boolean,
): void {
  /** The progress before each entry. */
  const states: Progress[] = []
  let now = beginning
  /** The response of the current trigger, unless it was superseded. */
  let answered: ReceivedResponse | null = null
  /** Records that the user has, whatever the node knows of it. */
  let delivered = new Set<number>()
  let last: readonly MeasuredRecord[] = []
  /** A replica that lags showed records that were still missing: what it lacks is in doubt from then on. */
  let hasOldNews = false
  const isDistinct = distinctIn(log)
  const latestRun = Math.max(...log.map(({ run }) => run))
  // Only numbers tell that a record that appears again after newer ones, perhaps from a replica that lags, is older.
  const isByTime = profile.newestBy === 'time' || log.every(({ isPlain }) => isPlain)
  const mustBeOnce = (one: MeasuredRecord) =>
    isByTime && isDistinct(one) && one.id > 0 && one.run === latestRun

  for (const [index, entry] of journal.entries()) {
    states.push(now)
    if (entry.kind === 'answered') {
      answered = entry.response
      now = { ...now, first: now.first ?? entry.response }
    } else if (entry.kind === 'delivered') {
      assertWellFormed(entry)
      hasOldNews ||= answered?.isOld === true && !entry.isBackfill
      const again = entry.records.filter(
        (one) => !hasOldNews && mustBeOnce(one) && now.confirmed.has(one.seq),
      )
      assert.deepEqual(seqsOf(again), [], `sent again (entry ${index})`)
      now = { ...now, hasOverflow: now.hasOverflow || entry.isOverflow || entry.gaps.length > 0 }
      if (!acknowledges) {
        now = { ...now, confirmed: union(now.confirmed, entry.records) }
        delivered = union(delivered, entry.records)
      }
    } else if (entry.kind === 'acknowledged') {
      const delivery = journal[entry.delivery]
      assert.ok(delivery?.kind === 'delivered')
      delivered = union(delivered, delivery.records)
      if (entry.hasEffect) now = { ...now, confirmed: union(now.confirmed, delivery.records) }
    } else if (entry.kind === 'completed') {
      if (answered && !answered.isOld) now = { ...now, shown: union(now.shown, answered.records) }
      answered = null
      last = entry.stored
    } else if (entry.kind === 'forgotten') {
      now = { ...beginning, hasOverflow: now.hasOverflow }
      delivered = new Set()
      answered = null
    } else if (entry.kind === 'deployed') answered = null
    else if (entry.kind === 'died') {
      const { confirmed, first } = states[entry.at] ?? now
      now = { ...now, confirmed, first: entry.hasCursor ? (first ?? now.first) : null }
      if (!entry.hasCursor || acknowledges) now = { ...now, shown: new Set() }
      answered = null
    }
  }

  const { first, shown, hasOverflow } = now
  const isWanted = (one: MeasuredRecord) => isWantedSince(one, first, start)
  const missing = log.filter((one) => isDistinct(one) && isWanted(one) && !delivered.has(one.seq))
  if (profile.newestBy === 'time') {
    const overlooked = missing.filter(({ seq }) => shown.has(seq))
    assert.deepEqual(seqsOf(overlooked), [], 'in a response, but not delivered')
  }
  if (!isByTime) return
  const received = new Set(seqsOf(last))
  const isKept = (one: MeasuredRecord) => received.has(one.seq)
  const { unreported } = (cursor() ?? {}) as { unreported?: unknown }
  const newest = last.at(-1)?.seq ?? -1
  // Nothing tells whether there were records before the first known one.
  const beginsWithRecord =
    typeof start !== 'object' && first?.records.length !== 0 && journal.every(({ kind }) => kind !== 'died')
  const gone = missing.filter((one) => one.isPlain && one.seq <= newest && (isKept(one) || beginsWithRecord))
  if (!hasOverflow && unreported === undefined)
    assert.deepEqual(
      gone.map((one) => `${one.seq}${isKept(one) ? '' : ' overwritten'}`),
      [],
      'lost without a word',
    )
}

function isWantedSince(
  { seq, unixtime, isPlain }: MeasuredRecord,
  first: ReceivedResponse | null,
  start: PollSettings['start'],
): boolean {
  if (!first) return false
  if (typeof start === 'object') return unixtime > 0 && unixtime * 1000 >= start.since
  const { records, stored, measured, receivedAt } = first
  // Only the time of an empty response is known.
  if (records.length === 0 && stored.length === 0) return unixtime === 0 || unixtime * 1000 >= receivedAt
  if (start === 'all' && records.some((one) => one.seq === seq)) return true
  return !stored.some((one) => one.seq === seq) && !(isPlain && seq < measured)
}

function assertWellFormed({ records }: Extract<JournalEntry, { kind: 'delivered' }>): void {
  assert.ok(records.length > 0, 'a message without records')
  assert.equal(new Set(seqsOf(records)).size, records.length, 'twice in one message')
  const times = records.map(({ unixtime }) => unixtime)
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
    'oldest first',
  )
}

/** Whether time and number distinguish a record from all others: the others are sent twice if in doubt. */
function distinctIn(log: readonly MeasuredRecord[]): (one: MeasuredRecord) => boolean {
  const keyOf = ({ unixtime, id }: MeasuredRecord) => `${unixtime}/${id}`
  const counts = new Map<string, number>()
  for (const one of log) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1)
  return (one) => counts.get(keyOf(one)) === 1
}

const seqsOf = (records: readonly MeasuredRecord[]) => records.map(({ seq }) => seq)
const union = (have: ReadonlySet<number>, records: readonly MeasuredRecord[]) =>
  new Set([...have, ...seqsOf(records)])
