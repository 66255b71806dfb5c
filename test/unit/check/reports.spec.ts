import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSimulator } from '../../../simulator'
import { isSuccessful } from '../../../src/lib/check/exchange'
import { readResponse } from '../../../src/lib/check/read'
import { checkSimulated } from '../../support/check'

const parse = (file: string) =>
  JSON.parse(readFileSync(join(__dirname, '../../fixtures/reports', file), 'utf8'))

/** The findings of a check of a saved report. */
interface Expected {
  differences: string[]
  /** What was read from each response: endpoint, then fields by name. */
  read: [endpoint: string, fields: Record<string, string>][]
}

it('a saved report with inclusive bounds, numbers as text, channels from 1 and Japanese names is read', async () => {
  const { differences, read }: Expected = parse('as-observed.expected.json')
  const simulator = await startSimulator({ replay: parse('as-observed.json') })
  const { originals, differences: found } = await checkSimulated(simulator).finally(() => simulator.close())
  assert.deepEqual(found, differences)
  const responses = originals.filter(isSuccessful).map((answer) => readResponse(answer, 0))
  for (const [at, [endpoint, fields]] of read.entries()) {
    const values = responses[at]?.fields.map(({ field, read: value }) => [field, value]) ?? []
    const found = Object.fromEntries(values.filter(([field = '']) => field in fields))
    assert.deepEqual([responses[at]?.endpoint, found, responses[at]?.unreadable], [endpoint, fields, []])
  }
})
