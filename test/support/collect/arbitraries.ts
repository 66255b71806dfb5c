import fc from 'fast-check'
import type { DeviceProfile, Step } from './device'
import { type Act, NOON, type PollSettings, type RequestPlan } from './poll-simulation'

/** Every combination of bounds, order, kind of device and of ids, and the records that the service keeps. */
export const anyDeviceProfile: fc.Arbitrary<DeviceProfile> = fc.record({
  standalone: fc.boolean(),
  ids: fc.constantFrom('counted', 'counted', 'zero'),
  firstId: fc.constantFrom(100, 65_525),
  maxRestarts: fc.constant(100),
  slow: fc.constantFrom(0, 0, 600),
  newest: fc.constant(5),
  capacity: fc.constantFrom(8, 20, 10_000),
  newestBy: fc.constantFrom('time', 'arrival'),
  inclusive: fc.boolean(),
  order: fc.constantFrom('ascending', 'descending', 'mixed'),
})

export const anyPollSettings: fc.Arbitrary<PollSettings> = fc.record({
  start: fc.constantFrom<PollSettings['start']>('all', 'all', 'now', { since: NOON + 600_000 }),
  backfill: fc.constantFrom(true, true, true, false),
})

/** Everything that may happen to a device, besides normal records. */
export const oddSteps: Step[] = [
  // Clocks that are wrong by hours are tested with responses of 300 records: hostile-clocks.spec.ts.
  ...(['lost', 'restart', 'ahead', 'timeless', 'monitored'] as const),
  ...(['late', 'late', 'late', 'arrive', 'arrive', 'arrive-latest'] as const),
]

/** Steps of a device; few are unusual. */
export const stepsOf = (...odd: Step[]) =>
  fc.array(fc.oneof({ weight: 8, arbitrary: fc.constantFrom<Step>('next', 'next', 'same') }, oneOf(odd)), {
    minLength: 1,
    maxLength: 14,
    size: 'max',
  })
const oneOf = (odd: Step[]) => ({ weight: 2, arbitrary: fc.constantFrom<Step>('next', ...odd) })

const measure = (steps: fc.Arbitrary<Step[]>) => steps.map((given): Act => ({ act: 'measure', steps: given }))

/** Requests of one trigger; most succeed. @param faults whether the service sends too little, or an older state */
export function requestsOf(
  steps: fc.Arbitrary<Step[]>,
  fails: RequestPlan['fails'][],
  { more = [], faults = true }: { more?: Act[]; faults?: boolean } = {},
) {
  const meanwhile = fc.array(
    fc.oneof(measure(steps), fc.constantFrom(...more, ...more, passing, interrupting)),
    {
      maxLength: 2,
    },
  )
  const request = fc.record({
    fails: fc.oneof(
      { weight: 5, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom<RequestPlan['fails']>(null, ...fails) },
    ),
    maxRecords: fc.constantFrom(7, 11, 16_000),
    sendsAtMost: fc.constantFrom(16_000, 16_000, 16_000, ...(faults ? [2, 4, 9] : [])),
    lag: fc.constantFrom(0, 0, 0, ...(faults ? [1, 3, 12] : [])),
    meanwhile,
  })
  return fc.array(request, { maxLength: 5 })
}

const interrupting: Act = { act: 'interrupt' }
const passing: Act = { act: 'pass', ms: 1000 }
export const receiptActs: Act[] = [0, 0, 0, 1, 2, 5].map((back) => ({ act: 'receipt', back }))
export const hostClockActs: Act[] = [0, 1_200_000].map((behind) => ({ act: 'host', behind }))
export const timeActs: Act[] = [1000, 300_000, 600_000, 700_000, 3_700_000, 7_200_000].map((ms) => ({
  act: 'pass',
  ms,
}))

/** The events of a run. */
export function actsOf(
  steps: fc.Arbitrary<Step[]>,
  requests: fc.Arbitrary<RequestPlan[]>,
  { dies = [false], more = [passing] }: { dies?: boolean[]; more?: Act[] } = {},
): fc.Arbitrary<Act[]> {
  const trigger = fc.record({
    act: fc.constant('trigger' as const),
    requests,
    dies: fc.constantFrom(...dies),
    stores: fc.boolean(),
  })
  const act = fc.oneof(
    { weight: 3, arbitrary: measure(steps) },
    { weight: 4, arbitrary: trigger },
    { weight: 3, arbitrary: fc.constantFrom(...more) },
  )
  return fc.array(act, { minLength: 2, maxLength: 24, size: 'max' })
}
