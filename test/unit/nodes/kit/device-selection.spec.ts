import assert from 'node:assert/strict'
import { install } from '@sinonjs/fake-timers'
import fc from 'fast-check'
import { EnvlogError } from '../../../../src/lib/errors'
import { readCurrent } from '../../../../src/lib/readings/current'
import { evaluateSelection } from '../../../../src/nodes/kit/settings/device-selection'
import { readActionSettings } from '../../../../src/nodes/kit/settings/read-settings'
import { createEvaluator } from '../../../../src/nodes/kit/settings/typed-input'
import { MAX_ELEMENTS } from '../../../../src/shared/schema'
import { currentDevice, currentEnvelope, failure } from '../../lib/responses'

type Done = (error: null, value: unknown) => void

/** Like Node-RED: fails if an object in the path is missing. */
const propertyReader = (msg: object) => async (path: string, type: string) => {
  assert.equal(type, 'msg')
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], msg)
}

const settings = (over: object) => readActionSettings('envlog-latest', { account: 'a', ...over })
const selectionFrom = (value: unknown, property = 'devices') =>
  evaluateSelection(settings({ select: 'msg', property }), propertyReader({ devices: value }))
const nothing = { devices: [], bases: [], groups: [] }
const devices = (...list: object[]) => ({ ...nothing, devices: list })

const A = '5212A1B2'
const B = '5839F001'

