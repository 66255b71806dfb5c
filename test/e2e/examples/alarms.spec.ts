import assert from 'node:assert/strict'
import {
  type AlertDefinition,
  type DeviceDefinition,
  manualClock,
  type Simulator,
  startSimulator,
} from '../../../simulator'
import { type Chat, startChat } from '../../support/chat'
import { rounds, useExamples } from '../../support/examples'
import { type MailServer, startMailServer } from '../../support/mail'
import { until } from '../../support/wait'

const FLOW_MS = 90_000

const LIMITS = 'Alarms/limits of your own'
const SILENT = 'Alarms/watch for silent devices'
const CHAT = 'Alarms/alerts to a chat'
const MAIL = 'Mail - needs node-red-node-email/alerts to a chat and by mail'

const FIRST = '52A10001'
const SECOND = '52A10002'
/** Stand in the flow as a device to be ignored, and as one on external power. */
const IGNORED = '52A1000F'
const POWERED = '52B10006'

interface State {
  value: number
  /** seconds since it was measured; none: never */
  age: number | null
  battery: number
  alerts: AlertDefinition[]
}

/** Flows that tell people: what was told once is not told again, whatever happens between. */
describe('examples that tell people', () => {
  const hall = useExamples({ speed: 2 })
  let simulator: Simulator
  let chat: Chat
  let mail: MailServer
  let states: Record<string, State>

  beforeEach(async () => {
    const serials = [FIRST, SECOND, IGNORED, POWERED]
    states = Object.fromEntries(serials.map((serial) => [serial, { ...WELL, alerts: [] }]))
    simulator = await startSimulator({ clock: manualClock(Date.now()), limits: 'off', fleet: fleet() })
    chat = await startChat()
    mail = await startMailServer()
  })

  afterEach(async () => {
    await Promise.all([simulator.close(), chat.close(), mail.close()])
  })

  const WELL: State = { value: -20, age: 60, battery: 5, alerts: [] }
  const stateOf = (serial: string): State => states[serial] ?? WELL

  /** They are as `states` says. */
  const fleet = () =>
    Object.keys(states).map(
      (serial): DeviceDefinition => ({
        serial,
        name: `Freezer ${serial.slice(-1)}`,
        zone: { timeDiff: 540 },
        battery: stateOf(serial).battery,
        channels: [{ num: 1, name: 'Inside', unit: 'C' }],
        records: [],
        alerts: () => stateOf(serial).alerts,
        current: () => {
          const { value, age } = stateOf(serial)
          return age === null ? {} : { unixtime: Math.floor(Date.now() / 1000) - age, values: { 1: value } }
        },
      }),
    )

  const set = (serial: string, state: Partial<State>) => {
    Object.assign(stateOf(serial), state)
    if ('battery' in state) simulator.set({ fleet: fleet() })
  }

  /** At 9:00:00 of the device's clock, so many seconds later. */
  const AT = Date.UTC(2026, 10, 20, 0, 0, 0) / 1000
  const alarm = (serial: string, later: number, ...texts: string[]) =>
    stateOf(serial).alerts.push(
      ...texts.map((text, at) => ({ unixtime: AT + later + at, texts: { ch1: text } })),
    )

  /** All that was taken, when some more rounds have brought nothing else. */
  async function assertTold(expected: readonly string[], told = () => chat.texts): Promise<void> {
    await until('it is told', () => told().length >= expected.length).catch(() => {})
    await rounds(simulator, 1)
    assert.deepEqual(told(), expected)
  }

  it('tell what leaves the limits and what is back, each once, over restarts and refusals', async function () {
    this.timeout(FLOW_MS)
    await hall.deploy([LIMITS], { simulator, chat })
    await assertTold([])

    set(FIRST, { value: -12 })
    const told = ['Freezer 1, Inside: -12 C is too warm']
    await assertTold(told)

    // Worse, and better but not yet well: nothing new; nor after a restart.
    set(FIRST, { value: -10 })
    await assertTold(told)
    set(FIRST, { value: -15.5 })
    await hall.restart()
    await assertTold(told)

    // What the chat refuses is told again, and then once.
    chat.refuse(true)
    set(FIRST, { value: -16.5 })
    await until('the chat has refused it', () => chat.refused > 1)
    chat.refuse(false)
    told.push('Freezer 1, Inside: -16.5 C is back to normal')
    await assertTold(told)

    set(FIRST, { value: -31 })
    told.push('Freezer 1, Inside: -31 C is too cold')
    await assertTold(told)
    set(FIRST, { value: -14 })
    told.push('Freezer 1, Inside: -14 C is too warm')
    await assertTold(told)
  })

  it('tell of a silent device, of its return and of batteries, each once, and nothing of those to be ignored', async function () {
    this.timeout(FLOW_MS)
    set(POWERED, { battery: 1 })
    await hall.deploy([SILENT], { simulator, chat })
    await assertTold([])

    set(IGNORED, { age: 7200 })
    set(FIRST, { age: null })
    const told = [`Freezer 1 (${FIRST}) has never sent a reading`]
    await assertTold(told)
    await hall.restart()
    await assertTold(told)

    set(FIRST, { age: 30 })
    told.push(`Freezer 1 (${FIRST}) is back`)
    await assertTold(told)

    set(SECOND, { battery: 2 })
    told.push(`Freezer 2 (${SECOND}): replace the battery`)
    await assertTold(told)
    // Low is neither.
    set(SECOND, { battery: 4 })
    set(IGNORED, { age: 10 })
    await assertTold(told)
    set(SECOND, { battery: 5 })
    told.push(`Freezer 2 (${SECOND}) has a good battery again`)
    await assertTold(told)

    set(SECOND, { age: 3700 })
    await until('it is told', () => chat.texts.length > told.length)
    assert.match(chat.texts.at(-1) ?? '', /^Freezer 2 \(52A10002\) is silent since \d{4}-\d\d-\d\dT/)
  })

  it('tell a chat of new alerts and recoveries, each once, over refusals and a crash', async function () {
    this.timeout(FLOW_MS)
    alarm(FIRST, 0, 'Inside Upper Limit: -9 C')
    await hall.deploy([CHAT], { simulator, chat })
    // What is there at first is known.
    await rounds(simulator, 8)
    assert.deepEqual(chat.texts, [])

    alarm(FIRST, 60, 'Inside Upper Limit: -8 C', 'Inside Returned to Normal: -16 C')
    alarm(SECOND, 120, 'Inside Sensor Error <b>"&"</b>')
    const told = [
      'Alert: Freezer 1: Inside Upper Limit: -8 C (2026-11-20 09:01)\nRecovered: Freezer 1: Inside Returned to Normal: -16 C (2026-11-20 09:01)',
      'Alert: Freezer 2: Inside Sensor Error <b>"&"</b> (2026-11-20 09:02)',
    ]
    const sorted = () => chat.texts.toSorted()
    await assertTold(told, sorted)

    chat.refuse(true)
    alarm(FIRST, 180, 'Inside Upper Limit: -7 C')
    await until('the chat has refused it', () => chat.refused > 0)
    await hall.kill()
    await hall.start()
    await until('the chat has refused it again', () => chat.refused > 1)
    chat.refuse(false)
    told.splice(1, 0, 'Alert: Freezer 1: Inside Upper Limit: -7 C (2026-11-20 09:03)')
    await assertTold(told.toSorted(), sorted)
  })

  it('tell a chat and a mailbox of new alerts and recoveries, each once in each, whichever refuses', async function () {
    this.timeout(FLOW_MS)
    await hall.deploy([MAIL], { simulator, chat, mail })
    await rounds(simulator, 8)
    alarm(FIRST, 0, 'Inside Upper Limit: -8 C')
    const told = ['Alert: Freezer 1: Inside Upper Limit: -8 C (2026-11-20 09:00)']
    const mails = () => mail.mails.map(({ text }) => text)
    await assertTold(told)
    await assertTold(told, mails)
    assert.deepEqual(mail.mails[0], {
      from: 'envlog@localhost',
      to: 'you@localhost',
      subject: 'Alerts of Freezer 1',
      text: told[0],
    })

    // The chat takes it, the mail server does not: no second time in the chat.
    mail.refuse(true)
    alarm(FIRST, 60, '庫内 正常値復帰: -16 C')
    told.push('Recovered: Freezer 1: 庫内 正常値復帰: -16 C (2026-11-20 09:01)')
    await until('the mail server has refused it', () => mail.refused > 1)
    await assertTold(told)
    mail.refuse(false)
    await assertTold(told, mails)
    await assertTold(told)

    chat.refuse(true)
    alarm(FIRST, 120, 'Inside Upper Limit: -7 C')
    told.push('Alert: Freezer 1: Inside Upper Limit: -7 C (2026-11-20 09:02)')
    await until('the chat has refused it', () => chat.refused > 1)
    chat.refuse(false)
    await assertTold(told)
    await assertTold(told, mails)
  })
})
