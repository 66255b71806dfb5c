import assert from 'node:assert/strict'
import fc from 'fast-check'
import { manualClock } from '../../simulator'
import { NOW } from '../support/devices'
import { runEveryPair } from '../support/every-pair'
import { useSimulator } from '../support/flow'

interface Chosen {
  devices: { serial: string; base?: string }[]
  bases: string[]
  groups: string[]
}

/** Any choice of a generated fleet: what is sent is what the simulator's truth says, from settings and from a message. */
describe('any choice of devices', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off', devices: 24 }))
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
    })
  }

  const isChosen = (
    { devices, bases, groups }: Chosen,
    { serial, base, group }: ReturnType<typeof fleet>[number],
  ) =>
    bases.includes(base) ||
    groups.includes(group.name) ||
    devices.some((one) => one.serial === serial && (one.base ?? base) === base)

  /** The relay of an old base unit has no records for others to ask for. */
  const isServed = (action: string, { endpoints }: ReturnType<typeof fleet>[number]) =>
    action === 'current' || endpoints.some((endpoint) => endpoint.startsWith('latest'))

  /** What nobody in the account stands for. */
  function unknownIn({ devices, bases, groups }: Chosen): string[] {
    const all = fleet()
    return [
      ...devices.filter(
        (one) => !all.some((device) => isChosen({ devices: [one], bases: [], groups: [] }, device)),
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
    const [ran] = await runEveryPair(simulator(), () => ({ version: 2, ...node }), [pair], msg)
    assert.ok(ran)
    const found = ran.messages.map(({ payload: { serial, base } }) => `${base.serial}/${serial}`)
    const expected = fleet().filter((device) => isChosen(chosen, device) && isServed(action, device))
    assert.deepEqual(found.toSorted(), expected.map(keyOf).toSorted())
    if (action === 'current') assert.equal(simulator().log.length, 1, 'one request')
    const failures = [...ran.errors, ...(ran.failed ? [ran.failed] : [])]
    const inputs = failures
      .filter(({ error }) => error.code === 'ENVLOG_INPUT')
      .map(({ error }) => error.cause)
    const reported = inputs.map(({ serial, group }) => serial ?? group)
    assert.deepEqual(reported.toSorted(), [...new Set(unknownIn(chosen))].toSorted())
  }

  for (const action of ['current', 'latest'] as const) {
    it(`${action}: is sent whole, each device once, and what the account lacks is reported`, async () => {
      await fc.assert(
        fc.asyncProperty(anyChoice(), fc.boolean(), async (chosen, byMessage) => {
          const { devices, bases, groups } = chosen
          if (byMessage) {
            const named = [
              ...devices,
              ...bases.map((base) => ({ base })),
              ...(groups.length > 0 ? [{ group: groups }] : []),
            ]
            if (named.length === 0) return
            await judge(action, { select: 'msg' }, { devices: named }, chosen)
            return
          }
          if (devices.length + bases.length > 0) {
            await judge(action, { select: 'list', devices, bases }, {}, { ...chosen, groups: [] })
          }
          if (groups.length > 0)
            await judge(action, { select: 'group', groups }, {}, { devices: [], bases: [], groups })
        }),
        { numRuns: 25 },
      )
    })
  }
})
