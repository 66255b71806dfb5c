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

/** Flows that tell people: what was told once is not told again, whatever happens between. */
describe('examples that watch readings', () => {
  // A chat that answers later than the next round comes is told twice: their rounds are a minute apart.
  const hall = useExamples({ speed: 1 })
  const freezers = useFreezers()
  const { set, assertTold } = freezers

  it('tell what leaves the limits and what is back, each once, over restarts and refusals', async function () {
    this.timeout(FLOW_MS)
    await hall.deploy([LIMITS], { simulator: freezers.simulator, chat: freezers.chat })
    await assertTold([])

    set(FIRST, { value: -12 })
    const told = ['Freezer 1, Inside: -12 °C is too warm']
    await assertTold(told)

    // Worse, and better but not yet well: nothing new; nor after a restart.
    set(FIRST, { value: -10 })
    await assertTold(told)
    set(FIRST, { value: -15.5 })
    await hall.restart()
    await assertTold(told)

    // What the chat refuses is told again, and then once.
    freezers.chat.refuse(true)
    set(FIRST, { value: -16.5 })
    await until('the chat has refused it', () => freezers.chat.refused > 1)
    freezers.chat.refuse(false)
    told.push('Freezer 1, Inside: -16.5 °C is back to normal')
    await assertTold(told)

    set(FIRST, { value: -31 })
    told.push('Freezer 1, Inside: -31 °C is too cold')
    await assertTold(told)
    set(FIRST, { value: -14 })
    told.push('Freezer 1, Inside: -14 °C is too warm')
    await assertTold(told)
  })

  it('tell of a silent device, of its return and of batteries, each once, and nothing of those to be ignored', async function () {
    this.timeout(FLOW_MS)
    set(POWERED, { battery: 1 })
    await hall.deploy([SILENT], {
      simulator: freezers.simulator,
      chat: { url: freezers.chat.url, format: 'teams' },
    })
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
    await until('it is told', () => freezers.chat.texts.length > told.length)
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
    const told = ['Freezer 1, Inside: -12 °C is too warm', `Freezer 1 (${FIRST}): replace the battery`]
    const sorted = () => chat.texts.toSorted()
    await assertTold(told.toSorted(), sorted)
    set(SECOND, { age: null })
    told.push(`Freezer 2 (${SECOND}) has never sent a reading`)
    await assertTold(told.toSorted(), sorted)
    assert.deepEqual(new Set(chat.formats), new Set(['json']))
    const about = told.map((text) => (chat.bodies as Report[]).find((body) => body.text === text))
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
