import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Gap } from '../../../../src/lib/readings/continuity'
import { runs } from '../../../support/chance'
import {
  actsOf,
  anyDeviceProfile,
  anyPollSettings,
  requestsOf,
  stepsOf,
  timeActs,
} from '../../../support/collect/arbitraries'
import type { DeviceProfile, MeasuredRecord } from '../../../support/collect/device'
import type { JournalEntry } from '../../../support/collect/journal'
import { type Act, type PollSettings, PollSimulation } from '../../../support/collect/poll-simulation'

const trigger: Act = { act: 'trigger', requests: [], dies: false }
const later: Act = { act: 'pass', ms: 86_400_000 }
const inPeace = Array.from({ length: 8 }, () => [later, trigger]).flat()
const another: Act = { act: 'measure', steps: ['next'] }
const steps = stepsOf('lost', 'lost', 'restart')
const iso = ({ unixtime }: MeasuredRecord) => new Date(unixtime * 1000).toISOString()
const deliveries = ({ journal }: PollSimulation) =>
  journal.filter((entry): entry is Extract<JournalEntry, { kind: 'delivered' }> => entry.kind === 'delivered')

/** The true gap between two successive records of the deliveries. */
function gapBetween(before: MeasuredRecord, after: MeasuredRecord): Gap[] {
  const ends = { after: iso(before), before: iso(after) }
  const isRestart = before.run !== after.run
  if (isRestart && after.id < before.id) return [{ kind: 'restart', ...ends, missing: null }]
  // A restart at a higher id cannot be distinguished from missing records.
  const missing = isRestart ? after.id - before.id - 1 : after.count - before.count - 1
  return missing > 0 ? [{ kind: 'missing', ...ends, missing }] : []
}

/** Ids that wrap around while records are lost may look like a restart. */
const isAmbiguous = ({ standalone }: DeviceProfile, before: MeasuredRecord, after: MeasuredRecord) =>
  !standalone && after.id < before.id && before.id > 60_000

/**
 * At most one restart, and none if ids wrap around: a number from before the restart may be the one missing after it.
 */
const restartingOnce = anyDeviceProfile.map((found): DeviceProfile => {
  const { firstId, slow } = found
  // If the service has overwritten the records between several holes, their gaps become one.
  return { ...found, maxRestarts: firstId === 100 ? 1 : 0, slow: Math.min(slow, 600), capacity: 10_000 }
})

/** The record before the first new one; with `now`, the newest of the first response. */
function lastBefore(simulation: PollSimulation, { start }: PollSettings): MeasuredRecord | undefined {
  const first = simulation.journal.find((entry) => entry.kind === 'answered')
  if (start !== 'now' || first?.kind !== 'answered') return undefined
  return first.response.records.toSorted((a, b) => a.seq - b.seq).at(-1)
}

/** @throws if a reported gap does not exist, or a gap is reported twice or not at all */
function check(simulation: PollSimulation, profile: DeviceProfile, settings: PollSettings): void {
  const all = deliveries(simulation).flatMap(({ gaps }) => gaps)
  // When two holes become one, what was delivered between them is sent again, with its gaps.
  const reported = simulation.hadManyHoles ? [...new Map(all.map((gap) => [gap.before, gap])).values()] : all
  if (profile.ids !== 'counted') {
    assert.deepEqual(reported, [])
    return
  }
  const delivered = deliveries(simulation).flatMap(({ records }) => records)
  let last = lastBefore(simulation, settings)
  const expected: Gap[] = []
  for (const record of delivered.toSorted((a, b) => a.seq - b.seq)) {
    const found = last ? gapBetween(last, record) : []
    if (last && found.length > 0 && isAmbiguous(profile, last, record)) {
      found.splice(0, 1, ...reported.filter(endsAt(record)))
    }
    expected.push(...found)
    last = record
  }
  assert.deepEqual(reported.filter(isWanted(settings)).toSorted(byTime), expected.toSorted(byTime))
}

const byTime = (a: Gap, b: Gap) => String(a.before).localeCompare(String(b.before))

/** A gap between the start and the record before it may or may not be reported. */
const isWanted =
  ({ start }: PollSettings) =>
  ({ after }: Gap) =>
    typeof start !== 'object' || Date.parse(after ?? '') >= start.since

const endsAt = (record: MeasuredRecord) => (gap: Gap) => gap.before === iso(record)

describe('gaps of any device, polled at any time', () => {
  it('are reported once, exactly where records are missing or ids restarted', async () => {
    const requests = requestsOf(steps, ['no-connection', 'records-wait', 'closed'], { faults: false })
    const acts = actsOf(steps, requests, { more: [...timeActs, { act: 'deploy' }] })
    await fc.assert(
      fc.asyncProperty(restartingOnce, anyPollSettings, acts, async (profile, settings, life) => {
        const simulation = new PollSimulation(profile, settings)
        // The last record carries the gaps that no message of its own has reported.
        for (const act of [...life, ...inPeace, another, trigger]) await simulation.perform(act)
        check(simulation, profile, settings)
      }),
      { numRuns: runs(2400) },
    )
  })
})
