import assert from 'node:assert/strict'
import { manualClock, type Variants } from '../../../simulator'
import { A_DAY, freezer, fridge, NOW, rackA, truck } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import { type ActionName, actions, type Message } from '../../support/flow-types'

/**
 * All differences between the live service and its description (docs/service.md), one at a time: the readings are the
 * same. `but` lists what the variant itself removes.
 */
const variants: [name: string, Partial<Variants>, but?: (payload: Message) => void][] = [
  ['bounds that are inclusive', { inclusiveBounds: true }],
  ['every number as text', { numbers: 'text' }],
  ['every number as number', { numbers: 'number' }],
  ['offsets with underscores', { offsetSpelling: 'underscore' }],
  ['offsets with hyphens', { offsetSpelling: 'hyphen' }],
  // Without a flag, dst-bias is never added: local times differ, instants do not.
  ['no daylight-saving flag', { dstFlag: 'missing' }, withoutOffset],
  ['dst-bias 60 everywhere', { dstBias: '60' }],
  ['a standalone device with number 1', { standaloneNum: 1 }, withoutNumber],
  ['channels counted from 0', { channelBase: 0 }],
  ['channels counted from 1', { channelBase: 1 }],
  ['base unit and group as arrays of one', { nested: 'array' }],
  ['no group as []', { noGroup: 'empty-array' }],
  ['no base unit as []', { noBaseunit: 'empty-array' }],
  ['rssi blank', { blank: ['rssi'] }, withoutRssi],
  ['rssi left out', { rssiMissing: true }, withoutRssi],
  ['records newest first', { recordOrder: 'descending' }],
  ['records in any order', { recordOrder: 'shuffled' }],
  ['undocumented fields', { extraFields: true }],
  ['csv2 on latest-data', { csv2OnLatestData: true }],
  ['error messages in Japanese', { errorLanguage: 'ja' }],
  ['error codes as text', { errorCode: 'text' }],
  ['no rate headers', { rateHeaders: 'absent' }],
  ['rate headers of words', { rateHeaders: 'text' }],
  ['blank rate headers', { rateHeaders: 'empty' }],
  ['negative rate headers', { rateHeaders: 'negative' }],
]

function withoutNumber(payload: Message): void {
  if (Array.isArray(payload)) for (const reading of payload) reading.number = null
}

function withoutOffset(payload: Message): void {
  for (const part of Array.isArray(payload) ? payload : [payload]) part.utcOffset = null
}

function withoutRssi(payload: Message): void {
  if (Array.isArray(payload)) for (const reading of payload) reading.rssi = null
}

describe('variants of the live service', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const devices = [freezer, fridge, rackA, truck]

  /** The messages of an action, in the order of the devices, without values that depend on the time of the response. */
  async function answers(action: ActionName): Promise<Message[]> {
    const node = { select: 'list', devices, ...A_DAY, from: '2026-01-15T10:00:00Z' }
    const flow = await startFlow(action, simulator(), { node, account: { concurrency: 1 } })
    flow.send()
    await flow.completed.next()
    assert.deepEqual(flow.errors.messages, [])
    const payloads = flow.output.messages.map(({ payload }) => payload)
    if (action === 'current') for (const reading of payloads[0]) reading.age = 0
    return payloads
  }

  const described = new Map<ActionName, Message[]>()

  /** The responses of a service as described. */
  async function describedResponses(action: ActionName): Promise<Message[]> {
    simulator().set({ variants: {} })
    const found = described.get(action) ?? (await answers(action))
    assert.ok(found.length > 0)
    described.set(action, found)
    return structuredClone(found)
  }

  for (const [name, variant, but] of variants) {
    it(`give the same readings from all four actions: ${name}`, async () => {
      for (const action of actions) {
        const expected = await describedResponses(action)
        simulator().set({ variants: variant })
        const differing = await answers(action)
        for (const payload of [...expected, ...differing]) but?.(payload)
        assert.deepEqual(differing, expected, action)
      }
    })
  }

  it('with blanks give missing values, keys as names of channels, and no group', async () => {
    simulator().set({ variants: { blank: ['value', 'channel.name', 'group.name'] } })
    const [readings] = await answers('current')
    for (const { group, channels } of readings as unknown as Message[]) {
      assert.equal(group, null)
      for (const { key, name, value, error } of channels) {
        assert.deepEqual([name, value, error], [key, null, 'missing'])
      }
    }
  })

  it('with any error text keep it, next to channels with values', async () => {
    simulator().set({ variants: { errorText: 'センサー異常 "E1"' } })
    const [readings] = await answers('current')
    const [good, bad] = (readings as unknown as Message[])[0]?.channels ?? []
    assert.equal(typeof good.value, 'number')
    assert.equal(bad.error, 'センサー異常 "E1"')
  })
})
