import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { limitsWith } from '../../../../src/lib/quota/limits'
import { createQuota } from '../../../../src/lib/quota/quota'
import { createRandom, runs } from '../../../support/chance'
import { createVirtualClock } from '../../../support/clock'
import { expectedOccupiedMs } from '../../../support/quota/ideal-client'
import { contextWith } from '../../../support/quota/manual-service'
import { createMemorySharedStore } from '../../../support/quota/memory-shared-store'
import { createModelService } from '../../../support/quota/model-service'
import { fateOf, type Scenario } from '../../../support/quota/quota-simulation'
import { soleClient } from '../../../support/quota/scenarios'

/** Two processes with endless demand, one service, and one shared store that may be slow. */
function twoProcesses(scenario: Scenario) {
  const { row, concurrency, up, back } = scenario
  const random = createRandom(scenario.seed)
  const clock = createVirtualClock(random.next() * 1000)
  const service = createModelService(clock, row, scenario.refusedCounts)
  const sharedStore = createMemorySharedStore(clock)
  const limits = { current: { limit: row.limit, window: row.window } }
  const sent = [0, 0]
  /** A full deploy of each process. */
  const deploys: (() => void)[] = []
  const round = expectedOccupiedMs(row.window) + up + back
  const end = clock.monotonic() + 10 * round

  function start(which: number): void {
    const quota = createQuota(clock)
    const join = () =>
      quota.join({ concurrency, limits: limitsWith(limits), openSharedStore: () => sharedStore.open() })
    let leave = join()
    deploys.push(() => {
      void leave()
      leave = join()
    })
    let submitted = 0
    const submit = (): void => {
      const request = {
        endpoint: 'current' as const,
        key: `${submitted++}`,
        send: (_: number | undefined, signal: AbortSignal) => {
          sent[which] = (sent[which] ?? 0) + 1
          return service.send(fateOf(scenario, random), signal)
        },
        copy: (value: string) => value,
      }
      const again = () => {
        if (clock.monotonic() < end) submit()
      }
      quota.submit(request, contextWith()).then(again, again)
    }
    for (let count = 0; count < concurrency + 2; count++) submit()
  }

  return { clock, random, service, sharedStore, sent, round, start, deploys, end }
}

const part = fc.double({ min: 0, max: 1, noNaN: true })

describe('two processes that share an account, whatever happens', function () {
  this.timeout(0)

  it('never exceed the limit while the shared store is connected, even if it is slow', () =>
    fc.assert(
      fc.asyncProperty(soleClient, fc.constantFrom(0, 10, 900), async (scenario, slow) => {
        const { clock, random, service, sharedStore, start, end } = twoProcesses(scenario)
        sharedStore.slow(() => Math.floor(random.next() * slow))
        for (const which of [0, 1]) start(which)
        await clock.pass(end - clock.monotonic())
        assert.deepEqual(service.refusals(), [])
      }),
      { numRuns: runs(400) },
    ))

  it('never exceed it while it is disconnected or reconnected, with deploys at any time', () =>
    fc.assert(
      fc.asyncProperty(soleClient, part, part, async (scenario, share, when) => {
        const { row, up, back } = scenario
        // A permit cannot be halved, and others do not know of a request that is in flight for longer than a window.
        const [limit, longest] = [row.limit + 1, row.window * 300]
        const calm = {
          ...scenario,
          row: { ...row, limit },
          up: Math.min(up, longest),
          back: Math.min(back, longest),
        }
        const { clock, random, service, sharedStore, round, start, deploys, end } = twoProcesses(calm)
        sharedStore.setState('disconnected')
        for (const which of [0, 1]) start(which)
        // Often within the seconds in which the reconnection is detected.
        const deployedAt = when < 0.5 ? share * 5 * round + when * 4000 : when * 8 * round
        clock.after(deployedAt, () => random.pick(deploys)())
        await clock.pass(share * 5 * round)
        sharedStore.setState('connected')
        await clock.pass(end - clock.monotonic())
        assert.deepEqual(service.refusals(), [])
      }),
      { numRuns: runs(400) },
    ))

  it('never exceed it if it loses its data, at any time and however often', () =>
    fc.assert(
      fc.asyncProperty(
        soleClient,
        fc.array(part, { maxLength: 4 }),
        fc.constantFrom(0, 10, 300),
        async (scenario, when, slow) => {
          const { clock, random, service, sharedStore, start, end } = twoProcesses(scenario)
          sharedStore.slow(() => Math.floor(random.next() * slow))
          for (const share of when) clock.after(share * (end - clock.monotonic()), () => sharedStore.lose())
          for (const which of [0, 1]) start(which)
          await clock.pass(end - clock.monotonic())
          assert.deepEqual(service.refusals(), [])
        },
      ),
      { numRuns: runs(400) },
    ))

  it('exceed it by at most one for each of them if it is lost and there are no headers', () =>
    fc.assert(
      fc.asyncProperty(soleClient, part, part, fc.boolean(), async (scenario, when, lasts, isSilent) => {
        const { row } = scenario
        // The window is longer than the detection takes, and no request is in flight for longer than a window.
        const window = row.window + 20
        const longest = window * 300
        const calm = {
          ...scenario,
          ...{ up: Math.min(scenario.up, longest), back: Math.min(scenario.back, longest) },
          row: { ...row, window, limit: row.limit + 1 },
        }
        const { clock, service, sharedStore, start, end } = twoProcesses(calm)
        const span = end - clock.monotonic()
        clock.after(when * span * 0.8, () => sharedStore.setState(isSilent ? 'silent' : 'disconnected'))
        clock.after(when * span * 0.8 + lasts * span * 0.2, () => sharedStore.setState('connected'))
        for (const which of [0, 1]) start(which)
        await clock.pass(span)
        assert.ok(service.refusals().length <= 2, `${service.refusals().length} refused`)
      }),
      { numRuns: runs(400) },
    ))

  it('together reach nearly what one could alone, and each has a part of it', () =>
    fc.assert(
      fc.asyncProperty(soleClient, async ({ row, ...scenario }) => {
        const limit = row.limit + 3
        const calm = {
          ...scenario,
          row: { ...row, limit },
          up: 0,
          back: 0,
          faults: {},
          headerRate: 0,
          concurrency: 20,
        }
        const { clock, sent, start, end } = twoProcesses(calm)
        for (const which of [0, 1]) start(which)
        await clock.pass(end - clock.monotonic())
        const [a = 0, b = 0] = sent
        assert.ok(a + b >= 0.9 * 10 * limit, `${a} and ${b} of ${10 * limit}`)
        assert.ok(Math.min(a, b) >= 1, `${a} and ${b}`)
      }),
      { numRuns: runs(200) },
    ))
})
