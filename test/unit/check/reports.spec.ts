import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSimulator } from '../../../simulator'
import { isSuccessful } from '../../../src/lib/check/exchange'
import { readResponse } from '../../../src/lib/check/read'
import { checkSimulated } from '../../support/check'

const FOLDER = join(__dirname, '../../fixtures/reports')
const EXPECTED = '.expected.json'

/** A report written by `envlog-check --save`, and the findings of a check of it. */
interface Expected {
  why: string
  /** The assumption and the finding, if it differs from the description. */
  differences: Record<string, string>
  /** What was read from each response: endpoint, then fields by name. */
  read: [endpoint: string, fields: Record<string, string>][]
}

describe('saved reports', () => {
  const names = readdirSync(FOLDER)
    .filter((file) => file.endsWith(EXPECTED))
    .map((file) => file.slice(0, -EXPECTED.length))
  const parse = (file: string) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))

  it('each have an expectation', () => {
    const reports = readdirSync(FOLDER).filter((file) => !file.endsWith(EXPECTED))
    assert.deepEqual(reports.toSorted(), names.map((name) => `${name}.json`).toSorted())
  })

  for (const name of names) {
    const { why, differences, read }: Expected = parse(name + EXPECTED)
    it(`${name}: ${why}`, async () => {
      const simulator = await startSimulator({ replay: parse(`${name}.json`) })
      try {
        const { originals, differences: found } = await checkSimulated(simulator)
        assert.deepEqual(found, differences)
        const answers = originals.filter(isSuccessful).map((answer) => readResponse(answer, 0))
        assert.deepEqual(
          answers.map(({ unreadable }) => unreadable),
          answers.map(() => []),
        )
        for (const [at, [endpoint, fields]] of read.entries()) {
          const values = new Map(answers[at]?.fields.map(({ field, read: value }) => [field, value]))
          assert.equal(answers[at]?.endpoint, endpoint)
          for (const [field, value] of Object.entries(fields)) assert.equal(values.get(field), value, field)
        }
      } finally {
        await simulator.close()
      }
    })
  }
})
