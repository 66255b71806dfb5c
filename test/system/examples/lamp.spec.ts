import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { type Received, useBroker } from '../../support/broker'
import { useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { until } from '../../support/wait'
import { startChat } from './chat'
import { FREEZER, FRIDGE, ON_DEMAND, useColdStore, withRounds } from './cold-store'

const FLOW_MS = 180_000

const LAMP = 'Alarms/lamp and horn'
const CHAT = 'Alarms/alarms to a chat'
const more = { ...ON_DEMAND, 'envlog-limits': { errorAfter: 1 } }

/** As the editor imports it into a plant: with the limits of the first example. */
function oneList(flow: FlowNode[]): FlowNode[] {
  const first = flow.find(({ type }) => type === 'envlog-limits')
  return flow
    .filter((node) => node.type !== 'envlog-limits' || node === first)
    .map((node) => (node.type === 'envlog-alarms' ? { ...node, limits: first?.id } : node))
}

describe('the example with a lamp and a horn', () => {
  // Faster, a slow disk would count as one that fails, and events are sent before they are saved.
  const speed = 5
  const harness = useExamples({ speed, contextStorage: {} })
  const store = useColdStore(harness, speed)
  const broker = useBroker()
  let received: Received[]
  let end: () => Promise<void>

  beforeEach(async () => {
    const subscriber = await broker().subscribe('#')
    received = subscriber.received
    end = subscriber.end
  })

  afterEach(() => end())

  const about = (device: string) =>
    received.filter(({ topic }) => topic === `plant/${device}`).map(({ text }) => text)

  /** Waits until lamp and horn are in these states. */
  const shows = (lamp: boolean, horn: boolean) =>
    until(`lamp ${lamp}, horn ${horn}`, () =>
      isDeepStrictEqual([about('lamp').at(-1), about('horn').at(-1)], [`${lamp}`, `${horn}`]),
    )

  /** What a new subscriber receives. */
  async function retained(): Promise<Record<string, string>> {
    const later = await broker().subscribe('#')
    await until('retained messages arrive', () => later.received.some(({ topic }) => topic === 'plant/lamp'))
    await later.end()
    return Object.fromEntries(later.received.map(({ topic, text }) => [topic, text]))
  }

  it('shows alarms with the lamp, and new ones with the horn until they are acknowledged', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    const door = { serial: FREEZER, kind: 'door' } as const
    await harness.deploy([LAMP], { simulator, broker: broker().node, more }, withRounds)
    await minutes(2)
    await shows(false, false)

    simulator.begin(door)
    await minutes(4)
    await shows(true, true)
    const critical = `envlog/${FREEZER}/${FREEZER}/ch1/critical`
    await harness.press('acknowledge all')
    await shows(true, false)
    // One alarm ends while another one lasts.
    simulator.begin({ serial: FRIDGE, kind: 'sensor' })
    await minutes(1)
    await shows(true, true)
    await harness.press('acknowledge all')
    simulator.end(door)
    await minutes(2)
    await shows(true, false)
    const states = await retained()
    assert.equal(states[critical], 'false')
    assert.equal(states[`envlog/${FRIDGE}/${FRIDGE}/ch1/error`], 'true')

    // A broker that was away does not change what is shown, and the horn stays silent.
    await end()
    await broker().stop()
    await broker().startAgain()
    const again = await broker().subscribe('#')
    received = again.received
    end = again.end
    await shows(true, false)
    await until('all states are there', () => received.some(({ topic }) => topic === critical))
    assert.deepEqual(
      [new Set(about('lamp')), new Set(about('horn'))],
      [new Set(['true']), new Set(['false'])],
    )

    simulator.end({ serial: FRIDGE, kind: 'sensor' })
    await minutes(1)
    await shows(false, false)
  })

  it('sounds the horn after a power cut while nobody has acknowledged the alarm, without a silence before', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    await harness.deploy([LAMP], { simulator, broker: broker().node, more }, withRounds)
    simulator.begin({ serial: FREEZER, kind: 'door' })
    await minutes(4)
    await shows(true, true)
    for (const horn of [true, false]) {
      received.length = 0
      await harness.nodeRed.stop('SIGKILL')
      await harness.nodeRed.start()
      await shows(true, horn)
      assert.deepEqual(
        [new Set(about('lamp')), new Set(about('horn'))],
        [new Set(['true']), new Set([`${horn}`])],
      )
      await harness.press('acknowledge all')
      await shows(true, false)
    }
  })

  it('stops the horn when the alarm is acknowledged in the chat, which says who did it', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    const chat = await startChat()
    try {
      const surroundings = { simulator, broker: broker().node, chat: { url: chat.url }, more }
      await harness.deploy([LAMP, CHAT], surroundings, (flow) => withRounds(oneList(flow)))
      simulator.begin({ serial: FREEZER, kind: 'door' })
      await minutes(4)
      await shows(true, true)
      await harness.nodeRed.inject('envlog-chat-acknowledge')
      await shows(true, false)
      await until('the chat is told', () =>
        chat.texts.some((text) => / acknowledged by control room$/.test(text)),
      )
      simulator.end({ serial: FREEZER, kind: 'door' })
      await minutes(3)
      await shows(false, false)
    } finally {
      await chat.close()
    }
  })

  it('shows that no readings arrive, until they arrive again', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    await harness.deploy([LAMP], { simulator, broker: broker().node, more }, withRounds)
    await minutes(2)
    await shows(false, false)
    simulator.set({ faults: [{ kind: 'status', status: 401 }] })
    await harness.press('ask')
    await shows(true, true)
    await harness.press('acknowledge all')
    await shows(true, false)
    simulator.set({ faults: [] })
    await minutes(1)
    await shows(false, false)
  })

  it('switches both on for a moment at a test, which leaves no state behind', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    await harness.deploy([LAMP], { simulator, broker: broker().node, more }, withRounds)
    await minutes(2)
    await shows(false, false)
    await harness.press('test alarm')
    const wereOn = () => ['lamp', 'horn'].every((device) => about(device).includes('true'))
    await until('both were on', wereOn)
    await shows(false, false)
    assert.deepEqual(
      Object.keys(await retained()).filter((topic) => topic.endsWith('test')),
      [],
    )
  })
})
