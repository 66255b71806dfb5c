import assert from 'node:assert/strict'
import { useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { until } from '../../support/wait'
import { FIRST, IGNORED, POWERED, SECOND, useFreezers } from './freezers'

const FLOW_MS = 150_000

/** Initially absent. */
const ADDED = '52A10003'

const LIMITS = 'Alarms/your own limits'
const SILENT = 'Alarms/watch for silent devices'

/** Flows that send messages to people: a message that was sent is not sent again, whatever happens in between. */
describe('examples that monitor readings', () => {
  // Not faster: a message to a chat that responds after the next round has started is sent twice. As shipped, their rounds
  // are a minute apart, here a second.
  const hall = useExamples({ speed: 1 })
  const freezers = useFreezers()
  const { set, remove, add, assertSent } = freezers

  it('report values outside the limits and their return, each once, despite restarts and refusals', async function () {
    this.timeout(FLOW_MS)
    const { simulator, chat } = freezers
    await hall.deploy([LIMITS], { simulator, chat: { url: chat.url, format: 'teams' } })
    // Two channels that change in the same round cause two messages, in any order.
    const sorted = () => chat.texts.toSorted()
    await assertSent([])

    set(FIRST, { value: -12 })
    const expected = [
      'Freezer 1, Inside: -12 °C is too warm',
      'Freezer 1, The same in °F: 10.4 °F is too warm',
    ]
    await assertSent(expected.toSorted(), sorted)

    // Better but not yet normal: nothing new, nor after a restart.
    set(FIRST, { value: -15.5 })
    await hall.restart()
    await assertSent(expected.toSorted(), sorted)

    // A message refused by the chat is sent again, and then only once.
    chat.refuses = true
    set(FIRST, { value: -16.5 })
    await until('the chat has refused it', () => chat.refused > 1)
    chat.refuses = false
    expected.push(
      'Freezer 1, Inside: -16.5 °C is back to normal',
      'Freezer 1, The same in °F: 2.3 °F is back to normal',
    )
    await assertSent(expected.toSorted(), sorted)
    assert.ok(chat.bodies.every(({ attachments }) => attachments))
  })

  it('report a silent device, its return and batteries, each once, and nothing about ignored devices', async function () {
    this.timeout(FLOW_MS)
    const { simulator, chat } = freezers
    set(POWERED, { battery: 1 })
    await hall.deploy([SILENT], { simulator, chat: { url: chat.url, format: 'json' } })
    await assertSent([])

    set(IGNORED, { age: 7200 })
    set(FIRST, { age: null })
    const expected = [`Freezer 1 (${FIRST}) has never sent a reading`]
    await assertSent(expected)
    await hall.restart()
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
    await until('it is sent', () => chat.texts.length > expected.length)
    const { state, before, device } = chat.bodies.at(-1) ?? {}
    const [, date, minute] = /^(.{10})T(.{5}):.*\+09:00$/.exec((device as { time: string }).time) ?? []
    assert.equal(chat.texts.at(-1), `Freezer 2 (${SECOND}) has been silent since ${date} ${minute}`)
    assert.deepEqual([state, before], ['silent', 'heard'])
    assert.equal((device as { stale: boolean }).stale, true)
  })

  it('report a device that is removed from the account, its return and a new one, each once', async function () {
    this.timeout(FLOW_MS)
    const { simulator, chat } = freezers
    await hall.deploy([SILENT], { simulator, chat: { url: chat.url } })
    await assertSent([])

    remove(SECOND)
    const expected = [`Freezer 2 (${SECOND}) has left the account, or is excluded`]
    await assertSent(expected)
    await hall.restart()
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
    const { simulator, chat } = freezers
    await hall.deploy([SILENT], { simulator, chat: { url: chat.url } }, (flow) =>
      flow.map((node) => (node.name === 'silent after' ? { ...node, rules: rulesWith(node, '10') } : node)),
    )
    await assertSent([])
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await until('it is sent', () => chat.texts.length > 0)
    assert.match(String(chat.texts[0]), /^The service has not answered since \d{4}-\d\d-\d\d \d\d:\d\d$/)
    simulator.set({ faults: [] })
    await assertSent([String(chat.texts[0]), 'The service answers again'])
  })
})

const rulesWith = ({ rules }: FlowNode, to: string) => (rules as object[]).map((rule) => ({ ...rule, to }))
