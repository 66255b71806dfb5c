import assert from 'node:assert/strict'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../simulator'
import { type Restarting, startRestarting, stores } from '../support/archive/restarting'
import { type Chat, startChat } from '../support/chat'
import { until } from '../support/wait'
import { assertWithoutCode, filledIn, rounds } from '../support/whole-flow'

const STARTING_MS = 300_000
const FLOW_MS = 90_000
/** Stands in the flow as a device to be ignored. */
const IGNORED = '52A1000F'

interface Reading {
  value: number
  /** seconds since it was measured; none: never */
  age: number | null
}

/** Flows that tell people: what was told once is not told again, whatever happens between. */
describe('whole flows to a chat', () => {
  let nodeRed: Restarting
  let simulator: Simulator
  let chat: Chat
  let readings: Record<string, Reading>

  before('starts Node-RED with the package installed', async function () {
    this.timeout(STARTING_MS)
    nodeRed = await startRestarting(stores.atOnce)
  })

  after('ends it', () => nodeRed?.kill())

  beforeEach(async () => {
    readings = {
      '52A10001': { value: 5, age: 60 },
      '52A10002': { value: 6, age: 60 },
      [IGNORED]: { value: 5, age: 60 },
    }
    const fleet = Object.keys(readings).map(deviceOf)
    simulator = await startSimulator({ clock: manualClock(Date.now()), limits: 'off', fleet })
    chat = await startChat()
  })

  afterEach(async () => {
    await Promise.all([simulator.close(), chat.close()])
  })

  /** Its current reading is what `readings` holds. */
  function deviceOf(serial: string): DeviceDefinition {
    return {
      serial,
      name: `Freezer ${serial.slice(-1)}`,
      channels: [{ num: 1, name: 'Inside', unit: 'C' }],
      records: [],
      current: () => {
        const { value = 0, age = null } = readings[serial] ?? {}
        if (age === null) return {}
        return { unixtime: Math.floor(Date.now() / 1000) - age, values: { 1: value } }
      },
    }
  }

  const set = (serial: string, reading: Partial<Reading>) => {
    readings[serial] = { value: 5, age: 60, ...readings[serial], ...reading }
  }

  /** All that the chat has taken, when some more rounds have brought nothing else. */
  async function assertTold(expected: readonly string[]): Promise<void> {
    await until('the chat is told', () => chat.texts.length >= expected.length).catch(() => {})
    await rounds(simulator, 2)
    assert.deepEqual(chat.texts, expected)
  }

  async function restart(): Promise<void> {
    await nodeRed.end()
    await nodeRed.start()
  }

  it('tell a threshold alarm and its recovery, each once, over restarts and refusals', async function () {
    this.timeout(FLOW_MS)
    assertWithoutCode('threshold-alarm-to-chat')
    await nodeRed.deploy(filledIn('threshold-alarm-to-chat', { simulator, chat }))
    await assertTold([])

    set('52A10001', { value: 9.5 })
    const told = ['Freezer 1, Inside: 9.5 C is above 8']
    await assertTold(told)

    // Worse, and better but not yet well: nothing new; nor after a restart.
    set('52A10001', { value: 11 })
    await assertTold(told)
    set('52A10001', { value: 7.5 })
    await restart()
    await assertTold(told)

    // What the chat refuses is told again, and then once.
    chat.refuse(true)
    set('52A10001', { value: 6.5 })
    await until('the chat has refused it', () => chat.refused > 1)
    chat.refuse(false)
    told.push('Freezer 1, Inside: 6.5 C is back to normal')
    await assertTold(told)

    set('52A10002', { value: 8.1 })
    told.push('Freezer 2, Inside: 8.1 C is above 8')
    await assertTold(told)
  })

  it('tell of a silent device and of its return, each once, and nothing of those to be ignored', async function () {
    this.timeout(FLOW_MS)
    assertWithoutCode('watch-for-silent-devices')
    await nodeRed.deploy(filledIn('watch-for-silent-devices', { simulator, chat }))
    await assertTold([])

    set(IGNORED, { age: 7200 })
    set('52A10001', { age: null })
    const told = ['Freezer 1 is silent since ever']
    await assertTold(told)
    await restart()
    await assertTold(told)

    set('52A10001', { age: 30 })
    told.push('Freezer 1 is back')
    await assertTold(told)
    set(IGNORED, { age: 10 })
    await restart()
    await assertTold(told)

    set('52A10002', { age: 3700 })
    await until('it is told', () => chat.texts.length > told.length)
    assert.match(chat.texts.at(-1) ?? '', /^Freezer 2 is silent since \d{4}-\d\d-\d\dT/)
    await assertTold([...chat.texts])
    assert.equal(chat.texts.length, told.length + 1)
  })
})
