import assert from 'node:assert/strict'
import {
  type Cursor,
  createMachine,
  type Effect,
  type Event,
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

describe('a deploy', () => {
  it('keeps an open receipt and a hole that is being filled, and asks again what was on its way', () => {
    for (const phase of ['open', 'filling'] as const) {
      assert.deepEqual(step(inPhase(phase), events.deploy)[0], inPhase(phase))
    }
    const { effects } = run(inPhase('asking'), events.deploy, events.sent, events.trigger)
    assert.deepEqual(effects, ['nothing', 'nothing', 'ask'])
  })
})
