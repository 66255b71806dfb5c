import assert from 'node:assert/strict'
import type { Cursor, Effect, Event, Failure, Machine } from '../../../src/lib/collect/delivery'
import { createMachine, step } from '../../../src/lib/collect/delivery'

type Device = Machine<string, string>
type Happening = Event<string, string>
type PhaseName = Device['phase']['name']

const at = (taken: number): Cursor => ({ taken })
const open = { name: 'open', since: 20, next: at(20), until: 1000, news: 'news' } as const
/** In each phase a device that was delivered up to 10 and was told to be set back. */
const phases = {
  idle: { name: 'idle' },
  asking: { name: 'asking' },
  filling: { name: 'filling', hole: 'hole', isFilled: false, trouble: null },
  open,
  unanswered: { name: 'unanswered', since: 20, next: at(20), news: 'news' },
} as const satisfies Record<PhaseName, Device['phase']>
function inPhase(name: PhaseName): Device {
  const isHanded = name === 'open' || name === 'unanswered'
  const device: Device = { ...createMachine(), cursor: at(10), warned: true, forgotten: 5 }
  return { ...device, handed: isHanded ? 20 : 0, phase: phases[name] }
}
const told = ({ cursor, phase, warned }: Device) => ({ cursor, phase, warned })

const events = {
  trigger: { kind: 'trigger' },
  answer: { kind: 'answer', next: at(30) },
  'set-back': { kind: 'set-back' },
  hole: { kind: 'hole', hole: 'new hole' },
  page: { kind: 'page', hole: 'with a page', isLast: false },
  failed: { kind: 'failed', failure: 'passing', now: 0, fits: true },
  sent: { kind: 'sent', next: at(30) },
  'handed-over': { kind: 'handed-over', base: at(8), next: at(30), until: 2000, news: 'new' },
  receipt: { kind: 'receipt', cursor: at(20) },
  timeout: { kind: 'timeout' },
  forget: { kind: 'forget', now: 15 },
  close: { kind: 'close' },
  deploy: { kind: 'deploy', isReshaped: false, until: 5000 },
  restart: { kind: 'restart', cursor: at(12), forgotten: 7 },
} as const satisfies { [K in Happening['kind']]: Extract<Happening, { kind: K }> }

/** What follows: phase, what is to be done, and what else changes. */
type Row = [PhaseName | Device['phase'], Effect, Partial<Device>?]
const delivered = {
  answer: ['idle', 'save', { cursor: at(30), warned: false }],
  sent: ['idle', 'save', { cursor: at(30), warned: false }],
  'handed-over': [
    { name: 'open', since: 30, next: at(30), until: 2000, news: 'new' },
    'nothing',
    { warned: false },
  ],
} as const satisfies Partial<Record<Happening['kind'], Row>>
const forgets = (forgotten: number): Row => ['idle', 'save', { cursor: null, warned: false, forgotten }]
const moves = (phase: PhaseName): Row => [phase, 'save', { cursor: at(20) }]
const everywhere = (phase: PhaseName, forgotten = 15): Partial<Record<Happening['kind'], Row>> => ({
  receipt: moves(phase),
  forget: forgets(forgotten),
  restart: [phase, 'nothing', { cursor: at(12), forgotten: 7 }],
})

/** What is not here leaves the machine alone. */
const table: Record<PhaseName, Partial<Record<Happening['kind'], Row>>> = {
  idle: { ...everywhere('idle'), trigger: ['asking', 'ask'] },
  asking: {
    ...everywhere('asking'),
    ...delivered,
    'set-back': ['idle', 'nothing'],
    hole: [{ name: 'filling', hole: 'new hole', isFilled: false, trouble: null }, 'fill'],
    failed: ['idle', 'nothing'],
    close: ['idle', 'nothing'],
  },
  filling: {
    ...everywhere('filling'),
    ...delivered,
    trigger: ['filling', 'fill'],
    page: [{ name: 'filling', hole: 'with a page', isFilled: false, trouble: null }, 'fill'],
  },
  open: {
    ...everywhere('open', 20),
    trigger: ['open', 'skip'],
    receipt: moves('idle'),
    timeout: ['unanswered', 'nothing'],
  },
  unanswered: {
    ...everywhere('unanswered', 20),
    ...delivered,
    trigger: ['unanswered', 'again'],
    receipt: moves('idle'),
    'handed-over': [
      { name: 'open', since: 20, next: at(30), until: 2000, news: 'new' },
      'nothing',
      { warned: false },
    ],
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
    assert.deepEqual(step<string, string>(createMachine(), events.trigger)[1], 'ask')
    assert.deepEqual(run(createMachine(), events.restart).machine.cursor, at(12))
  })

  it('keeps what is further than what a store says', () => {
    const { machine } = run(createMachine(), events.receipt, events.restart)
    assert.deepEqual([machine.cursor, machine.forgotten], [at(20), 7])
  })

  it('warns once of a clock that was set back, and again after it went on', () => {
    const setBack = [events.trigger, events['set-back']]
    const fresh = inPhase('idle')
    const known = { ...fresh, warned: false }
    const { effects } = run(known, ...setBack, ...setBack, events.trigger, events.answer, ...setBack)
    assert.deepEqual(
      effects.filter((_, index) => index % 2),
      ['warn', 'nothing', 'save', 'warn'],
    )
    for (const after of ['sent', 'handed-over', 'forget'] as const) {
      assert.equal(run(known, ...setBack, events.trigger, events[after]).machine.warned, false, after)
    }
  })
})

