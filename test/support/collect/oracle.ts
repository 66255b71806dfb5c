import assert from 'node:assert/strict'
import type { DeviceProfile, MeasuredRecord } from './device'
import type { JournalEntry, ReceivedResponse } from './journal'
import type { PollSettings, PollSimulation } from './poll-simulation'

/** What a correct node and its sink have done, computed only from the journal. */
interface Progress {
  /** The first response that counts. */
  first: ReceivedResponse | null
  /** The wanted records of the first one since the start of the process that contained any. */
  firstRecords: readonly MeasuredRecord[]
  /** Records that must not be delivered again: delivered or, with receipts, acknowledged. */
  confirmed: ReadonlySet<number>
  /** Records in responses whose trigger has completed. */
  shown: ReadonlySet<number>
  /** Whether a loss was reported, as such or by the numbers of records. */
  hasOverflow: boolean
}

const beginning: Progress = {
  first: null,
  firstRecords: [],
  confirmed: new Set(),
  shown: new Set(),
  hasOverflow: false,
}

/**
 * Compares a run, at the end of which everything has been fetched, with the records that were really measured.
 * @param acknowledges whether records count as delivered when their receipt has been returned
 * @throws if a record was sent twice or in the wrong order, or is missing without a word
 */
export function judge(
  simulation: PollSimulation,
  settings: PollSettings,
  profile: DeviceProfile,
  acknowledges: boolean,
): void {
  const judged = new JudgedRun(simulation, settings, profile, acknowledges)
  judged.follow()
  judged.assertComplete()
}

/** What changes with an entry of each kind. */
type Steps = { [K in JournalEntry['kind']]?: (entry: Extract<JournalEntry, { kind: K }>) => void }

class JudgedRun {
  readonly #simulation: PollSimulation
  readonly #settings: PollSettings
  readonly #profile: DeviceProfile
  readonly #acknowledges: boolean
  readonly #isDistinct: (one: MeasuredRecord) => boolean
  readonly #latestRun: number
  /** Only numbers tell that a record that appears again after newer ones, perhaps from a replica that lags, is older. */
  readonly #isByTime: boolean
  /** The progress before each entry. */
  readonly #states: Progress[] = []
  #now = beginning
  /** The response of the current trigger, unless it was superseded. */
  #answered: ReceivedResponse | null = null
  /** Records that the user has, whatever the node knows of it. */
  #delivered: ReadonlySet<number> = new Set()
  #last: readonly MeasuredRecord[] = []
  /** A replica that lags showed records that were still missing: what it lacks is in doubt from then on. */
  #hasOldNews = false

  constructor(
    simulation: PollSimulation,
    settings: PollSettings,
    profile: DeviceProfile,
    acknowledges: boolean,
  ) {
    const { log } = simulation
    this.#simulation = simulation
    this.#settings = settings
    this.#profile = profile
    this.#acknowledges = acknowledges
    this.#isDistinct = distinctIn(log)
    this.#latestRun = Math.max(...log.map(({ run }) => run))
    this.#isByTime = profile.newestBy === 'time' || log.every(({ isPlain }) => isPlain)
  }

