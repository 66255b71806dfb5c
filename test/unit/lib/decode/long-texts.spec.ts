import assert from 'node:assert/strict'
import { readQuotaHeaders } from '../../../../src/lib/api/quota-headers'
import { createRedactor } from '../../../../src/lib/api/redact'
import { relativeMoment } from '../../../../src/lib/collect/period'
import { runToEnd } from '../../../../src/lib/cooperative'
import { readCsv } from '../../../../src/lib/decode/envelopes'
import { readNumber } from '../../../../src/lib/decode/number'
import { sanitizeText } from '../../../../src/lib/decode/text'
import { planMessages } from '../../../../src/lib/output/plan'
import { readCurrent } from '../../../../src/lib/readings/current'
import { readTime } from '../../../../src/shared/moment'
import { currentDevice, currentEnvelope } from '../answers'

/** Patterns with backtracking take quadratic time for these: they would not end in a day. */
const MEGABYTE = 1_000_000
const hurtful = ['1', '1.', ' ', '\\', ' \\', '-', '{[', '<', '\t', '\0', '\ud800', '(', '%', 'e1'].map(
  (part) => `${part.repeat(MEGABYTE / part.length)}!`,
)

describe('a text of a megabyte', () => {
  it('is no number, no time and no header', () => {
    for (const text of hurtful) {
      assert.equal(readNumber(text), null)
      assert.equal(readTime(text), null)
      assert.throws(() => relativeMoment(text, 0, 'from'))
      assert.equal(readQuotaHeaders({ 'x-ratelimit-limit': text }).limit, null)
    }
  })

  it('is shortened as a name, a unit or an alert, and delivered in every output', () => {
    const options = { receivedAt: 0, time: 'utc', series1Models: [], staleAfter: null } as const
    const plan = { send: 'each', topic: '{name}/{group}', chunk: 1000, measurement: 'm', group: '' } as const
    for (const text of hurtful) {
      assert.equal(sanitizeText(text).length, 10_000)
      const device = currentDevice({
        name: text,
        group: { num: 1, name: text },
        channel: [{ num: 1, name: text, unit: text, value: text }],
      })
      const readings = readCurrent(currentEnvelope(device), options)
      for (const output of ['readings', 'rows', 'points', 'values'] as const) {
        const { messages } = planMessages({ kind: 'current', readings }, { ...plan, output } as never)
        assert.ok([...messages].length <= 1)
      }
    }
  })

  it('is searched for secrets', () => {
    const { redactJson, redactCsv } = createRedactor(['k'.repeat(45), 'pass word'])
    for (const text of [
      ...hurtful,
      '"'.repeat(MEGABYTE),
      `"${'a'.repeat(MEGABYTE)}`,
      '&#0'.repeat(MEGABYTE / 3),
    ]) {
      assert.equal(typeof runToEnd(redactJson(text)), 'string')
      assert.equal(typeof redactCsv(text), 'string')
    }
  })

  it('is accepted as CSV', () => {
    for (const text of ['"', ',', '\r\n', ' a'].map((part) => `x${part.repeat(MEGABYTE)}`)) {
      assert.equal(readCsv(text), text)
    }
  })
})