describe('the devices named in a message', () => {
  const shapes: readonly (readonly [string, unknown, object])[] = [
    ['a serial number', A, devices({ serial: A })],
    ['a serial number of 8 digits as a number', 52_120_001, devices({ serial: '52120001' })],
    ['an object with a serial number', { serial: A }, devices({ serial: A })],
    ['an object with serial number and base unit', { serial: A, base: B }, devices({ serial: A, base: B })],
    [
      'a base unit that is an object',
      { serial: A, base: { serial: B, name: 'Hall' } },
      devices({ serial: A, base: B }),
    ],
    ['a base unit that is null', { serial: A, base: null }, devices({ serial: A })],
    [
      '{remote} with several',
      { remote: [A, { serial: B }] },
      devices(...[A, B].map((serial) => ({ serial, isRemote: true }))),
    ],
    ['{base} with several', { base: [B, { serial: A }, B] }, { ...nothing, bases: [B, A] }],
    [
      '{group} with several',
      { group: ['Racks', { number: 1, name: 'Cold chain' }, 'Racks'] },
      { ...nothing, groups: ['Racks', 'Cold chain'] },
    ],
    [
      'an array of all of these',
      [A, { serial: B, base: A }, { remote: [B] }, { base: 58_390_001 }, { group: 'Racks' }],
      {
        devices: [{ serial: A }, { serial: B, base: A }, { serial: B, isRemote: true }],
        bases: ['58390001'],
        groups: ['Racks'],
      },
    ],
    ['the same twice', [A, { serial: A }, { remote: A }, A], devices({ serial: A })],
  ]
  for (const [title, value, expected] of shapes) {
    it(`can be ${title}`, async () => assert.deepEqual(await selectionFrom(value), expected))
  }

  it('can be an element of a current payload, or the payload', async () => {
    const envelope = currentEnvelope(currentDevice({ unixtime: '' }), currentDevice({ serial: '5212A1B3' }))
    const options = { receivedAt: 0, time: 'utc', series1Models: [], staleAfter: null } as const
    const payload = readCurrent(envelope, options)
    assert.deepEqual(await selectionFrom(payload[0]), devices({ serial: A, base: B }))
    assert.deepEqual(
      await selectionFrom(payload),
      devices({ serial: A, base: B }, { serial: '5212A1B3', base: B }),
    )
  })

  it("are read from the node's configured property", async () => {
    const wanted = settings({ select: 'msg', property: 'payload.of' })
    const taken = await evaluateSelection(wanted, propertyReader({ payload: { of: A }, devices: B }))
    assert.deepEqual(taken, devices({ serial: A }))
  })

  it('may come from a context, from JSONata, or from the environment, which contains only text', async () => {
    const taken = (propertyType: string, value: unknown) => {
      const evaluateNodeProperty = (path: string, type: string, ...[, , done]: [object, object, Done]) => {
        assert.deepEqual([path, type], ['x', propertyType])
        done(null, value)
      }
      const evaluate = createEvaluator({ util: { evaluateNodeProperty } } as never, {} as never, {})
      return evaluateSelection(settings({ select: 'msg', property: 'x', propertyType }), evaluate)
    }
    for (const type of ['flow', 'global', 'jsonata']) {
      assert.deepEqual(await taken(type, [{ serial: A, base: B }]), devices({ serial: A, base: B }))
    }
    assert.deepEqual(await taken('env', `${A}, ${B}`), devices({ serial: A }, { serial: B }))
    assert.deepEqual(await taken('env', `[{"base":"${B}"}]`), { ...nothing, bases: [B] })
    await assert.rejects(taken('env', ''), failure('devices-empty'))
    await assert.rejects(taken('env', '[{'), failure('devices-unreadable'))
    await assert.rejects(taken('flow', undefined), (error) => {
      assert.deepEqual((error as EnvlogError).params, { property: 'flow.x' })
      return failure('devices-missing')(error)
    })
  })

  it('fail with ENVLOG_INPUT if the context store does not respond', async () => {
    const clock = install({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const evaluate = createEvaluator({ util: { evaluateNodeProperty() {} } } as never, {} as never, {})
      for (const [propertyType, reason] of [
        ['flow', 'devices-missing'],
        ['jsonata', 'expression-failed'],
      ] as const) {
        const taken = evaluateSelection(settings({ select: 'msg', property: 'x', propertyType }), evaluate)
        const refusal = assert.rejects(taken, failure(reason))
        await clock.tickAsync(5000)
        await refusal
      }
    } finally {
      clock.uninstall()
    }
  })

  const refused = (
    value: unknown,
    reason: 'devices-missing' | 'devices-empty' | 'devices-unreadable',
    property?: string,
  ) =>
    assert.rejects(selectionFrom(value, property), (error) => {
      assert.ok(error instanceof EnvlogError)
      assert.equal(error.code, 'ENVLOG_INPUT')
      assert.deepEqual(error.params, { property: `msg.${property ?? 'devices'}` })
      return failure(reason)(error)
    })

  it('fail with ENVLOG_INPUT, which names the property, if it is missing', async () => {
    await refused(undefined, 'devices-missing')
    await refused(null, 'devices-missing')
    await refused(A, 'devices-missing', 'payload.of')
  })

  it('fail with ENVLOG_INPUT if the list is empty', async () => {
    for (const value of [[], { remote: [] }, { base: [] }, [{ remote: [] }]])
      await refused(value, 'devices-empty')
  })

  it('fail with ENVLOG_INPUT if they are unreadable', async () => {
    const texts = ['', 'all', '5212A1B', '5212A1B22', '5212/1B2', 5_212_000, 1234.567, true]
    const objects = [{}, [[A]], [A, null], { serial: A, base: 'x' }, { remote: A, base: B }, { name: A }]
    for (const value of [...texts, ...objects]) await refused(value, 'devices-unreadable')
  })

  it('are read only up to the first that is unreadable, because a long list would take seconds', async () => {
    for (const toValue of [(list: unknown[]) => list, (remote: unknown[]) => ({ remote })]) {
      const read = new Set<number>()
      const list = Array.from({ length: 1000 }, (_, index) => ({
        get serial() {
          read.add(index)
          return 'x'
        },
      }))
      await refused(toValue(list), 'devices-unreadable')
      assert.equal(read.size, 1)
    }
  })

  it('are up to 10,000 in a list', async () => {
    const list = (length: number) => Array.from({ length }, (_, index) => `${10_000_000 + index}`)
    for (const toValue of [(devices: string[]) => devices, (base: string[]) => ({ base })]) {
      const found = await selectionFrom(toValue(list(MAX_ELEMENTS)))
      assert.equal(Object.values(found).flat().length, MAX_ELEMENTS)
      await refused(toValue(list(MAX_ELEMENTS + 1)), 'devices-unreadable')
    }
  })

  it('are devices, base units or groups, or fail with ENVLOG_INPUT, whatever the message contains', async () => {
    const anything = fc.oneof(
      fc.anything(),
      fc.array(fc.constantFrom(A, { serial: A }, { base: B }, { group: 'Racks' }, { group: '' }, null, 5)),
    )
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        try {
          const found = await selectionFrom(value)
          assert.ok(found !== 'all' && Object.values(found).flat().length > 0)
        } catch (error) {
          assert.ok(error instanceof EnvlogError && error.code === 'ENVLOG_INPUT', String(error))
        }
      }),
    )
  })
})

describe('the devices named in the settings', () => {
  it('apply regardless of the message', async () => {
    const msg = propertyReader({ devices: B })
    assert.equal(await evaluateSelection(settings({}), msg), 'all')
    const chosen = { select: 'list', devices: [{ serial: A, base: B }, { serial: B }], bases: ['OTHER001'] }
    const single = devices({ serial: A, base: B }, { serial: B })
    assert.deepEqual(await evaluateSelection(settings(chosen), msg), {
      ...single,
      bases: ['OTHER001'],
    })
    const groups = settings({ select: 'group', groups: ['Racks'], bases: [B], devices: [{ serial: A }] })
    assert.deepEqual(await evaluateSelection(groups, msg), { ...nothing, groups: ['Racks'] })
    const base = settings({ select: 'base', bases: [B], devices: [{ serial: A }] })
    assert.deepEqual(await evaluateSelection(base, msg), { ...nothing, bases: [B] })
  })
})
