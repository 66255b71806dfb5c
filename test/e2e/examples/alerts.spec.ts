import assert from 'node:assert/strict'
import { rounds, useExamples } from '../../support/examples'
import { FIRST, SECOND, useFreezers } from '../../support/freezers'
import { until } from '../../support/wait'

const FLOW_MS = 90_000

const CHAT = 'Alarms/alerts to a chat'
const MAIL = 'Mail - needs node-red-node-email/alerts to a chat and by mail'

/** Flows that tell people: what was told once is not told again, whatever happens between. */
describe('examples that pass alerts on', () => {
  const hall = useExamples({ speed: 2 })
  const freezers = useFreezers({ hasRecord: true })
  const { alarm, assertTold } = freezers

  it('tell a chat of new alerts and recoveries, each once, over refusals and a crash', async function () {
    this.timeout(FLOW_MS)
    alarm(FIRST, 0, 'Inside Upper Limit: -9 C')
    await hall.deploy([CHAT], { simulator: freezers.simulator, chat: freezers.chat })
    // What is there at first is known.
    await rounds(freezers.simulator, 8)
    assert.deepEqual(freezers.chat.texts, [])

    alarm(FIRST, 60, 'Inside Upper Limit: -8 C', 'Inside Returned to Normal: -16 C')
    alarm(SECOND, 120, 'Inside Sensor Error <b>"&"</b>')
    const told = [
      'Alert: Freezer 1: Inside Upper Limit: -8 C (2026-11-20 09:01)\nRecovered: Freezer 1: Inside Returned to Normal: -16 C (2026-11-20 09:01)',
      'Alert: Freezer 2: Inside Sensor Error <b>"&"</b> (2026-11-20 09:02)',
    ]
    const sorted = () => freezers.chat.texts.toSorted()
    await assertTold(told, sorted)
    // That it was told is written down: a crash before may tell it again.
    await rounds(freezers.simulator, 8)

    freezers.chat.refuse(true)
    alarm(FIRST, 180, 'Inside Upper Limit: -7 C')
    await until('the chat has refused it', () => freezers.chat.refused > 0)
    await hall.kill()
    await hall.start()
    await until('the chat has refused it again', () => freezers.chat.refused > 1)
    freezers.chat.refuse(false)
    told.splice(1, 0, 'Alert: Freezer 1: Inside Upper Limit: -7 C (2026-11-20 09:03)')
    await assertTold(told.toSorted(), sorted)
  })

  it('tell a chat and a mailbox of new alerts and recoveries, each once in each, whichever refuses', async function () {
    this.timeout(FLOW_MS)
    await hall.deploy([MAIL], { simulator: freezers.simulator, chat: freezers.chat, mail: freezers.mail })
    await rounds(freezers.simulator, 8)
    alarm(FIRST, 0, 'Inside Upper Limit: -8 C')
    const told = ['Alert: Freezer 1: Inside Upper Limit: -8 C (2026-11-20 09:00)']
    const mails = () => freezers.mail.mails.map(({ text }) => text)
    await assertTold(told)
    await assertTold(told, mails)
    assert.deepEqual(freezers.mail.mails[0], {
      from: 'envlog@localhost',
      to: 'you@localhost',
      subject: 'Alerts of Freezer 1',
      text: told[0],
    })

    // The chat takes it, the mail server does not: no second time in the chat.
    freezers.mail.refuse(true)
    alarm(FIRST, 60, 'Inside 正常値復帰: -16 C')
    told.push('Recovered: Freezer 1: Inside 正常値復帰: -16 C (2026-11-20 09:01)')
    await until('the mail server has refused it', () => freezers.mail.refused > 1)
    await assertTold(told)
    freezers.mail.refuse(false)
    await assertTold(told, mails)
    await assertTold(told)

    freezers.chat.refuse(true)
    alarm(FIRST, 120, 'Inside Upper Limit: -7 C')
    told.push('Alert: Freezer 1: Inside Upper Limit: -7 C (2026-11-20 09:02)')
    await until('the chat has refused it', () => freezers.chat.refused > 1)
    freezers.chat.refuse(false)
    await assertTold(told)
    await assertTold(told, mails)
  })
})
