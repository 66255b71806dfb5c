import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  type Cursor,
  createMachine,
  type Effect,
  type Event,
  furthest,
  type Machine,
  step,
} from '../../../src/lib/collect/machine'

type Device = Machine<Cursor, string>
type Happening = Event<Cursor, string>
type PhaseName = Device['phase']['name']

const at = (taken: number): Cursor => ({ taken })
/** In each phase a device that was delivered up to 10 and was told to be set back. */
const phases = {
  idle: { name: 'idle' },
  asking: { name: 'asking' },
  filling: { name: 'filling', hole: 'hole' },
  open: { name: 'open', next: at(20), until: 1000 },
} as const satisfies Record<PhaseName, Device['phase']>
function inPhase(name: PhaseName): Device {
  const device: Device = { ...createMachine(at(10)), warned: true, forgotten: 5 }
  if (name !== 'open') return { ...device, phase: phases[name] }
  const open = run(device, events.trigger, {
    kind: 'handed-over',
    base: at(8),
    next: at(20),
    until: 1000,
  }).machine
  return { ...open, warned: true }
}
const told = ({ cursor, phase, warned }: Device) => ({ cursor, phase, warned })

const events = {
  trigger: { kind: 'trigger' },
  answer: { kind: 'answer', next: at(30) },
  'set-back': { kind: 'set-back' },
  hole: { kind: 'hole', hole: 'new hole' },
  failed: { kind: 'failed' },
  sent: { kind: 'sent', next: at(30) },
  'handed-over': { kind: 'handed-over', base: at(8), next: at(30), until: 2000 },
  receipt: { kind: 'receipt', cursor: at(20) },
  timeout: { kind: 'timeout' },
  forget: { kind: 'forget' },
  deploy: { kind: 'deploy' },
  restart: { kind: 'restart' },
} as const satisfies { [K in Happening['kind']]: Extract<Happening, { kind: K }> }

/** What follows: phase, what is to be done, and what else changes. */
type Row = [PhaseName | Device['phase'], Effect, Partial<Device>?]
const delivered = {
  answer: ['idle', 'save', { cursor: at(30), warned: false }],
  'set-back': ['idle', 'nothing'],
  hole: [{ name: 'filling', hole: 'new hole' }, 'fill'],
  sent: ['idle', 'save', { cursor: at(30), warned: false }],
  'handed-over': [{ name: 'open', next: at(30), until: 2000 }, 'nothing', { warned: false }],
} as const satisfies Partial<Record<Happening['kind'], Row>>
const forgets = (forgotten: number): Row => ['idle', 'save', { cursor: null, warned: false, forgotten }]
const moves = (phase: PhaseName): Row => [phase, 'save', { cursor: at(20) }]
const restarts: Row = ['idle', 'nothing', { warned: false }]

/** What is not here leaves the machine alone. */
const table: Record<PhaseName, Partial<Record<Happening['kind'], Row>>> = {
  idle: { trigger: ['asking', 'ask'], receipt: moves('idle'), forget: forgets(10), restart: restarts },
  asking: {
    ...delivered,
    failed: ['idle', 'nothing'],
    receipt: moves('asking'),
    forget: forgets(10),
    deploy: ['idle', 'nothing'],
    restart: restarts,
  },
  filling: {
    ...delivered,
    trigger: ['filling', 'fill'],
    receipt: moves('filling'),
    forget: forgets(10),
    restart: restarts,
  },
  open: {
    trigger: ['open', 'skip'],
    receipt: moves('idle'),
    timeout: ['idle', 'nothing'],
    forget: forgets(20),
    restart: restarts,
  },
}

function run(machine: Device, ...happenings: readonly Happening[]): { machine: Device; effects: Effect[] } {
  const effects: Effect[] = []
  let now = machine
  for (const event of happenings) {
    const [next, effect] = step(now, event)
    now = next
    effects.push(effect)
  }
  return { machine: now, effects }
}

