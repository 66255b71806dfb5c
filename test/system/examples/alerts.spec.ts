import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { exampleNames, readExample, rounds, useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { until } from '../../support/wait'
import { FIRST, SECOND, useFreezers } from './freezers'
import { type MailServer, startMailServer } from './mail'

const FLOW_MS = 180_000

const CHAT = 'Alarms/alerts to a chat'
const MAIL = 'Mail - needs node-red-node-email/alerts by mail'
/** Text that a chat would convert to a mention, bold text and a link, and to a separate line. */
const HOSTILE = 'Inside Sensor Error <!channel> &lt; "*b*" [a](b)\nRecovered: all'

/** Flows that send messages to people: a message that was sent is not sent again, whatever happens in between. */
describe('examples that forward alerts', () => {
  const harness = useExamples({ speed: 2, examples: [MAIL] })
  const freezers = useFreezers()
  const { alarm, assertSent } = freezers
  let mail: MailServer | undefined

  /** What the nodes have written to their files. */
  function savedState(): string {
    const folder = join(harness.nodeRed.userDir, 'envlog')
    const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.json')) : []
    return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
  }

  afterEach(async () => {
    await mail?.close()
    mail = undefined
  })

  it('notify a chat of new alerts and recoveries, each once, despite refusals and a crash', async function () {
    this.timeout(FLOW_MS)
    const { simulator, chat } = freezers
    alarm(FIRST, 0, 'Inside Upper Limit: -9 C')
    await harness.deploy([CHAT], { simulator, chat })
    // Alerts that exist at first are known.
    await rounds(simulator, 8)
    assert.deepEqual(chat.texts, [])

    alarm(FIRST, 60, 'Inside Upper Limit: -8 C', 'Inside Returned to Normal: -16 C')
    const expected = [
      'Alert: Freezer 1: Inside Upper Limit: -8 C (2026-11-20 09:01)\nRecovered: Freezer 1: Inside Returned to Normal: -16 C (2026-11-20 09:01)',
    ]
    await assertSent(expected)
    alarm(SECOND, 120, HOSTILE)
    expected.push(`Alert: Freezer 2: ${HOSTILE.replace('\n', ' ')} (2026-11-20 09:02)`)
    await assertSent(expected)
    assert.match(String(chat.bodies.at(-1)?.text), / &lt;!channel&gt; &amp;lt; "\*b\*" /)
    // After a crash before that, it may be sent again.
    await until('the sending is saved', () => savedState().includes(String(Date.UTC(2026, 10, 20, 0, 2))))

    chat.refuses = true
    alarm(FIRST, 180, 'Inside Upper Limit: -7 C')
    await until('the chat has refused it', () => chat.refused > 0)
    await harness.nodeRed.stop('SIGKILL')
    await harness.nodeRed.start()
    await until('the chat has refused it again', () => chat.refused > 1)
    chat.refuses = false
    expected.push('Alert: Freezer 1: Inside Upper Limit: -7 C (2026-11-20 09:03)')
    await assertSent(expected)

    simulator.set({ faults: [{ kind: 'status', status: 401 }] })
    await until('the failure is told', () => chat.texts.length > expected.length)
    assert.match(String(chat.texts.at(-1)), /^Alerts could not be fetched .*: The service refused the login/)
  })

  it('notify a chat immediately that the connection works, without a request', async () => {
    const { simulator, chat } = freezers
    await harness.deploy([CHAT], { simulator, chat, more: { 'envlog-alerts': { repeat: 0 } } })
    await harness.press('send a test message')
    await until('it arrives', () => chat.texts.length > 0)
    assert.deepEqual(chat.texts, ['This is a test: alerts come to this chat.'])
    assert.equal(simulator.counts().alert.total, 0)
  })

  it('ask once for the address of the chat, not with an error for each message', async () => {
    const { simulator } = freezers
    const tried = {
      id: 'tried',
      type: 'debug',
      name: 'tried',
      z: 'envlog-example-chat',
      complete: 'statusCode',
    }
    const add = (flow: FlowNode[]) => [
      ...flow.map((node) =>
        node.type === 'http request'
          ? { ...node, wires: [[...((node.wires as string[][])[0] ?? []), tried.id]] }
          : node,
      ),
      { ...tried, x: 0, y: 0, active: true, console: true },
    ]
    await harness.deploy([CHAT], { simulator, more: { 'envlog-alerts': { repeat: 0 } } }, add)
    const begin = harness.nodeRed.log().length
    const count = (text: string) => harness.nodeRed.log().slice(begin).split(text).length - 1
    for (let times = 1; times <= 3; times++) {
      await harness.press('send a test message')
      await until('it is tried', () => count('[debug:tried]') === times)
    }
    assert.equal(count('Enter the address of your chat'), 1)
    assert.equal(count('[debug:what went wrong]'), 0)
  })

  it('request as often as the service allows for the devices chosen in the shipped example', () => {
    for (const name of [CHAT, MAIL])
      for (const { type, repeat, devices } of readExample(name))
        if (type === 'envlog-alerts') assert.equal(((devices as []).length * 3600) / Number(repeat), 12, name)
  })

  it("take their chat's format from one node, identical in all of them", () => {
    const chats = exampleNames
      .map(readExample)
      .filter((flow) => flow.some(({ url }) => /hooks/.test(String(url))))
    assert.equal(chats.length, 4)
    const nodes = chats.flatMap((flow) => flow.filter(({ name }) => name === 'chat format'))
    assert.equal(nodes.length, chats.length)
    for (const { rules } of nodes) assert.deepEqual(rules, nodes[0]?.rules)
  })

  it('send new alerts by mail, each once, even if the mail server refuses, and despite a restart', async function () {
    this.timeout(FLOW_MS)
    const { simulator } = freezers
    const server = await startMailServer()
    mail = server
    const credentials = { userid: 'envlog@localhost', password: 'secret' }
    const more = { 'e-mail': { server: '127.0.0.1', port: String(server.port), credentials } }
    await harness.deploy([MAIL], { simulator, more })
    await harness.press('send a test mail')
    const expected = ['This is a test: alerts come to this address.']
    const mails = () => server.mails.map(({ text }) => text)
    await assertSent(expected, mails)
    await rounds(simulator, 8)
    alarm(FIRST, 0, 'Inside <lower limit>\n<b>Upper</b> Limit: -8 C')
    expected.push('Alert: Freezer 1: Inside ‹lower limit> ‹b>Upper‹/b> Limit: -8 C (2026-11-20 09:00)')
    await assertSent(expected, mails)
    assert.deepEqual(server.mails[1], {
      from: 'envlog@localhost',
      to: 'you@localhost',
      subject: 'Alerts of Freezer 1',
      text: expected[1],
      html: false,
    })

    server.refuses = true
    alarm(FIRST, 60, 'Inside 正常値復帰: -16 C')
    expected.push('Recovered: Freezer 1: Inside 正常値復帰: -16 C (2026-11-20 09:01)')
    await until('the mail server has refused it', () => server.refused > 1)
    server.refuses = false
    await assertSent(expected, mails)
    await harness.restart()
    await rounds(simulator, 4)
    await assertSent(expected, mails)
  })
})
