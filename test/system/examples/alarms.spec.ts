import assert from 'node:assert/strict'
import type { DeviceDefinition, GeneratedRecords } from '../../../simulator'
import { EXAMPLE_LIMITS } from '../../../src/shared/example-limits'
import { CHAT_ID, type ChatFormat, useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { until } from '../../support/wait'
import { type Chat, startChat } from './chat'
import { FREEZER, FRIDGE, freezerAndFridge, ON_DEMAND, useColdStore, withRounds } from './cold-store'
import { type MailServer, startMailServer } from './mail'

const FLOW_MS = 180_000
const NOTICED_MS = 60_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

const CHAT = 'Alarms/alarms to a chat'
const BATCHES = 'Alarms/alarms of loggers that upload in batches'
const MAIL = 'Mail - needs node-red-node-email/alarms by mail'
const HEARTBEAT = 'Operation/heartbeat'
const DEVICES = 'Operation/devices added and removed'

const IN_STORE = freezerAndFridge(0).map(({ serial }) => serial)
/**
 * Instead of the times of the shipped examples, which are longer. Limits of devices that are not in the store would be
 * told of after two minutes, too.
 */
const SOON = {
  errorAfter: 1,
  silentAfter: 2,
  limits: EXAMPLE_LIMITS.filter(({ devices }) => devices.every(({ serial }) => IN_STORE.includes(serial))),
}

/** A minute takes three seconds. */
const SPEED = 20

/** Also without offsets, which depend on the machine. */
const withoutTimes = (text: string) => text.replace(/\d\d:\d\d(?: UTC[+\d:-]*)?/g, 'hh:mm')

/** Also writes what *alarms* sends to the log. */
function withAlarmsInLog(flow: FlowNode[]): FlowNode[] {
  const log = { id: 'log', type: 'debug', name: 'alarms', x: 0, y: 0, active: true, console: true }
  return flow.flatMap((node) => {
    if (node.type !== 'envlog-alarms' || node.output !== 'text') return [node]
    const [[first = '']] = node.wires as [string[]]
    return [
      { ...node, wires: [[first, log.id]] },
      { ...log, z: node.z, complete: 'payload' },
    ]
  })
}

/** Flows that send messages to people: each message arrives once, whatever happens in between. */
describe('examples that send alarms', () => {
  const harness = useExamples({ speed: SPEED, examples: [MAIL] })
  const store = useColdStore(harness, SPEED)
  let chat: Chat
  let mail: MailServer | undefined

  beforeEach(async () => {
    chat = await startChat()
  })

  afterEach(async () => {
    await Promise.all([chat?.close(), mail?.close()])
    mail = undefined
  })

  const deploy = (name: string, { format = 'slack' as ChatFormat, limits = {}, more = {} } = {}) => {
    const surroundings = { simulator: store.simulator, chat: { url: chat.url, format } }
    const properties = { ...ON_DEMAND, 'envlog-limits': limits, ...more }
    return harness.deploy([name], { ...surroundings, more: properties }, withRounds)
  }

  /** These have arrived, and two more minutes bring nothing else. */
  async function assertSent(
    expected: readonly string[],
    sent: () => readonly string[] = () => chat.texts,
  ): Promise<void> {
    await until('the messages have arrived', () => sent().length >= expected.length).catch(() => {})
    await store.minutes(2)
    assert.deepEqual(sent().map(withoutTimes), expected)
  }

  /** Lets time pass until this many messages have arrived. */
  async function arrive(count: number): Promise<void> {
    await store.until(`${count} messages have arrived`, () => chat.texts.length >= count)
  }

  it('tell a chat that a door is open and closed, each once, despite a restart and a chat that refuses', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    const door = { serial: FREEZER, kind: 'door' } as const
    await deploy(CHAT, { format: 'teams' })
    await minutes(2)
    simulator.begin(door)
    await minutes(4)
    const expected = ['Freezer, Inside: critical, above -5 °C, now -3.7 °C (since hh:mm)']
    await assertSent(expected)
    await harness.restart()
    await minutes(5)
    expected.push('Freezer, Inside: above -15 °C for 10 minutes, now -3 °C (since hh:mm)')
    await assertSent(expected)

    // The chat closes the connection, then refuses, then accepts.
    chat.hangsUp = true
    simulator.end(door)
    await minutes(1)
    await until('the chat was called twice', () => chat.refused >= 2)
    Object.assign(chat, { hangsUp: false, refuses: true })
    const before = chat.refused
    await until('the chat has refused it', () => chat.refused > before)
    chat.refuses = false
    const end = (bound: number, count: number, name = '') =>
      `Freezer, Inside${name}: normal again at -16 °C, after ${count} minutes above ${bound} °C (hh:mm to hh:mm, highest -3 °C)`
    expected.push(`${end(-5, 11, ' (critical)')}\n${end(-15, 13)}`)
    await assertSent(expected)
    assert.ok(chat.bodies.every(({ attachments }) => attachments))
  })

  it('tell a chat of silent devices, sensors, batteries, and that nothing arrives, each once, and when it is over', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    await deploy(CHAT, { format: 'json', limits: SOON })
    await minutes(2)
    const expected: string[] = []
    const cases = [
      ['silence', 'Fridge: no new measurement (last at hh:mm)', /^Fridge: measurements arrive again, after /],
      ['sensor', 'Fridge, Inside: no value', /^Fridge, Inside: has values again after /],
    ] as const
    for (const [kind, begins, over] of cases) {
      simulator.begin({ serial: FRIDGE, kind })
      await arrive(expected.length + 1)
      assert.ok(withoutTimes(String(chat.texts.at(-1))).startsWith(begins), chat.texts.at(-1))
      simulator.end({ serial: FRIDGE, kind })
      await arrive(expected.length + 2)
      assert.match(String(chat.texts.at(-1)), over)
      expected.splice(0, expected.length, ...chat.texts.map(withoutTimes))
      await assertSent(expected)
    }
    simulator.begin({ serial: FRIDGE, kind: 'battery' })
    await arrive(expected.length + 1)
    expected.push('Fridge: replace the battery now')
    await assertSent(expected)
    const { events } = chat.bodies.at(-1) as { events?: { condition: string; state: string }[] }
    assert.deepEqual([events?.[0]?.condition, events?.[0]?.state], ['battery', 'alarm'])

    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await until('it is told that nothing arrives', () => chat.texts.length > expected.length)
    simulator.set({ faults: [] })
    await arrive(expected.length + 2)
    const [begins = '', over = ''] = chat.texts.slice(-2)
    assert.match(begins, /^No data of any device/)
    assert.match(over, /^Data arrives again, after /)
    await assertSent([...expected, begins, over].map(withoutTimes))
  })

  for (const name of [CHAT, BATCHES]) {
    it(`tell a chat soon why no readings arrive, once, and when they arrive again: ${name}`, async function () {
      this.timeout(FLOW_MS)
      const { simulator, minutes } = store
      // 12 seconds: the reason must be told before *alarms* notices that nothing arrives.
      const more = { ...ON_DEMAND, 'envlog-limits': { silentAfter: 4 } }
      await harness.deploy([name], { simulator, chat: { url: chat.url }, more }, (flow) =>
        withRounds(withAlarmsInLog(flow)),
      )
      await minutes(2)
      simulator.set({ faults: [{ kind: 'status', status: 401 }] })
      await harness.press('ask')
      await until('the reason is told', () => chat.texts.length > 0)
      assert.match(String(chat.texts[0]), /^No readings of any device .*: The service refused the login/)
      await harness.press('ask')
      await until(
        '*alarms* has noticed, too',
        () => /No data of any device/.test(harness.nodeRed.log()),
        NOTICED_MS,
      )
      // A period of the outage cannot be fetched for the time being.
      simulator.clock.advance(6 * HOUR)
      simulator.set({ faults: [{ kind: 'brokenJson', endpoints: ['data'], serials: [FREEZER] }] })
      await minutes(1)
      await assertSent([String(chat.texts[0]), 'Readings arrive again / 測定値を再び取得しています'])
    })
  }

  it('does not tell a chat of a single request that fails', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    await deploy(CHAT)
    await minutes(1)
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await harness.press('ask')
    await until('it has failed', () => simulator.log.at(-1)?.status === 503)
    simulator.set({ faults: [] })
    await minutes(1)
    // Longer than it takes to tell it.
    await harness.press('test alarm')
    await assertSent(['Test: this is how alarms arrive.'])
  })

  it('test the way to the chat, hold alarms back, and remind until they are acknowledged, and say who did it', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    await deploy(CHAT, { limits: { remind: 1 } })
    await harness.press('test alarm')
    const expected = ['Test: this is how alarms arrive.']
    await assertSent(expected)
    await harness.press('mute for an hour')
    expected.push('All devices: muted until hh:mm by control room')
    simulator.begin({ serial: FREEZER, kind: 'door' })
    await minutes(4)
    await assertSent(expected)
    await harness.press('end the mute')
    await until('what lasts is told', () => chat.texts.length > 2)
    await until('it is told again', () => chat.texts.length > 3)
    const [ended, lasts, ...others] = chat.texts[2]?.split('\n') ?? []
    assert.equal(ended, 'All devices: mute ended by control room')
    assert.match(String(lasts), /^Freezer, Inside: critical, above -5 °C for /)
    assert.deepEqual(others, [])
    assert.equal(chat.texts[3]?.replace('Still in alarm: ', ''), lasts)
    await harness.press('acknowledge all')
    const acknowledged = 'Freezer, Inside: critical acknowledged by control room'
    await until('the chat says so', () => chat.texts.includes(acknowledged))
    const { length } = chat.texts
    simulator.end({ serial: FREEZER, kind: 'door' })
    await until('the end is told', async () => {
      await minutes(1)
      return chat.texts.at(-1)?.startsWith('Freezer, Inside (critical): normal again at ')
    })
    assert.ok(!chat.texts.slice(length).some((text) => text.includes('Still in alarm')), 'no reminder')
  })

  it('answer in the chat what is on now, and what was over in the last 24 hours, also that it is nothing', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    await deploy(CHAT, { format: 'telegram' })
    await minutes(2)
    const NOW = 'In alarm now / 現在の警報:'
    const OVER = 'Over in the last 24 hours / 過去 24 時間に終わった警報:'
    const answer = async (button: string) => {
      const { length } = chat.texts
      await harness.press(button)
      return withoutTimes(String(await until('it is answered', () => chat.texts[length])))
    }
    assert.equal(await answer('what is on now'), `${NOW} none / なし`)
    assert.equal(await answer('last 24 hours'), `${OVER} none / なし`)
    simulator.begin({ serial: FREEZER, kind: 'door' })
    await minutes(4)
    await until('it is told', () => chat.texts.length > 2)
    await harness.press('acknowledge all')
    await until('the chat says who did it', () => / acknowledged by /.test(String(chat.texts.at(-1))))
    assert.match(
      await answer('what is on now'),
      new RegExp(`^${NOW}\nStill in alarm: Freezer, Inside: critical, above -5 °C for \\d minutes?, now .+$`),
    )
    simulator.end({ serial: FREEZER, kind: 'door' })
    await until('the end is told', async () => {
      await minutes(1)
      return chat.texts.at(-1)?.startsWith('Freezer, Inside (critical): normal again at ')
    })
    assert.match(
      await answer('last 24 hours'),
      new RegExp(
        `^${OVER}\nFreezer, Inside \\(critical\\): was above -5 °C for \\d+ minutes .+, acknowledged by control room$`,
      ),
    )
    assert.equal(await answer('what is on now'), `${NOW} none / なし`)
    assert.ok(chat.bodies.every(({ chat_id }) => chat_id === CHAT_ID))
  })

  it('send to a chat with a bearer token', async function () {
    this.timeout(FLOW_MS)
    const token = { authType: 'bearer', credentials: { password: 'the token' } }
    await deploy(CHAT, { format: 'line', more: { 'http request': { url: chat.url, ...token } } })
    await harness.press('test alarm')
    await assertSent(['Test: this is how alarms arrive.'])
    assert.equal(chat.bodies[0]?.to, CHAT_ID)
    assert.equal(chat.authorization, 'Bearer the token')
  })

  it('tell a chat of an alarm that was over when its records arrived', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    await deploy(BATCHES, { more: { 'envlog-latest': { repeat: 0, exclude: [] } } })
    await minutes(2)
    simulator.begin({ serial: FREEZER, kind: 'batch', minutes: 60 })
    simulator.begin({ serial: FREEZER, kind: 'door' })
    await minutes(15)
    simulator.end({ serial: FREEZER, kind: 'door' })
    await minutes(10)
    assert.deepEqual(chat.texts, [])
    simulator.end({ serial: FREEZER, kind: 'batch' })
    await minutes(1)
    const was = (bound: number, count: number, name = '') =>
      `Freezer, Inside${name}: was above ${bound} °C for ${count} minutes (hh:mm to hh:mm, highest -3 °C)`
    await assertSent([`${was(-5, 13, ' (critical)')}\n${was(-15, 15)}`])
  })

  it('tell a chat that the service no longer has the records of a logger', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    const [freezer] = freezerAndFridge(simulator.clock.now() - 5 * DAY) as [DeviceDefinition]
    const records = freezer.records as GeneratedRecords
    const until = simulator.clock.now() / 1000 - 2 * 86_400
    simulator.set({ fleet: [{ ...freezer, records: { ...records, until } }] })
    await deploy(BATCHES)
    await minutes(1)
    simulator.set({ fleet: [{ ...freezer, capacity: 1500 }] })
    // The next record says so.
    await minutes(2)
    await assertSent([
      `Freezer (${FREEZER}): records were lost, and alarms of their time may be missing. / 失われた記録があります。その間の警報が抜けている可能性があります。`,
    ])
  })

  it('send one mail for each round with all that it shows, again if the mail server refuses', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    const server = await startMailServer()
    mail = server
    const credentials = { userid: 'envlog@localhost', password: 'secret' }
    await deploy(MAIL, {
      more: { 'e-mail': { server: '127.0.0.1', port: String(server.port), credentials } },
    })
    await minutes(2)
    server.refuses = true
    simulator.begin({ serial: FREEZER, kind: 'door' })
    simulator.begin({ serial: FRIDGE, kind: 'battery' })
    await minutes(1)
    await until('the mail server has refused it twice', () => server.refused > 1)
    server.refuses = false
    const texts = () => server.mails.map(({ text }) => text)
    await until('the mail arrives', () => texts().length > 0)
    const { text, ...about } = server.mails[0] ?? {}
    assert.deepEqual(about, {
      from: 'envlog@localhost',
      to: 'you@localhost',
      subject: 'Alarm: Fridge: battery low',
      html: false,
    })
    const alarm = 'Freezer, Inside: critical, above -5 °C, now -3.7 °C (since hh:mm)'
    await minutes(2)
    await assertSent([String(text), alarm], texts)
    assert.equal(server.mails[1]?.subject, 'Alarm: Freezer, Inside: critical')
  })

  it('send a heartbeat with the number of alarms', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    const beat = async () => {
      const { length } = chat.bodies
      await harness.press('every 10 minutes')
      return await until('the heartbeat arrives', () => chat.bodies[length])
    }
    await deploy(HEARTBEAT, { more: { inject: { repeat: '', once: false } } })
    await minutes(2)
    assert.deepEqual(await beat(), { alarms: 0, events: [] })
    simulator.begin({ serial: FRIDGE, kind: 'battery' })
    await minutes(2)
    for (let times = 0; times < 2; times++) {
      const { alarms, events } = await beat()
      assert.equal(alarms, 1)
      assert.deepEqual(
        (events as { text: string }[]).map(({ text }) => text),
        ['Still in alarm: Fridge: replace the battery now'],
      )
    }
    assert.equal(chat.bodies.length, 3)
  })

  it('tell a chat of a device that is new in the account and of one that has left it, each once', async function () {
    this.timeout(FLOW_MS)
    const { simulator, minutes } = store
    await deploy(DEVICES)
    await minutes(2)
    await assertSent([])
    const fleet = freezerAndFridge(simulator.clock.now())
    simulator.set({ fleet: fleet.filter(({ serial }) => serial !== FRIDGE) })
    await minutes(1)
    const expected = [`Fridge (${FRIDGE}) is no longer in the account, or is excluded`]
    await assertSent(expected)
    await harness.restart()
    simulator.set({ fleet })
    await minutes(1)
    expected.push(`Fridge (${FRIDGE}) is new in the account`)
    await assertSent(expected)
    // One after the other, because messages to a chat at the same time may arrive in any order.
    for (const [index, { name, serial }] of fleet.entries()) {
      simulator.set({ fleet: fleet.slice(index + 1) })
      await minutes(1)
      expected.push(`${name} (${serial}) is no longer in the account, or is excluded`)
      await assertSent(expected)
    }
  })
})
