import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type DeviceDefinition, manualClock } from '../../../simulator'
import { runs } from '../../support/chance'
import { NOW } from '../../support/devices'
import { runEveryPair } from '../../support/every-pair'
import { startFlow, useSimulator } from '../../support/flow'
import { BASE, currentDevice } from '../../unit/lib/responses'

interface Chosen {
  devices: { serial: string; base?: string }[]
  bases: string[]
  groups: string[]
  exclude: string[]
}

const records = [{ unixtime: NOW / 1000 - 60, values: { 1: 20 } }]
const hall = (serial: string) => ({ serial, name: 'Hall' })
const SHARED = '5C000001'
const LONG = '冷'.repeat(2000)
/** One serial under two base units and standalone, base units with the same name, and groups with similar names. */
const HARD: DeviceDefinition[] = [
  { serial: SHARED, base: hall('5F000001'), group: { num: 1, name: 'Racks' }, records },
  { serial: SHARED, base: hall('5F000002'), group: { num: 2, name: 'Racks' }, records },
  { serial: SHARED, group: { num: 3, name: '5C000002' }, records },
  { serial: '5C000002', base: hall('5F000001'), group: { num: 4, name: '__proto__' }, records },
  { serial: '5C000003', base: hall('5F000002'), group: { num: 5, name: ' ' }, records },
  { serial: '5C000004', group: { num: 6, name: ' Racks\n' }, records },
  { serial: '5C000005', group: { num: 7, name: LONG }, records },
  { serial: '5C000006', records },
]

/** The messages match the simulator's data, for a choice in the node and in a message. */
describe('any choice of devices', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off', fleet: HARD }))
  const fleet = () => simulator().truth.devices()
  const keyOf = ({ serial, base }: { serial: string; base: string }) => `${base}/${serial}`

  const anyChoice = (): fc.Arbitrary<Chosen> => {
    const known = fleet().map(({ serial, base }) => ({ serial, base }))
    const device = fc.constantFrom(...known, ...known.map(({ serial }) => ({ serial })), {
      serial: 'NONE0000',
    })
    const bases = [...new Set(fleet().map(({ base }) => base)), 'NONE0001']
    const groups = [...new Set(fleet().map(({ group }) => group.name))].filter(Boolean)
    return fc.record({
      devices: fc.array(device, { maxLength: 4 }),
      bases: fc.subarray(bases, { maxLength: 2 }),
      groups: fc.subarray([...groups, 'No such group'], { maxLength: 2 }),
      exclude: fc.subarray(
        known.map(({ serial }) => serial),
        { maxLength: 3 },
      ),
    })
  }

  const isChosen = (
    { devices, bases, groups }: Omit<Chosen, 'exclude'>,
    { serial, base, group }: ReturnType<typeof fleet>[number],
  ) =>
    bases.includes(base) ||
    groups.includes(group.name) ||
    devices.some((one) => one.serial === serial && (one.base ?? base) === base)

  /** The relay of an old base unit has no endpoint for records. */
  const isServed = (action: string, { endpoints }: ReturnType<typeof fleet>[number]) =>
    action === 'current' || endpoints.some((endpoint) => endpoint.startsWith('latest'))

  /** Chosen items that match no device of the account. */
  function unknownIn({ devices, bases, groups, exclude }: Chosen): string[] {
    const all = fleet()
    return [
      ...devices.filter(
        (one) =>
          !exclude.includes(one.serial) &&
          !all.some((device) => isChosen({ devices: [one], bases: [], groups: [] }, device)),
      ),
      ...bases.filter((base) => !all.some((device) => device.base === base)).map((serial) => ({ serial })),
    ]
      .map(({ serial }) => serial)
      .concat(groups.filter((name) => !all.some(({ group }) => group.name === name)))
  }

  async function judge(
    action: 'current' | 'latest',
    node: object,
    msg: object,
    chosen: Chosen,
  ): Promise<void> {
    simulator().reset()
    const pair = { action, output: 'readings', send: 'device' } as const
    const [ran] = await runEveryPair(simulator(), () => ({ exclude: chosen.exclude, ...node }), [pair], msg)
    assert.ok(ran)
    const found = ran.messages.map(({ payload: { serial, base } }) => `${base.serial}/${serial}`)
    const expected = fleet().filter(
      (device) =>
        isChosen(chosen, device) && isServed(action, device) && !chosen.exclude.includes(device.serial),
    )
    assert.deepEqual(found.toSorted(), expected.map(keyOf).toSorted())
    if (action === 'current') assert.ok(simulator().log.length <= 1, 'one request')
    const failures = [...ran.errors, ...(ran.failed ? [ran.failed] : [])]
    const inputs = failures
      .filter(({ error }) => error.code === 'ENVLOG_INPUT')
      .map(({ error }) => error.cause)
    const reported = inputs.map(({ serial, group }) => serial ?? group)
    assert.deepEqual(reported.toSorted(), [...new Set(unknownIn(chosen))].toSorted())
  }

  async function judgeByMessage(action: 'current' | 'latest', chosen: Chosen): Promise<void> {
    const { devices, bases, groups } = chosen
    const named = [
      ...devices,
      ...bases.map((base) => ({ base })),
      ...(groups.length > 0 ? [{ group: groups }] : []),
    ]
    if (named.length > 0) await judge(action, { select: 'msg' }, { devices: named }, chosen)
  }

  async function judgeBySetting(action: 'current' | 'latest', chosen: Chosen): Promise<void> {
    const { devices, bases, groups } = chosen
    if (devices.length + bases.length > 0)
      await judge(action, { select: 'list', devices, bases }, {}, { ...chosen, groups: [] })
    if (groups.length > 0)
      await judge(action, { select: 'group', groups }, {}, { ...chosen, devices: [], bases: [] })
  }

  for (const action of ['current', 'latest'] as const) {
    it(`is sent completely by ${action}, each device once, and missing ones are reported`, async () => {
      await fc.assert(
        fc.asyncProperty(anyChoice(), fc.boolean(), (chosen, byMessage) =>
          byMessage ? judgeByMessage(action, chosen) : judgeBySetting(action, chosen),
        ),
        { numRuns: runs(600) },
      )
    })
  }
})

