import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runs } from '../../../support/chance'
import {
  actsOf,
  anyDeviceProfile,
  anyPollSettings,
  hostClockActs,
  receiptActs,
  requestsOf,
  stepsOf,
  timeActs,
} from '../../../support/collect/arbitraries'
import type { DeviceProfile } from '../../../support/collect/device'
import { type Act, createPollSimulation, type PollSimulation } from '../../../support/collect/poll-simulation'

const TIMEOUT = 600_000
const numRuns = runs(1200)
const anyStep = stepsOf('lost', 'restart', 'ahead', 'timeless', 'back', 'forward')
const forget: Act = { act: 'forget' }
const crash: Act = { act: 'crash', older: 0 }
const clocks: Act[] = [-7_200_000, -1_200_000, 7_200_000].map((behind) => ({ act: 'host', behind }))
const more: Act[] = [
  ...receiptActs,
  ...timeActs,
  ...hostClockActs,
  ...clocks,
  { act: 'deploy' },
  forget,
  crash,
]
const trigger: Act = { act: 'trigger', requests: [], dies: false }

/** What a user sees, and how each trigger ended; sequences and receipts differ. */
const seen = ({ journal }: PollSimulation) =>
  journal.map((entry) => {
    if (entry.kind === 'delivered')
      return [entry.kind, entry.records.map(({ seq }) => seq), entry.gaps, entry.isOverflow]
    if (entry.kind === 'completed') return [entry.kind, entry.requests]
    if (entry.kind === 'failed') return [entry.kind, entry.code]
    return [entry.kind]
  })

/** With `now`, the first answer is compared with no cursor: that is tested by itself. */
const settings = anyPollSettings.filter(({ start }) => start !== 'now')

describe('equal answers that are not decoded', () => {
  it('do not hide that nothing can be recognised as new since the first answer', async () => {
    const profile: DeviceProfile = {
      ...{ standalone: false, ids: 'counted', firstId: 100, slow: 0, capacity: 8 },
      ...{ newestBy: 'time', inclusive: false, order: 'ascending' },
    }
    const acts: Act[] = [{ act: 'measure', steps: ['next', 'back'] }, trigger, trigger, trigger]
    const simulation = createPollSimulation(profile, { start: 'now', backfill: true })
    for (const act of acts) await simulation.perform(act)
    assert.equal(simulation.journal.filter(({ kind }) => kind === 'warned').length, 1)
  })

  for (const receipts of [null, { timeoutMs: TIMEOUT }]) {
    it(`change nothing in what is delivered, warned and requested${receipts ? ', with receipts' : ''}`, async () => {
      const acts = receipts ? more.filter((act) => !clocks.includes(act)) : more
      const requests = requestsOf(
        anyStep,
        ['no-connection', 'records-wait', 'closed'],
        [forget, ...(receipts ? [] : clocks), { act: 'receipt', back: 0 }],
      )
      let equal = 0
      await fc.assert(
        fc.asyncProperty(
          anyDeviceProfile,
          settings,
          actsOf(anyStep, requests, { more: acts }),
          async (profile, how, life) => {
            const [one, other] = [true, false].map((isCompared) =>
              createPollSimulation(profile, how, receipts, isCompared),
            )
            for (const act of [
              ...life.flatMap<Act>((one) => (one.act === 'trigger' ? [one, trigger, trigger] : [one])),
              trigger,
            ]) {
              await one?.perform(act)
              await other?.perform(act)
            }
            equal += one?.decoded.filter((is) => !is).length ?? 0
            assert.deepEqual(seen(one as PollSimulation), seen(other as PollSimulation))
          },
        ),
        { numRuns },
      )
      assert.ok(equal > numRuns / 4, `${equal}`)
    })
  }
})
