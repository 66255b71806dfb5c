import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Cursor } from '../../../../src/lib/collect/delivery'
import { createDeliveryState, latestSequence, transition } from '../../../../src/lib/collect/delivery'
import {
  applyEvents,
  type TestDeliveryEvent,
  type TestDeliveryState,
} from '../../../support/collect/transitions'

const at = (taken: number): Cursor => ({ sequence: taken })
const [trigger, timeout, forget, deploy] = [
  { kind: 'trigger' },
  { kind: 'receipt-overdue' },
  { kind: 'forget', now: 0 },
  { kind: 'deploy', hasNewSettings: false, overdueAt: 1e9 },
] as const satisfies TestDeliveryEvent[]

const handOver = (taken: number): TestDeliveryEvent => ({
  kind: 'receipt-issued',
  next: at(taken),
  overdueAt: 0,
  retained: null,
})

/** A device in each phase, with its cursor at 10. */
const known: TestDeliveryState = { ...createDeliveryState(), cursor: at(10) }
const devices = [
  known,
  applyEvents(known, trigger).machine,
  applyEvents(known, trigger, { kind: 'backfill-needed', backfill: 'begun' }).machine,
  applyEvents(known, trigger, handOver(20)).machine,
]

describe('receipts', () => {
  const receipt = (taken: number): TestDeliveryEvent => ({ kind: 'receipt-received', cursor: at(taken) })
  const open = (...takens: number[]) => takens.flatMap((taken) => [timeout, trigger, handOver(taken)])

  it('only move a cursor forward, in any order, and however often they arrive', () => {
    const takens = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 })
    fc.assert(
      fc.property(fc.constantFrom(...devices), takens, (device, order) => {
        let machine = device
        for (const taken of order) {
          const before = machine.cursor?.sequence ?? 0
          const [next, effect] = transition(machine, receipt(taken))
          assert.equal(next.cursor?.sequence, Math.max(before, taken))
          assert.equal(effect, taken > before ? 'save' : 'none')
          machine = next
        }
      }),
    )
  })

  it('of an older delivery leave the newer one awaited', () => {
    const { machine } = applyEvents(createDeliveryState(), ...open(1, 2), receipt(1))
    assert.deepEqual([machine.cursor, machine.phase.name], [at(1), 'awaiting-receipt'])
    assert.equal(applyEvents(machine, receipt(2)).machine.phase.name, 'idle')
  })

  it('of what was forgotten are void', () => {
    for (const before of [open(7), [...open(7), receipt(7)], [...open(7), deploy]]) {
      const { machine, effects } = applyEvents(createDeliveryState(), ...before, forget, receipt(7))
      assert.deepEqual([machine.cursor, effects.at(-1)], [null, 'none'])
      assert.deepEqual(applyEvents(machine, receipt(8)).machine.cursor, at(8))
    }
  })

  it('of what was forgotten are void also if they were overdue', () => {
    const { machine } = applyEvents(createDeliveryState(), ...open(7), timeout, forget, receipt(7))
    assert.equal(machine.cursor, null)
  })

  it('of what was forgotten are void also if another process delivered it', () => {
    const { machine } = applyEvents(known, { kind: 'forget', now: 20 }, receipt(19), receipt(20))
    assert.equal(machine.cursor, null)
    assert.deepEqual(applyEvents(machine, receipt(21)).machine.cursor, at(21))
  })

  it('of an earlier delivery do not count for a repeated one', () => {
    const { machine } = applyEvents(createDeliveryState(), ...open(7), timeout)
    assert.ok(
      latestSequence(machine) >= 7,
      'the next cursor is later than all before, also those without a receipt',
    )
  })

  it('after a restart count according to the saved state', () => {
    const { machine } = applyEvents({ ...known, cursor: at(5) }, receipt(7), receipt(6), receipt(4))
    assert.deepEqual(machine.cursor, at(7))
  })
})

describe('a first delivery', () => {
  it('with a receipt is saved as begun before, so that it can be repeated', () => {
    const begin = (sequence: number): TestDeliveryEvent => ({ kind: 'before-receipt', before: at(sequence) })
    const { machine, effects } = applyEvents(createDeliveryState(), trigger, begin(8), handOver(30))
    assert.deepEqual([machine.cursor, effects[1]], [at(8), 'save'])
    const later = applyEvents(machine, timeout, trigger, begin(9), handOver(40))
    assert.deepEqual([later.machine.cursor, later.effects[2]], [at(8), 'none'])
  })
})
