import assert from 'node:assert/strict'
import { systemClock } from '../../../../src/lib/clock'
import { type Delivery, PlantAlarms } from '../../../../src/nodes/kit/limits/plant-alarms'
import { AT_8, MINUTE, readingOf } from '../../../support/limits/monitoring'
import { createMemoryStore } from '../../../support/memory-store'
import { useFakeTimers } from '../../lib/api/setup'

/** The list of alarms while nodes of the flow come and go, as in a deploy. */
describe('the alarms of a plant', () => {
  let alarms: PlantAlarms
  let told: string[]

  beforeEach(() => {
    told = []
    const config = { limits: [{ name: 'too warm', above: -15 }], silentAfter: '' }
    const opened = { account: {} as never, store: createMemoryStore(systemClock) }
    alarms = new PlantAlarms({} as never, {} as never, config as never, opened)
  })
  afterEach(() => alarms.close())

  const join = (id: string) =>
    alarms.join(id, {
      deliver: ({ changes }: Delivery) =>
        void told.push(...changes.reports.map(({ event }) => `${id} ${event.state}`)),
      show: () => {},
    })
  const measure = (minute: number, value: number) =>
    alarms.inTurn(() =>
      alarms.judge([readingOf(AT_8 + minute * MINUTE, value)], 'lamp', { msg: {}, send: () => {} } as never),
    )

  it('tell a node that was being deployed what it has missed', async () => {
    join('chat')
    join('lamp')
    alarms.endDeploy()
    await measure(0, -10)
    alarms.leave('chat', false)
    await measure(1, -18)
    assert.deepEqual(told, ['chat alarm', 'lamp alarm', 'lamp normal'])
    join('chat')
    assert.deepEqual(told.splice(3), ['chat normal'])
    alarms.leave('chat', true)
    await measure(2, -10)
    join('chat')
    assert.deepEqual(told.splice(3), ['lamp alarm'])
  })

  it('tell all nodes of the deploy that opens them what has changed before these have joined', async () => {
    join('lamp')
    await measure(0, -10)
    join('chat')
    assert.deepEqual(told.splice(0), ['lamp alarm', 'chat alarm'])
    alarms.endDeploy()
    join('new')
    assert.deepEqual(told, [])
  })

  it('tell all other nodes if one fails', async () => {
    const failing = { deliver: () => assert.fail('the horn'), show: () => {} }
    alarms.join('horn', failing)
    join('lamp')
    alarms.leave('chat', false)
    await assert.rejects(measure(0, -10), { message: 'the horn' })
    join('chat')
    assert.deepEqual(told, ['lamp alarm', 'chat alarm'])
  })

  it('forget a node that has not joined again when the deploy is complete', async () => {
    join('chat')
    join('lamp')
    alarms.endDeploy()
    alarms.leave('chat', false)
    await measure(0, -10)
    alarms.endDeploy()
    await measure(1, -18)
    join('chat')
    assert.deepEqual(told, ['lamp alarm', 'lamp normal'])
  })

  it('keep at most the last 1,000 changes for such a node', async () => {
    join('chat')
    alarms.leave('chat', false)
    for (let count = 0; count <= 1000; count++) {
      const report = { event: { state: count } } as never
      alarms.deliver({ reports: [report], states: [], latched: [], save: undefined })
    }
    join('chat')
    assert.deepEqual([told.length, told[0]], [1000, 'chat 1'])
  })
})

describe('the settings of limits in minutes', () => {
  const timers = useFakeTimers()

  it('are minutes of the clock', async () => {
    const told: string[] = []
    const opened = { account: {} as never, store: createMemoryStore(systemClock) }
    const config = { limits: [], errorAfter: 10, silentAfter: 20, remind: 30 }
    const alarms = new PlantAlarms({} as never, {} as never, config as never, opened)
    const deliver = ({ changes }: Delivery) =>
      void told.push(...changes.reports.map(({ event }) => `${event.state} ${event.condition}`))
    alarms.join('lamp', { deliver, show: () => {} })
    for (const value of [-18, null])
      await alarms.inTurn(() =>
        alarms.judge([readingOf(Date.now(), value)], 'lamp', { msg: {}, send: () => {} } as never),
      )
    const toldWithin = async (minutes: number) => {
      await timers().tickAsync(minutes * MINUTE)
      return told.splice(0)
    }
    assert.deepEqual(await toldWithin(9.9), [])
    assert.deepEqual(await toldWithin(0.2), ['alarm error'])
    assert.deepEqual(await toldWithin(9.8), [])
    assert.deepEqual(await toldWithin(0.2), ['alarm no-data'])
    assert.deepEqual(await toldWithin(19.8), [])
    assert.deepEqual(await toldWithin(0.2), ['reminder error'])
    await alarms.close()
  })
})
