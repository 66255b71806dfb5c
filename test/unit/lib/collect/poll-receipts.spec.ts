import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runs } from '../../../support/chance'
import {
  actsOf,
  anyDeviceProfile,
  anyPollSettings,
  hostClockActs,
  oddSteps,
  receiptActs,
  requestsOf,
  stepsOf,
  timeActs,
} from '../../../support/collect/arbitraries'
import type { DeviceProfile } from '../../../support/collect/device'
import type { JournalEntry } from '../../../support/collect/journal'
import { createOracle, type PollSettings } from '../../../support/collect/oracle'
import { type Act, createPollSimulation, type PollSimulation } from '../../../support/collect/poll-simulation'

/** The seed is the same in `test:long`, as in `poll-properties`. */
const chance = { numRuns: runs(3000), seed: 1 }
const TIMEOUT = 600_000
const anyStep = stepsOf(...oddSteps)
const forget: Act = { act: 'forget' }
const crash: Act = { act: 'crash', older: 0 }
const trigger: Act = { act: 'trigger', requests: [], dies: false }
const more: Act[] = [...receiptActs, ...receiptActs, ...timeActs, ...hostClockActs, { act: 'deploy' }]

/** Performs the acts, and then lets a reliable sink store everything. */
async function play(simulation: PollSimulation, acts: readonly Act[]): Promise<PollSimulation> {
  for (const act of acts) await simulation.perform(act)
  const inPeace: Act[] = [
    { act: 'host', behind: 0 },
    { act: 'pass', ms: TIMEOUT },
  ]
  for (let round = 0; round < 4; round++) inPeace.push(trigger, { act: 'receipt', back: 0 })
  for (const act of inPeace) await simulation.perform(act)
  return simulation
}

type Delivered = Extract<JournalEntry, { kind: 'delivered' }>

/** @throws if a record is lost, or more than one receipt is pending */
function check(simulation: PollSimulation, settings: PollSettings, profile: DeviceProfile): void {
  const oracle = createOracle(simulation, settings, profile)
  let open: Delivered | undefined
  /** First delivery of the current records: receipts of its repetitions are valid too. */
  let since = 0
  let hasRequested = true
  let forgotten = -1
  let died = -1
  oracle.read(true, (entry, index) => {
    if (entry.kind === 'delivered') {
      if (open) assert.ok(entry.at - open.at >= TIMEOUT, 'two receipts are pending')
      open = entry
      if (hasRequested) since = index
      hasRequested = false
    }
    if (entry.kind === 'answered') hasRequested = true
    if (entry.kind === 'acknowledged') {
      if (entry.delivery < forgotten) assert.equal(entry.to, entry.from, 'a receipt of forgotten records')
      assert.ok(entry.to >= entry.from, 'a cursor moved back')
      // A new process may not know that a receipt of an earlier process is outdated.
      if (entry.delivery >= since || entry.delivery < died) open = undefined
    }
    if (entry.kind === 'completed' && !oracle.isOpen(index)) {
      assert.deepEqual(oracle.missing(index, entry.stored), [], 'overlooked')
    }
    if (entry.kind === 'forgotten') forgotten = index
    // A reset that was not saved yet is lost in a crash: an earlier receipt counts again.
    if (entry.kind === 'died') [forgotten, died] = [-1, index]
    if (entry.kind === 'forgotten' || entry.kind === 'died') open = undefined
  })
  const last = simulation.journal.findLastIndex(({ kind }) => kind === 'completed')
  const end = simulation.journal[last]
  assert.ok(end?.kind === 'completed')
  assert.deepEqual(oracle.missing(last, end.stored), [], 'lost: not stored, and not sent again')
}

describe('records to be acknowledged', () => {
  const checkAll = (acts: fc.Arbitrary<Act[]>) =>
    fc.assert(
      fc.asyncProperty(anyDeviceProfile, anyPollSettings, acts, async (profile, settings, life) => {
        check(await play(createPollSimulation(profile, settings, TIMEOUT), life), settings, profile)
      }),
      chance,
    )

  it('are not lost in any order of triggers, receipts, failures and deploys', async () => {
    const requests = requestsOf(anyStep, ['no-connection', 'records-wait', 'closed'], receiptActs)
    await checkAll(actsOf(anyStep, requests, { more }))
  })

  it('are not lost if the process dies at any step', async () => {
    const requests = requestsOf(anyStep, ['no-connection', 'records-wait', 'dies'], receiptActs)
    await checkAll(actsOf(anyStep, requests, { dies: [false, true], more: [...more, crash] }))
  })

  it('are sent again after they were forgotten, regardless of later receipts', async () => {
    const requests = requestsOf(anyStep, ['no-connection'], [...receiptActs, forget])
    await checkAll(actsOf(anyStep, requests, { more: [...more, forget] }))
  })
})
