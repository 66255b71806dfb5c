import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { limitsWith } from '../../../../src/lib/quota/limits'
import { createQuota } from '../../../../src/lib/quota/quota'
import { createRandom, runs } from '../../../support/chance'
import { createVirtualClock } from '../../../support/clock'
import { expectedOccupiedMs } from '../../../support/quota/ideal-client'
import { contextWith } from '../../../support/quota/manual-service'
import { createMemoryStore, type MemoryStore } from '../../../support/quota/memory-store'
import type { ServiceRow } from '../../../support/quota/model-service'
import { createRecordsModelService, type RecordsFate } from '../../../support/quota/records-service'
import { limitRows } from '../../../support/quota/scenarios'

interface Records {
  seed: number
  row: ServiceRow
  concurrency: number
  /** Maximum round trip, as a share of the window. */
  way: number
  headerRate: number
  faulty: boolean
}

const scenario: fc.Arbitrary<Records> = fc.record({
  seed: fc.integer({ min: 0, max: 0xffff_ffff }),
  row: limitRows(120, 15).map((row) => ({ ...row, limit: row.limit * 1000 })),
  concurrency: fc.integer({ min: 1, max: 5 }),
  way: fc.constantFrom(0, 0.01, 0.1, 0.5),
  headerRate: fc.constantFrom(0, 0.5, 1),
  faulty: fc.boolean(),
})

/** The result of a request whose process was killed. */
const dead = new Promise<never>(() => {})

/** Requests for the records of two devices at random times; the endpoint's request limit is not reached. */
function createRecordsSimulation({ seed, row, concurrency, way, headerRate, faulty }: Records) {
  const random = createRandom(seed)
  const clock = createVirtualClock(random.next() * 1000)
  const service = createRecordsModelService(clock, row)
  const ways = () => Math.round(random.next() * way * row.window * 1000)
  const ends = () => (faulty && random.chance(0.2) ? random.pick(['broken', 'lost'] as const) : 'well')
  const limits = { data: { limit: 10_000, window: 1, records: row.limit, recordsWindow: row.window } }
  let open = 0
  let submitted = 0
  let process = clock.process()
  let quota = createQuota(process.clock)

  function submit(): void {
    const device = random.pick(['one', 'other'])
    const wanted = 1 + random.below(row.limit)
    const over = () => {
      open--
    }
    const mine = process
    const send = async (number = 0) => {
      assert.ok(number >= 1 && number <= wanted && number >= Math.min(1000, wanted), `${number} of ${wanted}`)
      const fate: RecordsFate = {
        up: ways(),
        back: ways(),
        has: random.next(),
        ends: ends(),
        hasHeaders: random.chance(headerRate),
      }
      const result = await service.send(device, number, fate)
      return mine === process ? result : dead
    }
    const records = { device, wanted, minimum: 1000 }
    const request = {
      endpoint: 'data' as const,
      key: `${submitted++}`,
      records,
      send,
      copy: (value: number) => value,
    }
    open++
    quota.submit(request, contextWith()).then(over, over)
  }

  return {
    clock,
    service,
    submit,
    round: expectedOccupiedMs(row.window) + 2 * way * row.window * 1000,
    random,
    open: () => open,
    start(store?: MemoryStore) {
      process.kill()
      service.crash()
      process = clock.process()
      quota = createQuota(process.clock)
      quota.join({ concurrency, limits: limitsWith(limits), store })
    },
  }
}

describe('the records of devices without other clients', function () {
  this.timeout(0)

  it('are never requested beyond what remains, whatever the answers are', () =>
    fc.assert(
      fc.asyncProperty(scenario, async (records) => {
        const { submit, clock, random, round, service, start } = createRecordsSimulation(records)
        start()
        for (let count = 0; count < 40; count++) {
          submit()
          if (random.chance(0.5)) await clock.pass((random.next() * round) / 4)
        }
        await clock.pass(5 * round)
        assert.deepEqual(service.refusals(), [])
      }),
      { numRuns: runs(800) },
    ))

  it('are received in the end', () =>
    fc.assert(
      fc.asyncProperty(scenario, async (records) => {
        const { submit, clock, round, open, start } = createRecordsSimulation(records)
        start()
        for (let count = 0; count < 20; count++) submit()
        for (let count = 0; count < 200 && open() > 0; count++) await clock.pass(round)
        assert.equal(open(), 0)
      }),
      { numRuns: runs(200) },
    ))

  it('are not forgotten over a restart', () =>
    fc.assert(
      fc.asyncProperty(scenario, async (records) => {
        const { submit, clock, random, round, service, start } = createRecordsSimulation({
          ...records,
          faulty: false,
        })
        const store = createMemoryStore(clock)
        for (let life = 0; life < 4; life++) {
          start(store)
          for (let count = 0; count < 10; count++) submit()
          await clock.pass(random.next() * round)
        }
        await clock.pass(round)
        assert.deepEqual(service.refusals(), [])
      }),
      { numRuns: runs(300) },
    ))
})
