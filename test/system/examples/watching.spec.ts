import assert from 'node:assert/strict'
import { useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { until } from '../../support/wait'
import { FIRST, IGNORED, POWERED, SECOND, useFreezers } from './freezers'

const FLOW_MS = 90_000

/** Initially absent. */
const ADDED = '52A10003'

const LIMITS = 'Alarms/your own limits'
const SILENT = 'Alarms/watch for silent devices'

/** Flows that send messages to people: a message that was sent is not sent again, whatever happens in between. */
describe('examples that monitor readings', () => {
  const harness = useExamples()
  const freezers = useFreezers()
  const { set, remove, add } = freezers

  /** Polls only on demand, because a message to a chat that responds after the next round has started is sent twice. */
  const deploy = (name: string, format: 'slack' | 'teams' | 'json' = 'slack', more: object = {}) => {
    const { simulator, chat } = freezers
    const surroundings = {
      simulator,
      chat: { url: chat.url, format },
      more: { 'envlog-current': { repeat: 0 }, inject: { repeat: '' } },
    }
    return harness.deploy([name], surroundings, (flow) => [
      ...flow.map((node) => (node.name === 'silent after' ? { ...node, ...more } : node)),
      ...testNodes(flow),
    ])
  }

  async function poll(): Promise<void> {
    const { current } = freezers.simulator.counts()
    await harness.press('ask')
    await until('it is requested', () => freezers.simulator.counts().current.total > current.total)
  }

  /** The texts of all accepted messages, sorted, when there are this many, and two more triggers have brought no others. */
  async function sent(count: number, trigger = poll): Promise<string[]> {
    const { texts } = freezers.chat
    const remembered = () => harness.nodeRed.log().split('[debug:remembered]').length - 1
    const wanted = remembered() + count - texts.length
    await trigger()
    await until('the messages are remembered', () => remembered() >= wanted).catch(() => {})
    for (let times = 0; times < 2; times++) await trigger()
    return texts.toSorted()
  }

  const assertSent = async (expected: readonly string[]) =>
    assert.deepEqual(await sent(expected.length), expected.toSorted())

  it('report values outside the limits and their return, each once, despite restarts and refusals', async function () {
    this.timeout(FLOW_MS)
    const { chat } = freezers
    await deploy(LIMITS, 'teams')
    await assertSent([])

    set(FIRST, { value: -12 })
    const expected = [
      'Freezer 1, Inside: -12 °C is too warm',
      'Freezer 1, The same in °F: 10.4 °F is too warm',
    ]
    await assertSent(expected)

    // Better but not yet normal: nothing new, nor after a restart.
    set(FIRST, { value: -15.5 })
    await harness.restart()
    await assertSent(expected)

    // A message refused by the chat is sent again, and then only once.
    chat.refuses = true
    set(FIRST, { value: -16.5 })
    for (const count of [1, 2]) {
      await poll()
      await until('the chat has refused both', () => chat.refused === 2 * count)
    }
    chat.refuses = false
    expected.push(
      'Freezer 1, Inside: -16.5 °C is back to normal',
      'Freezer 1, The same in °F: 2.3 °F is back to normal',
    )
    await assertSent(expected)
    assert.ok(chat.bodies.every(({ attachments }) => attachments))
  })

  it('report a silent device, its return and batteries, each once, and nothing about ignored devices', async function () {
    this.timeout(FLOW_MS)
    const { chat } = freezers
    set(POWERED, { battery: 1 })
    await deploy(SILENT, 'json')
    await assertSent([])

    set(IGNORED, { age: 7200 })
    set(FIRST, { age: null })
    const expected = [`Freezer 1 (${FIRST}) has never sent a reading`]
    await assertSent(expected)
    await harness.restart()
    await assertSent(expected)

    set(FIRST, { age: 30 })
    expected.push(`Freezer 1 (${FIRST}) is back`)
    await assertSent(expected)

    set(SECOND, { battery: 2 })
    expected.push(`Freezer 2 (${SECOND}): replace the battery`)
    await assertSent(expected)
    // The level low is not reported.
    set(SECOND, { battery: 4 })
    await assertSent(expected)
    set(SECOND, { battery: 5 })
    expected.push(`Freezer 2 (${SECOND}) has a good battery again`)
    await assertSent(expected)

    set(SECOND, { age: 3700 })
    await poll()
    await until('it is sent', () => chat.texts.length > expected.length)
    const { state, before, device } = chat.bodies.at(-1) ?? {}
    const [, date, minute] = /^(.{10})T(.{5}):.*\+09:00$/.exec((device as { time: string }).time) ?? []
    assert.equal(chat.texts.at(-1), `Freezer 2 (${SECOND}) has been silent since ${date} ${minute}`)
    assert.deepEqual([state, before], ['silent', 'heard'])
    assert.equal((device as { stale: boolean }).stale, true)
  })

  it('report a device that is removed from the account, its return and a new one, each once', async function () {
    this.timeout(FLOW_MS)
    await deploy(SILENT)
    await assertSent([])

    remove(SECOND)
    const expected = [`Freezer 2 (${SECOND}) has left the account, or is excluded`]
    await assertSent(expected)
    add(SECOND)
    expected.push(`Freezer 2 (${SECOND}) is in the account again`)
    await assertSent(expected)
    add(ADDED)
    expected.push(`Freezer 3 (${ADDED}) is new in the account`)
    await assertSent(expected)
  })

  it('report that the service is silent, and that it responds again, each once', async function () {
    this.timeout(FLOW_MS)
    // Any time without a response is too long.
    const rules = [{ t: 'set', p: 'silentAfter', pt: 'msg', to: '0', tot: 'num' }]
    await deploy(SILENT, 'slack', { rules })
    await assertSent([])
    freezers.simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await poll()
    const [silent = ''] = await sent(1, () => harness.press('every minute'))
    assert.match(silent, /^The service has not answered since \d{4}-\d\d-\d\d \d\d:\d\d$/)
    freezers.simulator.set({ faults: [] })
    await assertSent([silent, 'The service answers again'])
  })
})

/** `ask` triggers a poll; the log says each time a message was sent and remembered. */
function testNodes(flow: readonly FlowNode[]): FlowNode[] {
  const current = flow.find(({ type }) => type === 'envlog-current') as FlowNode
  const remember = flow.find(({ name }) => name === 'remember what was reported') as FlowNode
  const place = { z: current.z, x: 0, y: 0 }
  return [
    { id: 'ask', type: 'inject', name: 'ask', props: [], ...place, wires: [[current.id]] },
    { id: 'complete', type: 'complete', scope: [remember.id], ...place, wires: [['remembered']] },
    { id: 'remembered', type: 'debug', name: 'remembered', ...place, active: true, console: true },
  ]
}
