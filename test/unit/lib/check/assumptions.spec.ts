import assert from 'node:assert/strict'
import { checkAssumptions } from '../../../../src/lib/check/assumptions'
import type { Exchange } from '../../../../src/lib/check/exchange'

const FROM = 1_795_161_600
const TO = FROM + 3_600
const quota = { limit: 10, remaining: 9, windowSeconds: 120, recordsRemaining: null }

/** A period of an hour, answered with records of these times. */
function periodOf(times: readonly number[]): Exchange {
  const data = times.map((unixtime, index) => ({ 'data-id': index, unixtime, ch1: '1.0' }))
  return {
    endpoint: 'data',
    params: { 'remote-serial': '52A10001', 'unixtime-from': FROM, 'unixtime-to': TO },
    durationMs: 1,
    result: { isAnswered: true, body: { data }, quota },
  }
}

const findingOf = (name: string, exchanges: readonly Exchange[]) =>
  checkAssumptions(exchanges).find(({ assumption }) => assumption === name)

describe('what a check of the service finds about the ends of a period', () => {
  const inside = [FROM + 600, FROM + 1200]
  const cases: [records: string, times: number[], verdict: string, seen: string | undefined][] = [
    ['neither end', inside, 'confirmed', 'strict'],
    ['both ends', [FROM, ...inside, TO], 'differs', 'inclusive'],
    ['the first second alone', [FROM, ...inside], 'differs', 'from-inclusive'],
    ['the last second alone', [...inside, TO], 'differs', 'to-inclusive'],
    ['a time before it', [FROM - 1, ...inside], 'contradicted', 'outside'],
    ['a time behind it', [...inside, TO + 1], 'contradicted', 'outside'],
    ['no record', [], 'not-seen', undefined],
  ]
  for (const [records, times, verdict, seen] of cases) {
    it(`with ${records} in the answer: ${seen ?? verdict}`, () => {
      const finding = findingOf('bounds', [periodOf(times)])
      assert.equal(finding?.verdict, verdict)
      if (seen !== undefined) assert.equal(finding?.seen, seen)
    })
  }
})