/** Devices whose entry in `current` is unreadable. */
describe('a choice with unreadable devices', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const under = (serial: string, base: string, group: string, fields: object = {}) =>
    currentDevice({ serial, baseunit: { ...BASE, serial: base }, group: { num: 1, name: group }, ...fields })
  const odd = { unixtime: 'never' }
  const devices = [
    under('5C000001', '5F000001', 'Racks'),
    under('5C000002', '5F000002', 'Cold', odd),
    under('5C000003', '5F000003', 'Elsewhere', odd),
  ]
  const start = (choice: object) => {
    const body = JSON.stringify({ devices })
    simulator().set({ faults: [{ kind: 'body', body, endpoints: ['current'] }] })
    return startFlow('current', simulator(), { node: { ...choice, send: 'device' } })
  }

  const choices = {
    'a chosen group': { select: 'group', groups: ['Cold', 'Racks'] },
    'a chosen base unit': { select: 'base', bases: ['5F000002', '5F000001'] },
    'the chosen devices': {
      select: 'list',
      devices: [{ serial: '5C000002', base: '5F000002' }],
      bases: ['5F000001'],
    },
  }
  for (const [where, choice] of Object.entries(choices)) {
    it(`reports one of ${where} for each message, and neither missing devices nor others`, async () => {
      const flow = await start(choice)
      for (const _ of [1, 2]) {
        flow.send()
        await flow.completed.next()
      }
      const [sent, errors] = [flow.output.messages, flow.errors.messages]
      assert.deepEqual(
        sent.map(({ payload }) => payload.serial),
        ['5C000001', '5C000001'],
      )
      assert.deepEqual(
        errors.map(({ error, envlog }) => [envlog.device.serial, error.code]),
        [
          ['5C000002', 'ENVLOG_REPLY'],
          ['5C000002', 'ENVLOG_REPLY'],
        ],
      )
    })
  }

  it('fails if nothing else is chosen', async () => {
    const flow = await start({ select: 'group', groups: ['Cold'] })
    flow.send()
    const { error, envlog } = await flow.errors.next()
    assert.deepEqual([error.code, envlog], ['ENVLOG_REPLY', undefined])
    assert.deepEqual(flow.output.messages, [])
  })
})