describe('the table of states', () => {
  for (const phase of Object.keys(phases) as PhaseName[]) {
    for (const kind of Object.keys(events) as Happening['kind'][]) {
      const [after, effect, change] = table[phase][kind] ?? [phase, 'nothing']
      it(`${phase}, ${kind}: ${typeof after === 'string' ? after : after.name}, ${effect}`, () => {
        const before = inPhase(phase)
        const copy = structuredClone(before)
        const [machine, next] = step(before, events[kind])
        const now = typeof after === 'string' ? phases[after] : after
        assert.deepEqual(told(machine), told({ ...before, ...change, phase: now }))
        assert.equal(machine.forgotten, change?.forgotten ?? before.forgotten)
        assert.equal(next, effect)
        assert.deepEqual(before, copy, 'what came in is not touched')
      })
    }
  }

  it('asks for a device nobody knows, and begins where a store says', () => {
    assert.deepEqual(step(createMachine<Cursor, string>(), events.trigger)[1], 'ask')
    assert.deepEqual(createMachine(at(7)).cursor, at(7))
  })

  it('warns once of a clock that was set back, and again after it went on', () => {
    const setBack = [events.trigger, events['set-back']]
    const fresh = createMachine<Cursor, string>(at(10))
    const { effects } = run(fresh, ...setBack, ...setBack, events.trigger, events.answer, ...setBack)
    assert.deepEqual(
      effects.filter((_, index) => index % 2),
      ['warn', 'nothing', 'save', 'warn'],
    )
    for (const after of ['sent', 'handed-over', 'restart', 'forget'] as const) {
      assert.equal(run(fresh, ...setBack, events.trigger, events[after]).machine.warned, false, after)
    }
  })
})

describe('receipts', () => {
  const handOver = (taken: number): Happening => ({
    kind: 'handed-over',
    base: at(0),
    next: at(taken),
    until: 0,
  })
  const receipt = (taken: number): Happening => ({ kind: 'receipt', cursor: at(taken) })
  const open = (...takens: number[]) =>
    takens.flatMap((taken) => [events.timeout, events.trigger, handOver(taken)])

  it('move a cursor forward only, in whatever order they come, and as often as they do', () => {
    const takens = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 })
    fc.assert(
      fc.property(fc.constantFrom<PhaseName>('idle', 'asking', 'filling', 'open'), takens, (phase, order) => {
        let machine = inPhase(phase)
        for (const taken of order) {
          const before = machine.cursor?.taken ?? 0
          const [next, effect] = step(machine, receipt(taken))
          assert.equal(next.cursor?.taken, Math.max(before, taken))
          assert.equal(effect, taken > before ? 'save' : 'nothing')
          machine = next
        }
      }),
    )
  })

  it('of an older delivery leave the newer one open', () => {
    const { machine } = run(createMachine(), ...open(1, 2), receipt(1))
    assert.deepEqual([machine.cursor, machine.phase.name], [at(1), 'open'])
    assert.equal(run(machine, receipt(2)).machine.phase.name, 'idle')
  })

  it('of what was forgotten are void', () => {
    for (const before of [open(7), [...open(7), receipt(7)], [...open(7), events.deploy]]) {
      const { machine, effects } = run(createMachine(), ...before, events.forget, receipt(7))
      assert.deepEqual([machine.cursor, effects.at(-1)], [null, 'nothing'])
      assert.deepEqual(run(machine, receipt(8)).machine.cursor, at(8))
    }
  })

  it('of what was forgotten are void also where their time had passed', () => {
    const { machine } = run(createMachine(), ...open(7), events.timeout, events.forget, receipt(7))
    assert.equal(machine.cursor, null)
  })

  it('of what was delivered before do not count for what is delivered anew', () => {
    const { machine } = run(createMachine(), ...open(7), events.timeout)
    assert.ok(furthest(machine) >= 7, 'the next cursor is later than all before, also those nobody answered')
  })

  it('after a restart count by what was saved', () => {
    const { machine } = run(createMachine(at(5)), receipt(7), receipt(6), receipt(4))
    assert.deepEqual(machine.cursor, at(7))
  })
})

describe('a first delivery', () => {
  it('that waits for its receipt is saved as begun: it would come again from there', () => {
    const { machine, effects } = run(createMachine(), events.trigger, events['handed-over'])
    assert.deepEqual([machine.cursor, effects[1]], [at(8), 'save'])
    const later = run(machine, events.timeout, events.trigger, { ...events['handed-over'], base: at(9) })
    assert.deepEqual([later.machine.cursor, later.effects[2]], [at(8), 'nothing'])
  })
})

describe('a deploy', () => {
  it('keeps an open receipt and a hole that is being filled, and asks again what was on its way', () => {
    for (const phase of ['open', 'filling'] as const) {
      assert.deepEqual(step(inPhase(phase), events.deploy)[0], inPhase(phase))
    }
    const { effects } = run(inPhase('asking'), events.deploy, events.sent, events.trigger)
    assert.deepEqual(effects, ['nothing', 'nothing', 'ask'])
  })
})