describe('a hole', () => {
  const whole: Happening = { kind: 'page', hole: 'whole', isLast: true }
  const HOUR = 3_600_000
  const fails = (failure: Failure, hours = 0, fits = true): Happening => {
    return { kind: 'failed', failure, now: hours * HOUR, fits }
  }
  const filling = inPhase('filling')

  it('is delivered with its last page, and again where that failed', () => {
    const { effects } = run(filling, events.page, whole, fails('passing'), events.trigger, events.sent)
    assert.deepEqual(effects, ['fill', 'deliver', 'nothing', 'deliver', 'save'])
  })

  it('is asked for as long as failures may pass', () => {
    const { effects, machine } = run(filling, ...Array.from({ length: 100 }, () => fails('passing')))
    assert.deepEqual([new Set(effects), machine.phase], [new Set(['nothing']), filling.phase])
  })

  it('is given up where the same page was refused, or not understood, three times over a day', () => {
    const given = run(
      filling,
      fails('lasting', 1),
      fails('passing', 5),
      fails('lasting', 20),
      fails('lasting', 25),
    )
    assert.deepEqual(given.effects, ['nothing', 'nothing', 'nothing', 'give-up'])
    assert.equal(run(given.machine, events.sent).machine.phase.name, 'idle')
  })

  it('is not given up before that: not for many in a few hours, nor for two in days', () => {
    const many = Array.from({ length: 100 }, (_, index) => fails('lasting', index * 0.24))
    assert.deepEqual(new Set(run(filling, ...many).effects), new Set(['nothing']))
    assert.equal(run(filling, fails('lasting', 1), fails('lasting', 99)).effects.at(-1), 'nothing')
  })

  it('begins to count anew with each page that comes', () => {
    const { effects } = run(
      filling,
      fails('lasting', 1),
      fails('lasting', 20),
      events.page,
      fails('lasting', 26),
    )
    assert.equal(effects.at(-1), 'nothing')
  })

  it('is asked for from the beginning where what came does not fit into memory', () => {
    for (const failure of ['passing', 'lasting'] as const) {
      const { machine } = run(filling, fails(failure, 1, false))
      assert.equal(machine.phase.name, 'idle')
    }
  })
})

describe('a delivery that nobody acknowledged', () => {
  const again = [events.timeout, events.trigger]

  it('is kept, and done with by any receipt since it was delivered first', () => {
    const { machine, effects } = run(inPhase('open'), ...again, events['handed-over'])
    assert.deepEqual(effects, ['nothing', 'again', 'nothing'])
    assert.deepEqual(run(machine, events.receipt).machine.phase, phases.idle)
    assert.equal(run(machine, { kind: 'receipt', cursor: at(19) }).machine.phase.name, 'open')
  })

  it('is asked for again where it was not kept', () => {
    const device = { ...inPhase('open'), phase: { ...open, news: null } }
    assert.deepEqual(run(device, ...again).effects, ['nothing', 'ask'])
  })
})

describe('a deploy', () => {
  const reshaped: Happening = { kind: 'deploy', isReshaped: true, until: 5000 }

  it('keeps an open receipt and what was fetched, and asks again what was on its way', () => {
    for (const phase of ['open', 'unanswered', 'filling'] as const) {
      assert.deepEqual(run(inPhase(phase), events.close, events.deploy).machine, inPhase(phase))
    }
    const { effects } = run(inPhase('asking'), events.close, events.deploy, events.sent, events.trigger)
    assert.deepEqual(effects, ['nothing', 'nothing', 'nothing', 'ask'])
  })

  it('with other settings keeps nothing that was made by the old ones', () => {
    for (const phase of ['unanswered', 'filling'] as const) {
      assert.deepEqual(run(inPhase(phase), reshaped, events.trigger).effects, ['nothing', 'ask'])
    }
    const { machine, effects } = run(inPhase('open'), reshaped, events.trigger)
    assert.deepEqual([machine.phase, effects[1]], [{ ...open, news: null }, 'skip'])
  })

  it('waits for receipts no longer than the node does now', () => {
    const shorter = run(inPhase('open'), { kind: 'deploy', isReshaped: false, until: 600 })
    assert.deepEqual(shorter.machine.phase, { ...open, until: 600 })
    const none: Happening = { kind: 'deploy', isReshaped: false, until: null }
    assert.deepEqual(run(inPhase('open'), none, events.trigger).effects, ['nothing', 'again'])
    const unkept = { ...inPhase('open'), phase: { ...open, news: null } }
    assert.deepEqual(run(unkept, none, events.trigger).effects, ['nothing', 'ask'])
  })
})
