import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runs } from '../../../support/chance'
import {
  actsOf,
  anyDeviceProfile,
  anyPollSettings,
  hostClockActs,
  oddSteps,
  requestsOf,
  stepsOf,
  timeActs,
} from '../../../support/collect/arbitraries'
import type { DeviceProfile } from '../../../support/collect/device'
import type { JournalEntry } from '../../../support/collect/journal'
import { createOracle, type PollSettings } from '../../../support/collect/oracle'
import { type Act, createPollSimulation, type PollSimulation } from '../../../support/collect/poll-simulation'

/** The seed is the same in `test:long`. */
const chance = { numRuns: runs(3000), seed: 1 }
const anyStep = stepsOf(...oddSteps)
const forget: Act = { act: 'forget' }
const quiet: Act[] = [...timeActs, ...hostClockActs, { act: 'deploy' }]

/** @throws if a record is sent twice, missed, or sent before an older one */
function check(simulation: PollSimulation, settings: PollSettings, profile: DeviceProfile): void {
  const oracle = createOracle(simulation, settings, profile)
  oracle.read(false, (entry, index) => {
    if (entry.kind === 'delivered') {
      const seqs = entry.records.map(({ seq }) => seq)
      assert.ok(seqs.length > 0, 'no message without new records')
      assert.deepEqual(oracle.remembered(index, entry.records), [], 'twice')
      assert.deepEqual(oracle.excluded(index, entry.records), [], 'from before')
      assert.equal(new Set(seqs).size, seqs.length, 'twice in one message')
      assert.deepEqual(timesOf(entry), timesOf(entry).toSorted(compare), 'oldest first')
    }
    if (entry.kind === 'completed') assert.deepEqual(oracle.missing(index, entry.stored), [], 'overlooked')
  })
}

const compare = (a: number, b: number) => a - b
const timesOf = (entry: Extract<JournalEntry, { kind: 'delivered' }>) =>
  entry.records.map(({ unixtime }) => unixtime)

async function play(simulation: PollSimulation, acts: readonly Act[]): Promise<PollSimulation> {
  for (const act of acts) await simulation.perform(act)
  await simulation.perform({ act: 'trigger', requests: [], dies: false })
  return simulation
}

describe('new records of any device and any service, polled at any time', () => {
  it('are sent once, all that the service keeps, in order, regardless of failures in the meantime', async () => {
    const requests = requestsOf(anyStep, ['no-connection', 'records-wait', 'closed'])
    const acts = actsOf(anyStep, requests, { more: quiet })
    await fc.assert(
      fc.asyncProperty(anyDeviceProfile, anyPollSettings, acts, async (profile, settings, life) => {
        check(await play(createPollSimulation(profile, settings), life), settings, profile)
      }),
      chance,
    )
  })

  it('are all sent again after the node has forgotten them', async () => {
    const steps = stepsOf('timeless')
    const acts = actsOf(steps, requestsOf(steps, ['no-connection'], [forget]), { more: [...quiet, forget] })
    await fc.assert(
      fc.asyncProperty(anyDeviceProfile, anyPollSettings, acts, async (profile, settings, life) => {
        check(await play(createPollSimulation(profile, settings), life), settings, profile)
      }),
      chance,
    )
  })

  it('are sent twice after a crash only if they were delivered after the last write', async () => {
    const crashes: Act[] = [0, 0, 1, 3].map((older) => ({ act: 'crash', older }))
    const requests = requestsOf(anyStep, ['no-connection', 'records-wait', 'dies'])
    const acts = actsOf(anyStep, requests, { dies: [false, false, true], more: [...quiet, ...crashes] })
    await fc.assert(
      fc.asyncProperty(anyDeviceProfile, anyPollSettings, acts, async (profile, settings, life) => {
        check(await play(createPollSimulation(profile, settings), life), settings, profile)
      }),
      chance,
    )
  })
})
