import assert from 'node:assert/strict'
import type { ChatFormat } from '../../support/chat'
import { exampleNames, readExample, rounds, useExamples } from '../../support/examples'
import { FIRST, SECOND, useFreezers } from '../../support/freezers'
import { until } from '../../support/wait'

const FLOW_MS = 90_000

const CHAT = 'Alarms/alerts to a chat'
/** What a chat would make a mention, a bold text and a link of. */
const HOSTILE = 'Inside Sensor Error <!channel> &lt; "*b*" [a](b)'
const MAIL = 'Mail - needs node-red-node-email/alerts to a chat and by mail'

/** Flows that write to people: what was sent once is not sent again, whatever happens between. */
describe('examples that pass alerts on', () => {
  const hall = useExamples({ speed: 2, examples: [MAIL] })
  const freezers = useFreezers({ hasRecord: true })
  const { alarm, assertSent } = freezers
  const hostileMessage = `Alert: Freezer 2: ${HOSTILE} (2026-11-20 09:02)`
  const bodyOf = (text: string) => JSON.stringify(freezers.chat.bodies[freezers.chat.texts.indexOf(text)])

  /** A chat would make a mention or a link of it; a card and a program take it as it is. */
  const assertFormat = (format: ChatFormat, text: string) => {
    assert.deepEqual(new Set(freezers.chat.formats), new Set([format]))
    const body = bodyOf(text)
    assert.equal(body.includes('<!channel>'), format !== 'slack')
    assert.equal(body.includes('&lt;!channel&gt; &amp;lt; "'.replaceAll('"', '\\"')), format === 'slack')
    // Programs get what the node sends.
    if (format === 'json') assert.match(body, /"alerts":\[\{"serial":"52A10002",.*"source":"ch1",/)
  }

  it('tell a chat of new alerts and recoveries, each once, over refusals and a crash', async function () {
    this.timeout(FLOW_MS)
    alarm(FIRST, 0, 'Inside Upper Limit: -9 C')
    await hall.deploy([CHAT], { simulator: freezers.simulator, chat: freezers.chat })
    // What is there at first is known.
    await rounds(freezers.simulator, 8)
    assert.deepEqual(freezers.chat.texts, [])

    alarm(FIRST, 60, 'Inside Upper Limit: -8 C', 'Inside Returned to Normal: -16 C')
    alarm(SECOND, 120, HOSTILE)
    const expected = [
      'Alert: Freezer 1: Inside Upper Limit: -8 C (2026-11-20 09:01)\nRecovered: Freezer 1: Inside Returned to Normal: -16 C (2026-11-20 09:01)',
      hostileMessage,
    ]
    const sorted = () => freezers.chat.texts.toSorted()
    await assertSent(expected, sorted)
    // That it was sent is written down: a crash before may send it again.
    await rounds(freezers.simulator, 8)

    freezers.chat.refuse(true)
    alarm(FIRST, 180, 'Inside Upper Limit: -7 C')
    await until('the chat has refused it', () => freezers.chat.refused > 0)
    await hall.kill()
    await hall.start()
    await until('the chat has refused it again', () => freezers.chat.refused > 1)
    freezers.chat.refuse(false)
    expected.splice(1, 0, 'Alert: Freezer 1: Inside Upper Limit: -7 C (2026-11-20 09:03)')
    await assertSent(expected.toSorted(), sorted)
    assertFormat('slack', hostileMessage)
  })

  for (const format of ['teams', 'json'] as const)
    it(`tell it in the format of the chat: ${format}`, async function () {
      this.timeout(FLOW_MS)
      const { simulator, chat } = freezers
      await hall.deploy([CHAT], { simulator, chat: { url: chat.url, format } })
      // What is there at first is known.
      await rounds(simulator, 8)
      alarm(SECOND, 120, HOSTILE)
      await assertSent([hostileMessage])
      assertFormat(format, hostileMessage)
    })

  it('take the format of their chat from one node, the same in all of them', () => {
    const chats = exampleNames
      .map(readExample)
      .filter((flow) => flow.some(({ url }) => /hooks/.test(String(url))))
    assert.equal(chats.length, 4)
    const nodes = chats.flatMap((flow) => flow.filter(({ name }) => name === 'chat format'))
    assert.equal(nodes.length, chats.length)
    for (const { rules } of nodes) assert.deepEqual(rules, nodes[0]?.rules)
  })

  it('tell a chat and a mailbox of new alerts and recoveries, each once in each, whichever refuses', async function () {
    this.timeout(FLOW_MS)
    const chat = { url: freezers.chat.url, format: 'json' } as const
    await hall.deploy([MAIL], { simulator: freezers.simulator, chat, mail: freezers.mail })
    await rounds(freezers.simulator, 8)
    alarm(FIRST, 0, 'Inside Upper Limit: -8 C')
    const expected = ['Alert: Freezer 1: Inside Upper Limit: -8 C (2026-11-20 09:00)']
    const mails = () => freezers.mail.mails.map(({ text }) => text)
    await assertSent(expected)
    await assertSent(expected, mails)
    assert.deepEqual(freezers.mail.mails[0], {
      from: 'envlog@localhost',
      to: 'you@localhost',
      subject: 'Alerts of Freezer 1',
      text: expected[0],
    })

    // The chat takes it, the mail server does not: no second time in the chat.
    freezers.mail.refuse(true)
    alarm(FIRST, 60, 'Inside 正常値復帰: -16 C')
    expected.push('Recovered: Freezer 1: Inside 正常値復帰: -16 C (2026-11-20 09:01)')
    await until('the mail server has refused it', () => freezers.mail.refused > 1)
    await assertSent(expected)
    freezers.mail.refuse(false)
    await assertSent(expected, mails)
    await assertSent(expected)

    freezers.chat.refuse(true)
    alarm(FIRST, 120, 'Inside Upper Limit: -7 C')
    expected.push('Alert: Freezer 1: Inside Upper Limit: -7 C (2026-11-20 09:02)')
    await until('the chat has refused it', () => freezers.chat.refused > 1)
    freezers.chat.refuse(false)
    await assertSent(expected)
    await assertSent(expected, mails)
    const bodies = freezers.chat.bodies as { alerts: { text: string }[] }[]
    assert.deepEqual(
      bodies.map(({ alerts }) => alerts.map(({ text }) => text)),
      [['Inside Upper Limit: -8 C'], ['Inside 正常値復帰: -16 C'], ['Inside Upper Limit: -7 C']],
    )
  })
})
