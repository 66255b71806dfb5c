import assert from 'node:assert/strict'
import type { Cursor, DeliveryEffect, FailureKind } from '../../../../src/lib/collect/delivery'
import { createDeliveryState, transition } from '../../../../src/lib/collect/delivery'
import {
  applyEvents,
  type TestDeliveryEvent,
  type TestDeliveryState,
} from '../../../support/collect/transitions'

type PhaseName = TestDeliveryState['phase']['name']

const at = (taken: number): Cursor => ({ sequence: taken })
const awaiting = {
  name: 'awaiting-receipt',
  firstSequence: 20,
  next: at(20),
  overdueAt: 1000,
  retained: 'data',
} as const
/** In each phase a device with its cursor at 10. */
const phases = {
  idle: { name: 'idle' },
  requesting: { name: 'requesting' },
  backfilling: { name: 'backfilling', backfill: 'begun', isComplete: false, failures: null },
  'awaiting-receipt': awaiting,
  'receipt-overdue': { name: 'receipt-overdue', firstSequence: 20, next: at(20), retained: 'data' },
} as const satisfies Record<PhaseName, TestDeliveryState['phase']>
function inPhase(name: PhaseName): TestDeliveryState {
  const isHanded = name === 'awaiting-receipt' || name === 'receipt-overdue'
  const device: TestDeliveryState = {
    ...createDeliveryState(),
    cursor: at(10),
    receiptsVoidUpTo: 5,
  }
  const unacknowledged = { since: 20, resends: 0, next: at(20) }
  return { ...device, ...(isHanded && { lastIssued: 20, unacknowledged }), phase: phases[name] }
}
const summary = ({ cursor, phase }: TestDeliveryState) => ({ cursor, phase })

const events = {
  trigger: { kind: 'trigger' },
  'nothing-new': { kind: 'nothing-new', next: at(30) },
  'backfill-needed': { kind: 'backfill-needed', backfill: 'new' },
  'page-received': { kind: 'page-received', backfill: 'with a page', isLast: false },
  failed: { kind: 'failed', failureKind: 'transient', now: 0, canRetain: true },
  delivered: { kind: 'delivered', next: at(30) },
  'before-receipt': { kind: 'before-receipt', before: at(8) },
  'receipt-issued': { kind: 'receipt-issued', next: at(30), overdueAt: 2000, retained: 'new' },
  'receipt-received': { kind: 'receipt-received', cursor: at(20) },
  'receipt-overdue': { kind: 'receipt-overdue' },
  'handed-over': { kind: 'handed-over', next: at(30) },
  skip: { kind: 'skip' },
  forget: { kind: 'forget', now: 15 },
  close: { kind: 'close' },
  deploy: { kind: 'deploy', hasNewSettings: false, overdueAt: 5000 },
  restore: { kind: 'restore', cursor: at(12), receiptsVoidUpTo: 7 },
} as const satisfies { [K in TestDeliveryEvent['kind']]: Extract<TestDeliveryEvent, { kind: K }> }

/** Next phase, effect, and other changes. */
type Row = [PhaseName | TestDeliveryState['phase'], DeliveryEffect, Partial<TestDeliveryState>?]
const delivered = {
  'nothing-new': ['idle', 'save', { cursor: at(30) }],
  delivered: ['idle', 'save', { cursor: at(30) }],
  'receipt-issued': [
    { name: 'awaiting-receipt', firstSequence: 30, next: at(30), overdueAt: 2000, retained: 'new' },
    'none',
  ],
} as const satisfies Partial<Record<TestDeliveryEvent['kind'], Row>>
const forgets = (forgotten: number): Row => ['idle', 'save', { cursor: null, receiptsVoidUpTo: forgotten }]
const moves = (phase: PhaseName): Row => [phase, 'save', { cursor: at(20) }]
const everywhere = (phase: PhaseName, forgotten = 15): Partial<Record<TestDeliveryEvent['kind'], Row>> => ({
  'receipt-received': moves(phase),
  forget: forgets(forgotten),
  restore: [phase, 'none', { cursor: at(12), receiptsVoidUpTo: 7 }],
})

