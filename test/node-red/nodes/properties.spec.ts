import assert from 'node:assert/strict'
import fc from 'fast-check'
import { manualClock, type TrueDevice } from '../../../simulator'
import { runs } from '../../support/chance'
import { NOW } from '../../support/devices'
import { checkSequences, type PairRun, runEveryPair } from '../../support/every-pair'
import { alertFactsIn, factsIn } from '../../support/facts'
import { useSimulator } from '../../support/flow'
import { hasFacts } from '../../support/outputs'
import { expectedAlerts, expectedFacts, servedDevices, trueRecords, type Wanted } from '../../support/truth'
import { anyFleet, anyVariants } from './any-fleet'

const LONG_MS = 60_000

/**
 * Any fleet × any combination of variants that remove nothing: every output and send matches the simulator's records.
 */
describe('any fleet, and any variant of the service', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))

  /** Sometimes full seconds, at which there are records. */
  const step = fc.constantFrom(1, 1000)
  const period = step
    .chain((ms) =>
      fc.tuple(
        fc.integer({ min: -25_000 / ms, max: 0 }).map((back) => NOW + back * ms),
        fc.integer({ min: 1, max: 30_000 / ms }).map((length) => length * ms),
      ),
    )
    .map(([from, length]) => ({ from, to: from + length }))

  /** The messages of a device: all except a message about all devices name it. */
  const of = ({ messages }: PairRun, device: TrueDevice | undefined) =>
    messages.filter(
      ({ envlog }) =>
        !device || (envlog.device.serial === device.serial && envlog.device.base === device.base),
    )

  /** Seconds with an unknown order of records: ids that do not grow in order of arrival. */
  function unordered(device: TrueDevice, { action, from, to }: Wanted): Set<number | null> {
    if (action === 'current' || action === 'alerts') return new Set()
    const records = trueRecords(simulator(), device, action, from, to)
    const found = new Set<number | null>()
    for (const [index, { time, id }] of records.entries()) {
      const step = ((records[index + 1]?.id ?? 0) - id + 65_536) % 65_536
      if (records[index + 1]?.time === time && (step === 0 || step >= 32_768)) found.add(time || null)
    }
    return found
  }

  /** The same facts, sorted within seconds of unknown order. */
  function ordered<F extends readonly unknown[]>(facts: readonly F[], loose: Set<number | null>): F[] {
    const texts = new Map(facts.map((fact) => [fact, JSON.stringify(fact)]))
    return facts.toSorted((a, b) => {
      if (a[2] !== b[2] || !loose.has(a[2] as number | null)) return 0
      return (texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1
    })
  }

  function checkTruth(ran: PairRun, span: Pick<Wanted, 'from' | 'to' | 'time'>): void {
    const { action, output, send, messages } = ran
    const served = servedDevices(simulator(), action)
    const inOne = action === 'current' && send === 'all'
    for (const device of inOne ? [undefined] : served) {
      const about = device ? [device] : served
      if (action === 'alerts') {
        const truth = about.flatMap((one) => expectedAlerts(simulator(), one, { output, ...span }))
        assert.deepEqual(alertFactsIn(of(ran, device), output), truth)
        continue
      }
      const wanted = { action, output, ...span }
      const loose = device ? unordered(device, wanted) : new Set<null>()
      const truth = about.flatMap((one) => expectedFacts(simulator(), one, wanted))
      assert.deepEqual(ordered(factsIn(of(ran, device), action, output), loose), ordered(truth, loose))
    }
    if (messages[0]?.parts) checkSequences(messages, send === 'chunk' && output !== 'readings' ? 3 : 1)
  }

  /**
   * A device without such data is reported once; if no device responded, the last one is reported by the trigger's
   * error, and three or more of them by a single error.
   */
  function checkReports({ action, output, errors, failed, messages, send }: PairRun): void {
    const devices = simulator().truth.devices()
    const served = servedDevices(simulator(), action)
    const reported = errors.length + (failed ? 1 : 0)
    const refused = devices.length - served.length
    const isAll = served.length === 0 && refused >= 3
    assert.equal(reported, action === 'current' ? 0 : isAll ? 1 : refused)
    assert.equal(failed !== undefined, action !== 'current' && served.length === 0 && devices.length > 0)
    if (send === 'answer') assert.equal(messages.length, action === 'current' ? 1 : served.length)
    const type = output === 'csv' || output === 'csv2' ? 'string' : 'object'
    if (send === 'answer') assert.ok(messages.every(({ payload }) => typeof payload === type))
  }

  it('values, times, units and order are correct, in every output and send of all four actions', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyFleet,
        anyVariants,
        period,
        fc.constantFrom<('utc' | 'local')[]>('utc', 'local'),
        async (fleet, variants, span, time) => {
          simulator().reset()
          simulator().set({ fleet, variants })
          const [from, to] = [span.from, span.to].map((instant) => new Date(instant).toISOString())
          const node = { from, fromType: 'date', to, toType: 'date', time }
          for (const ran of await runEveryPair(simulator(), () => node)) {
            try {
              checkReports(ran)
              if (hasFacts(ran)) checkTruth(ran, { ...span, time })
            } catch (error) {
              const { action, output, send } = ran
              if (error instanceof Error)
                error.message = `${action} as ${output} by ${send}: ${error.message}`
              throw error
            }
          }
        },
      ),
      { numRuns: runs(400) },
    )
  }).timeout(LONG_MS)
})
