import assert from 'node:assert/strict'
import fc from 'fast-check'
import { manualClock, type TrueDevice } from '../../../simulator'
import { runs } from '../../support/chance'
import { NOW } from '../../support/devices'
import { type PairRun, runEveryPair } from '../../support/every-pair'
import { useSimulator } from '../../support/flow'
import {
  alertOfRow,
  expectedAlerts,
  expectedValues,
  servedDevices,
  trueRecords,
  valueOfRow,
  type Wanted,
} from '../../support/truth'
import { anyFleet, anyVariants } from './any-fleet'

const LONG_MS = 60_000

/**
 * Any fleet × any combination of variants that remove nothing: the rows match the simulator's records in every send, and
 * the other outputs, which are made of the same contents, exist.
 */
describe('with any fleet and any variant of the service,', () => {
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

  /** The same values, sorted within seconds of unknown order. */
  function ordered<T extends { timestamp: number | null }>(
    values: readonly T[],
    loose: Set<number | null>,
  ): T[] {
    const texts = new Map(values.map((value) => [value, JSON.stringify(value)]))
    return values.toSorted((a, b) => {
      if (a.timestamp !== b.timestamp || !loose.has(a.timestamp)) return 0
      return (texts.get(a) ?? '') < (texts.get(b) ?? '') ? -1 : 1
    })
  }

  function checkTruth(ran: PairRun, span: Pick<Wanted, 'from' | 'to' | 'time'>): void {
    const { action, send } = ran
    const wanted = { action, ...span }
    const served = servedDevices(simulator(), action)
    const inOne = action === 'current' && send === 'all'
    for (const device of inOne ? [undefined] : served) {
      const about = device ? [device] : served
      const rows = of(ran, device).flatMap(({ payload }) => payload)
      if (action === 'alerts') {
        const truth = about.flatMap((one) => expectedAlerts(simulator(), one, wanted))
        assert.deepEqual(rows.map(alertOfRow), truth)
        continue
      }
      const loose = device ? unordered(device, wanted) : new Set<null>()
      const truth = about.flatMap((one) => expectedValues(simulator(), one, wanted))
      assert.deepEqual(ordered(rows.map(valueOfRow), loose), ordered(truth, loose))
    }
  }

  /** A device without such data is reported once; three or more, if no device responded, also fail the trigger. */
  function checkReports({ action, output, errors, failed, messages, send }: PairRun): void {
    const served = servedDevices(simulator(), action).length
    const refused = action === 'current' ? 0 : simulator().truth.devices().length - served
    const isAll = served === 0 && refused >= 3
    assert.equal(errors.length + Number(failed !== undefined), refused + Number(isAll))
    assert.equal(failed !== undefined, isAll)
    if (send !== 'response') return
    assert.equal(messages.length, action === 'current' ? 1 : served)
    const type = output === 'csv' || output === 'csv2' ? 'string' : 'object'
    assert.ok(messages.every(({ payload }) => typeof payload === type))
  }

  /** Says in an error which pair it is about. */
  function check(ran: PairRun, wanted: Pick<Wanted, 'from' | 'to' | 'time'>): void {
    try {
      checkReports(ran)
      if (ran.output === 'rows') checkTruth(ran, wanted)
    } catch (error) {
      const { action, output, send } = ran
      if (error instanceof Error) error.message = `${action} as ${output} by ${send}: ${error.message}`
      throw error
    }
  }

  it('values, times, units and order are correct in the rows of all four actions, and every other output is sent', async () => {
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
            check(ran, { ...span, time })
          }
        },
      ),
      { numRuns: runs(400) },
    )
  }).timeout(LONG_MS)
})
