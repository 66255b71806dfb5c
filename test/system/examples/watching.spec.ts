import assert from 'node:assert/strict'
import { useExamples } from '../../support/examples'
import { FIRST, IGNORED, POWERED, SECOND, useFreezers } from '../../support/freezers'
import { until } from '../../support/wait'

const FLOW_MS = 90_000

const LIMITS = 'Alarms/limits of your own'
const SILENT = 'Alarms/watch for silent devices'

/** What a program gets of the flows, beside the text. */
interface Report {
  text: string
  state: string
  before: string
  reading?: { value: number }
  device?: { stale: boolean }
}

/** Flows that write to people: what was sent once is not sent again, whatever happens between. */
describe('examples that watch readings', () => {
  // A chat that answers later than the next round comes is sent twice: their rounds are a minute apart.
  const hall = useExamples({ speed: 1 })
  const freezers = useFreezers()
  const { set, assertSent } = freezers

  it('tell what leaves the limits and what is back, each once, over restarts and refusals', async function () {
    this.timeout(FLOW_MS)
    await hall.deploy([LIMITS], { simulator: freezers.simulator, chat: freezers.chat })
    await assertSent([])

    set(FIRST, { value: -12 })
    const expected = ['Freezer 1, Inside: -12 °C is too warm']
    await assertSent(expected)

    // Worse, and better but not yet well: nothing new; nor after a restart.
    set(FIRST, { value: -10 })
    await assertSent(expected)
    set(FIRST, { value: -15.5 })
    await hall.restart()
    await assertSent(expected)

    // What the chat refuses is sent again, and then once.
    freezers.chat.refuse(true)
    set(FIRST, { value: -16.5 })
    await until('the chat has refused it', () => freezers.chat.refused > 1)
    freezers.chat.refuse(false)
    expected.push('Freezer 1, Inside: -16.5 °C is back to normal')
    await assertSent(expected)

    set(FIRST, { value: -31 })
    expected.push('Freezer 1, Inside: -31 °C is too cold')
    await assertSent(expected)
    set(FIRST, { value: -14 })
    expected.push('Freezer 1, Inside: -14 °C is too warm')
    await assertSent(expected)
  })

  it('tell of a silent device, of its return and of batteries, each once, and nothing of those to be ignored', async function () {
    this.timeout(FLOW_MS)
    set(POWERED, { battery: 1 })
    await hall.deploy([SILENT], {
      simulator: freezers.simulator,
      chat: { url: freezers.chat.url, format: 'teams' },
    })
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
    // Low is neither.
    set(SECOND, { battery: 4 })
    set(IGNORED, { age: 10 })
    await assertSent(expected)
    set(SECOND, { battery: 5 })
    expected.push(`Freezer 2 (${SECOND}) has a good battery again`)
    await assertSent(expected)

    set(SECOND, { age: 3700 })
    await until('it is sent', () => freezers.chat.texts.length > expected.length)
    assert.match(
      freezers.chat.texts.at(-1) ?? '',
      /^Freezer 2 \(52A10002\) has been silent since \d{4}-\d\d-\d\dT/,
    )
    assert.deepEqual(new Set(freezers.chat.formats), new Set(['teams']))
  })

  it('tell a program what it is about, beside the text', async function () {
    this.timeout(FLOW_MS)
    const { simulator, chat } = freezers
    await hall.deploy([LIMITS, SILENT], { simulator, chat: { url: chat.url, format: 'json' } })
    set(FIRST, { value: -12, battery: 1 })
    const expected = ['Freezer 1, Inside: -12 °C is too warm', `Freezer 1 (${FIRST}): replace the battery`]
    const sorted = () => chat.texts.toSorted()
    await assertSent(expected.toSorted(), sorted)
    set(SECOND, { age: null })
    expected.push(`Freezer 2 (${SECOND}) has never sent a reading`)
    await assertSent(expected.toSorted(), sorted)
    assert.deepEqual(new Set(chat.formats), new Set(['json']))
    const about = expected.map((text) => (chat.bodies as Report[]).find((body) => body.text === text))
    assert.deepEqual(
      about.map((body) => [body?.state, body?.before, body?.reading?.value ?? body?.device?.stale]),
      [
        ['too warm', 'normal', -12],
        ['replace', 'good', false],
        ['silent', 'heard', true],
      ],
    )
  })
})
