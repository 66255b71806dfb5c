import assert from 'node:assert/strict'
import { readCommand } from '../../../../src/nodes/alarms/command'

const commandOf = (envlog: object) => readCommand({ envlog } as never)

describe('a command to alarms', () => {
  it('names who gives it and why, each in one line of at most 100 characters', () => {
    const long = `${' '.repeat(100)}${'x'.repeat(101)}`
    assert.deepEqual(commandOf({ mute: 60, by: ` shift\nleader `, note: long }), {
      kind: 'mute',
      ms: 3_600_000,
      serials: 'all',
      signature: { by: 'shift leader', note: 'x'.repeat(100) },
    })
  })

  it('tests with the names of the first device', () => {
    const command = { kind: 'test', serial: '5212A1B2' }
    assert.deepEqual(commandOf({ test: true, devices: ['5212A1B2', '5212A1B3'] }), command)
  })

  it('acknowledges devices and single alarms, for a time', () => {
    const of = ['5212A1B2', '5839F001/5212A1B2/ch1/too warm/2026-11-20T07:48:00.000Z']
    assert.deepEqual(commandOf({ acknowledge: of, minutes: 240, by: '' }), {
      kind: 'acknowledge',
      of,
      ms: 14_400_000,
      signature: { by: null, note: null },
    })
  })

  it('has numbers and ids up to their bounds', () => {
    const timeOf = (envlog: object) => {
      const { hours, ms } = Object(commandOf(envlog))
      return hours ?? ms
    }
    const numbers = [{ history: 1 }, { history: 744 }, { mute: 0 }, { acknowledge: true, minutes: 1 }]
    assert.deepEqual(numbers.map(timeOf), [1, 744, 0, 60_000])
    const id = `a/${'x'.repeat(498)}`
    assert.deepEqual(Object(commandOf({ acknowledge: [id] })).of, [id])
  })

  for (const [envlog, reason] of [
    [{ acknowledge: ['x'.repeat(101)] }, 'serials-unreadable'],
    [{ acknowledge: [`a/${'x'.repeat(499)}`] }, 'serials-unreadable'],
    [{ forget: Array(1001).fill('52A10001') }, 'serials-unreadable'],
    [{ forget: ['a/b'] }, 'serials-unreadable'],
    [{ history: 744.5 }, 'history-unreadable'],
    [{ history: 0 }, 'history-unreadable'],
    [{ acknowledge: true, minutes: 0 }, 'acknowledge-unreadable'],
    [{ mute: -1 }, 'mute-unreadable'],
    [{ mute: 10_081 }, 'mute-unreadable'],
    [{ acknowledge: true, note: ['x'] }, 'text-unreadable'],
  ] as const) {
    it(`is refused: ${JSON.stringify(envlog).slice(0, 60)}`, () => {
      assert.throws(() => commandOf(envlog), { reason })
    })
  }
})