  /** @throws if a record was sent twice or in the wrong order */
  follow(): void {
    for (const entry of this.#simulation.journal) this.#pass(entry)
  }

  /** @throws if a record is missing without a word */
  assertComplete(): void {
    const { start, backfill } = this.#settings
    const { log, journal } = this.#simulation
    const { first, firstRecords, shown, hasOverflow } = this.#now
    const missing = log.filter(
      (one) => this.#isDistinct(one) && isWantedSince(one, first, start) && !this.#delivered.has(one.seq),
    )
    // Without a backfill, a longer response may contain what was reported as lost, which then counts as sent.
    if (this.#profile.newestBy === 'time' && (backfill || !hasOverflow)) {
      const overlooked = missing.filter(({ seq }) => shown.has(seq))
      assert.deepEqual(seqsOf(overlooked), [], 'in a response, but not delivered')
    }
    if (hasOverflow || this.#isInDoubt()) return
    const received = new Set(seqsOf(this.#last))
    const newest = this.#last.at(-1)?.seq ?? -1
    // Nothing tells whether there were records before the first known one.
    const beginsWithRecord =
      typeof start !== 'object' && first?.records.length !== 0 && journal.every(({ kind }) => kind !== 'died')
    // Fewer records than in a full response do not tell whether there were any before, unless these are fetched.
    const { length, 0: oldest } = firstRecords.filter(({ isPlain }) => isPlain)
    const from = backfill || length >= this.#profile.newest ? 0 : (oldest?.seq ?? newest)
    // After a crash, one of the same second may have been replaced by a newer record.
    const second = backfill ? undefined : oldest?.unixtime
    const lost = missing
      .filter(({ unixtime }) => unixtime !== second)
      .filter(({ isPlain, seq }) => isPlain && seq >= from && seq <= newest)
      .filter(({ seq }) => received.has(seq) || beginsWithRecord)
      .map(({ seq }) => `${seq}${received.has(seq) ? '' : ' overwritten'}`)
    assert.deepEqual(lost, [], 'lost without a word')
  }

  /** Whether nothing can be said about records that are missing without a word. */
  #isInDoubt(): boolean {
    const { log, cursor } = this.#simulation
    const { first } = this.#now
    const { unreported } = (cursor ?? {}) as { unreported?: unknown }
    const hasAhead = log.some(({ unixtime }, index) => unixtime > (log[index + 1]?.unixtime || unixtime))
    const { length = 0 } = first?.records ?? []
    return (
      !this.#isByTime ||
      unreported !== undefined ||
      // A record ahead of the clock may then seem to be one of those that the replica lacked.
      (this.#hasOldNews && hasAhead) ||
      // The numbers of several restarts may seem to be consecutive.
      this.#latestRun > 1 ||
      // Records ahead of the clock do not reveal that others are missing.
      (length > 0 && first?.records.every(isAheadOf(first)) === true)
    )
  }

  #pass<K extends JournalEntry['kind']>(entry: Extract<JournalEntry, { kind: K }>): void {
    this.#states.push(this.#now)
    this.#steps[entry.kind as K]?.(entry)
  }

  readonly #steps: Steps = {
    answered: ({ response }) => {
      this.#answered = response
      const { first, firstRecords } = this.#now
      const { start } = this.#settings
      const isWanted = ({ unixtime }: MeasuredRecord) =>
        typeof start !== 'object' || unixtime * 1000 >= start.since
      this.#change({
        first: first ?? response,
        firstRecords: firstRecords.length > 0 ? firstRecords : response.records.filter(isWanted),
      })
    },
    delivered: (entry) => {
      const { records, gaps, isOverflow, isBackfill } = entry
      assertWellFormed(entry)
      this.#hasOldNews ||= this.#answered?.isOld === true && !isBackfill
      const isInDoubt = this.#hasOldNews || this.#simulation.hadManyHoles
      const again = isInDoubt ? [] : records.filter((one) => this.#isSentAgain(one))
      assert.deepEqual(seqsOf(again), [], `sent again (entry ${this.#states.length - 1})`)
      this.#change({ hasOverflow: this.#now.hasOverflow || isOverflow || gaps.length > 0 })
      if (this.#acknowledges) return
      this.#change({ confirmed: union(this.#now.confirmed, records) })
      this.#delivered = union(this.#delivered, records)
    },
    acknowledged: ({ delivery, hasEffect }) => {
      const entry = this.#simulation.journal[delivery]
      assert.ok(entry?.kind === 'delivered')
      this.#delivered = union(this.#delivered, entry.records)
      if (hasEffect) this.#change({ confirmed: union(this.#now.confirmed, entry.records) })
    },
    completed: ({ stored }) => {
      const answered = this.#answered
      if (answered && !answered.isOld) this.#change({ shown: union(this.#now.shown, answered.records) })
      this.#answered = null
      this.#last = stored
    },
    forgotten: () => {
      this.#now = { ...beginning, hasOverflow: this.#now.hasOverflow }
      this.#delivered = new Set()
      this.#answered = null
    },
    deployed: () => {
      this.#answered = null
    },
    died: ({ at, hasCursor }) => {
      const { confirmed, first } = this.#states[at] ?? this.#now
      this.#change({ confirmed, first: hasCursor ? (first ?? this.#now.first) : null, firstRecords: [] })
      if (!hasCursor || this.#acknowledges) this.#change({ shown: new Set() })
      this.#answered = null
    },
  }

  #change(changes: Partial<Progress>): void {
    this.#now = { ...this.#now, ...changes }
  }

  #isSentAgain(one: MeasuredRecord): boolean {
    const mustBeOnce = this.#isByTime && this.#isDistinct(one) && one.id > 0 && one.run === this.#latestRun
    return mustBeOnce && this.#now.confirmed.has(one.seq)
  }
}

const isAheadOf =
  ({ receivedAt }: ReceivedResponse) =>
  ({ unixtime }: MeasuredRecord) =>
    unixtime * 1000 > receivedAt

function isWantedSince(
  { seq, unixtime, isPlain }: MeasuredRecord,
  first: ReceivedResponse | null,
  start: PollSettings['start'],
): boolean {
  if (!first) return false
  if (typeof start === 'object') return unixtime > 0 && unixtime * 1000 >= start.since
  const { records, stored, measured } = first
  // An empty response leaves nothing to skip.
  if (records.length === 0 && stored.length === 0) return true
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
