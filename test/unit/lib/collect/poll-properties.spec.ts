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
import { judge } from '../../../support/collect/oracle'
import { type Act, type PollSettings, PollSimulation } from '../../../support/collect/poll-simulation'

const chance = { numRuns: runs(1600) }
const TIMEOUT = 600_000
const A_DAY = 86_400_000
const anyStep = stepsOf(...oddSteps)
const forget: Act = { act: 'forget' }
const crashes: Act[] = [0, 0, 1, 3].map((older) => ({ act: 'crash', older }))
const quiet: Act[] = [...timeActs, ...hostClockActs, { act: 'deploy' }]
/** Failures of the account, of its quota, and of a device or a page. */
const failures = [
  ...(['no-connection', 'records-wait', 'quota-wait', 'closed'] as const),
  ...(['timeout-total', 'device-refused', 'response-unreadable'] as const),
]

/** Performs the acts, and then lets everything succeed. */
async function play(
  profile: DeviceProfile,
  settings: PollSettings,
  acts: readonly Act[],
  receiptTimeoutMs: number | null,
) {
  const simulation = new PollSimulation(profile, settings, receiptTimeoutMs)
  for (const act of acts) await simulation.perform(act)
  await simulation.perform({ act: 'host', behind: 0 })
  // A response of this trigger may lag, so that the next one is needed.
  for (let round = 0; round < 12; round++) {
    await simulation.perform({ act: 'pass', ms: A_DAY + 1 })
    await simulation.perform({ act: 'trigger', requests: [], dies: false, stores: true })
  }
  assert.equal(simulation.hasHoles, false, 'a hole remains')
  return simulation
}

function check(acts: fc.Arbitrary<Act[]>, receiptTimeoutMs: number | null = null) {
  return fc.assert(
    fc.asyncProperty(anyDeviceProfile, anyPollSettings, acts, async (profile, settings, life) => {
      const simulation = await play(profile, settings, life, receiptTimeoutMs)
      judge(simulation, settings, profile, receiptTimeoutMs !== null)
    }),
    chance,
  )
}

describe('new records of any device and any service, polled at any time', () => {
  it('are sent once, in order, and all that the service keeps, or a loss is reported', () =>
    check(actsOf(anyStep, requestsOf(anyStep, failures), { more: quiet })))

  it('are all sent again after the node has forgotten them', () => {
    const requests = requestsOf(anyStep, failures, { more: [forget] })
    return check(actsOf(anyStep, requests, { more: [...quiet, forget] }))
  })

  it('are sent twice after a crash only if they were delivered after the last write', () => {
    const requests = requestsOf(anyStep, [...failures, 'dies'])
    return check(actsOf(anyStep, requests, { dies: [false, false, true], more: [...quiet, ...crashes] }))
  })

  it('are not lost while their receipts are awaited, in any order of triggers, receipts, failures and deploys', () => {
    const more = [...receiptActs, ...receiptActs, ...quiet]
    return check(actsOf(anyStep, requestsOf(anyStep, failures, { more: receiptActs }), { more }), TIMEOUT)
  })

  it('are not lost while their receipts are awaited, even if the process dies at any step', () => {
    const requests = requestsOf(anyStep, [...failures, 'dies'], { more: receiptActs })
    const more = [...receiptActs, ...receiptActs, ...quiet, { act: 'crash', older: 0 } as const]
    return check(actsOf(anyStep, requests, { dies: [false, true], more }), TIMEOUT)
  })

  it('are sent again after they were forgotten, regardless of later receipts', () => {
    const requests = requestsOf(anyStep, failures, { more: [...receiptActs, forget] })
    return check(actsOf(anyStep, requests, { more: [...receiptActs, ...quiet, forget] }), TIMEOUT)
  })
})

describe('a loss', () => {
  it('is reported only if records are missing', () => {
    const steps = stepsOf('late', 'arrive')
    const requests = requestsOf(steps, ['no-connection', 'records-wait', 'timeout-total'], { faults: false })
    const profiles = anyDeviceProfile.map((profile): DeviceProfile => ({ ...profile, capacity: 10_000 }))
    return fc.assert(
      fc.asyncProperty(profiles, actsOf(steps, requests, { more: timeActs }), async (profile, life) => {
        const settings: PollSettings = { start: 'all', backfill: true }
        const { journal } = await play(profile, settings, life, null)
        assert.ok(journal.every((entry) => entry.kind !== 'delivered' || !entry.isOverflow))
      }),
      chance,
    )
  })
})