/** An event that is not listed does not change the state. */
const table: Record<PhaseName, Partial<Record<TestDeliveryEvent['kind'], Row>>> = {
  idle: { ...everywhere('idle'), trigger: ['requesting', 'request'] },
  requesting: {
    ...everywhere('requesting'),
    ...delivered,
    'backfill-needed': [
      { name: 'backfilling', backfill: 'new', isComplete: false, failures: null },
      'request-page',
    ],
    failed: ['idle', 'none'],
    close: ['idle', 'none'],
  },
  backfilling: {
    ...everywhere('backfilling'),
    ...delivered,
    trigger: ['backfilling', 'request-page'],
    'page-received': [
      { name: 'backfilling', backfill: 'with a page', isComplete: false, failures: null },
      'request-page',
    ],
  },
  'awaiting-receipt': {
    ...everywhere('awaiting-receipt', 20),
    trigger: ['awaiting-receipt', 'none'],
    skip: moves('idle'),
    'receipt-received': moves('idle'),
    'receipt-overdue': ['receipt-overdue', 'none'],
  },
  'receipt-overdue': {
    ...everywhere('receipt-overdue', 20),
    ...delivered,
    trigger: ['receipt-overdue', 'redeliver'],
    skip: moves('idle'),
    'receipt-received': moves('idle'),
    'receipt-issued': [
      { name: 'awaiting-receipt', firstSequence: 20, next: at(30), overdueAt: 2000, retained: 'new' },
      'none',
    ],
  },
}

describe('the transition table', () => {
  for (const phase of Object.keys(phases) as PhaseName[]) {
    for (const kind of Object.keys(events) as TestDeliveryEvent['kind'][]) {
      const [after, effect, change] = table[phase][kind] ?? [phase, 'none']
      it(`${phase}, ${kind}: ${typeof after === 'string' ? after : after.name}, ${effect}`, () => {
        const before = inPhase(phase)
        const copy = structuredClone(before)
        const [machine, next] = transition(before, events[kind])
        const now = typeof after === 'string' ? phases[after] : after
        assert.deepEqual(summary(machine), summary({ ...before, ...change, phase: now }))
        assert.equal(machine.receiptsVoidUpTo, change?.receiptsVoidUpTo ?? before.receiptsVoidUpTo)
        assert.equal(next, effect)
        assert.deepEqual(before, copy, 'the argument is not changed')
      })
    }
  }

  it('requests an unknown device, and begins with the cursor of the store', () => {
    assert.deepEqual(transition<string, string>(createDeliveryState(), events.trigger)[1], 'request')
    assert.deepEqual(applyEvents(createDeliveryState(), events.restore).machine.cursor, at(12))
  })

  it('keeps a cursor that is further than that of the store', () => {
    const { machine } = applyEvents(createDeliveryState(), events['receipt-received'], events.restore)
    assert.deepEqual([machine.cursor, machine.receiptsVoidUpTo], [at(20), 7])
  })
})

describe('a backfill', () => {
  const whole: TestDeliveryEvent = { kind: 'page-received', backfill: 'whole', isLast: true }
  const HOUR = 3_600_000
  const fails = (failure: FailureKind, hours = 0, fits = true): TestDeliveryEvent => {
    return { kind: 'failed', failureKind: failure, now: hours * HOUR, canRetain: fits }
  }
  const filling = inPhase('backfilling')

  it('is delivered with its last page, and again if that failed', () => {
    const { effects } = applyEvents(
      filling,
      events['page-received'],
      whole,
      fails('transient'),
      events.trigger,
      events.delivered,
    )
    assert.deepEqual(effects, ['request-page', 'deliver-backfill', 'none', 'deliver-backfill', 'save'])
  })

  it('is requested as long as failures are transient', () => {
    const { effects, machine } = applyEvents(
      filling,
      ...Array.from({ length: 100 }, () => fails('transient')),
    )
    assert.deepEqual([new Set(effects), machine.phase], [new Set(['none']), filling.phase])
  })

  it('is given up if the same page was refused, or could not be decoded, three times in over a day', () => {
    const given = applyEvents(
      filling,
      fails('unreadable', 1),
      fails('transient', 5),
      fails('unreadable', 20),
      fails('unreadable', 25),
    )
    assert.deepEqual(given.effects, ['none', 'none', 'none', 'give-up-backfill'])
    assert.equal(applyEvents(given.machine, events.delivered).machine.phase.name, 'idle')
  })

  it('is given up at once if it is refused after one was given up, until a page is received', () => {
    const given = applyEvents(filling, fails('refused', 1), fails('refused', 20), fails('refused', 25))
    assert.equal(given.effects.at(-1), 'give-up-backfill')
    const again = { ...given.machine, phase: filling.phase }
    const last = (...after: TestDeliveryEvent[]) => applyEvents(again, ...after).effects.at(-1)
    assert.equal(last(fails('refused', 26)), 'give-up-backfill')
    assert.equal(last(fails('unreadable', 26)), 'none', 'it may be readable the next time')
    assert.equal(last(events['page-received'], fails('refused', 26)), 'none')
  })

  it('is not given up before that: not for many in a few hours, nor for two in days', () => {
    const many = Array.from({ length: 100 }, (_, index) => fails('unreadable', index * 0.24))
    assert.deepEqual(new Set(applyEvents(filling, ...many).effects), new Set(['none']))
    assert.equal(applyEvents(filling, fails('unreadable', 1), fails('unreadable', 99)).effects.at(-1), 'none')
  })

  it('resets the count of failures with each received page', () => {
    const { effects } = applyEvents(
      filling,
      fails('unreadable', 1),
      fails('unreadable', 20),
      events['page-received'],
      fails('unreadable', 26),
    )
    assert.equal(effects.at(-1), 'none')
  })

  it('is requested from the beginning if received pages cannot be retained', () => {
    for (const failure of ['transient', 'unreadable'] as const) {
      const { machine } = applyEvents(filling, fails(failure, 1, false))
      assert.equal(machine.phase.name, 'idle')
    }
  })
})

describe('an unacknowledged delivery', () => {
  it('begins when it was handed over, not before', () => {
    const { machine } = applyEvents(inPhase('requesting'), events['receipt-issued'])
    assert.equal(machine.unacknowledged ?? null, null)
    const sent = applyEvents(machine, events['handed-over']).machine
    assert.deepEqual(sent.unacknowledged, { since: 30, resends: 0, next: at(30) })
    const again = applyEvents(
      sent,
      events['receipt-overdue'],
      events['receipt-issued'],
      events['handed-over'],
    )
    assert.equal(again.machine.unacknowledged?.resends, 1)
    const returned = applyEvents(machine, { kind: 'receipt-received', cursor: at(30) }, events['handed-over'])
    assert.equal(returned.machine.unacknowledged ?? null, null, 'its receipt came during the sending')
  })

  it('stays unacknowledged if a late receipt of the one before arrives', () => {
    const waiting = { ...inPhase('awaiting-receipt'), cursor: at(10) }
    const { machine } = applyEvents(waiting, { kind: 'receipt-received', cursor: at(11) })
    assert.deepEqual([machine.cursor, machine.unacknowledged?.next], [at(11), at(20)])
    assert.deepEqual(applyEvents(machine, events.skip).machine.cursor, at(20))
  })

  const again = [events['receipt-overdue'], events.trigger]

  it('is retained, and completed by any receipt since its first delivery', () => {
    const { machine, effects } = applyEvents(inPhase('awaiting-receipt'), ...again, events['receipt-issued'])
    assert.deepEqual(effects, ['none', 'redeliver', 'none'])
    assert.deepEqual(applyEvents(machine, events['receipt-received']).machine.phase, phases.idle)
    assert.equal(
      applyEvents(machine, { kind: 'receipt-received', cursor: at(19) }).machine.phase.name,
      'awaiting-receipt',
    )
  })

  it('is requested again if it was not retained', () => {
    const device = { ...inPhase('awaiting-receipt'), phase: { ...awaiting, retained: null } }
    assert.deepEqual(applyEvents(device, ...again).effects, ['none', 'request'])
  })
})

describe('a deploy', () => {
  const reshaped: TestDeliveryEvent = { kind: 'deploy', hasNewSettings: true, overdueAt: 5000 }

  it('still awaits a receipt, keeps fetched pages, and repeats the request in flight', () => {
    for (const phase of ['awaiting-receipt', 'receipt-overdue', 'backfilling'] as const) {
      assert.deepEqual(applyEvents(inPhase(phase), events.close, events.deploy).machine, inPhase(phase))
    }
    const { effects } = applyEvents(
      inPhase('requesting'),
      events.close,
      events.deploy,
      events.delivered,
      events.trigger,
    )
    assert.deepEqual(effects, ['none', 'none', 'none', 'request'])
  })

  it('with other settings keeps nothing of the old ones', () => {
    for (const phase of ['receipt-overdue', 'backfilling'] as const) {
      assert.deepEqual(applyEvents(inPhase(phase), reshaped, events.trigger).effects, ['none', 'request'])
    }
    const { machine, effects } = applyEvents(inPhase('awaiting-receipt'), reshaped, events.trigger)
    assert.deepEqual([machine.phase, effects[1]], [{ ...awaiting, retained: null }, 'none'])
  })

  it('applies the new timeout to awaited receipts', () => {
    const shorter = applyEvents(inPhase('awaiting-receipt'), {
      kind: 'deploy',
      hasNewSettings: false,
      overdueAt: 600,
    })
    assert.deepEqual(shorter.machine.phase, { ...awaiting, overdueAt: 600 })
    const none: TestDeliveryEvent = { kind: 'deploy', hasNewSettings: false, overdueAt: null }
    assert.deepEqual(applyEvents(inPhase('awaiting-receipt'), none, events.trigger).effects, [
      'none',
      'redeliver',
    ])
    const unkept = { ...inPhase('awaiting-receipt'), phase: { ...awaiting, retained: null } }
    assert.deepEqual(applyEvents(unkept, none, events.trigger).effects, ['none', 'request'])
  })
})
