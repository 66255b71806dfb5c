import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Message } from '../../../support/flow-types'
import { root } from '../../../support/package'
import {
  about,
  keyPathsOf,
  points,
  rows,
  sampleAlert,
  sampleReading,
  sampleSeries,
  statistics,
} from '../../../support/samples'

const sorted = (keys: Iterable<string>) => [...keys].sort()
const elements = (payload: unknown) => (Array.isArray(payload) ? payload : [payload])

describe('the shapes of messages', () => {
  for (const file of ['docs/messages.md', 'docs/ja/messages.md']) {
    it(`are documented in ${file}`, () => {
      const text = readFileSync(join(root, file), 'utf8')
      const samples = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(
        ([, json = '']) => elements(JSON.parse(json))[0],
      )
      const [envlog, current, records, log, row, point, figures] = samples as Message[]
      assert.equal(samples.length, 7)
      checkSample(current, sampleReading)
      checkSample(records, sampleSeries)
      checkSample(log, sampleAlert)
      checkSample(point, points.values)
      checkSample(figures, statistics)
      const unknown = (sample: unknown, shape: unknown) =>
        sorted(keyPathsOf(sample)).filter((key) => !keyPathsOf(shape).has(key))
      assert.deepEqual(unknown(envlog, about), [])
      // A value that is a number has no error.
      checkSample({ ...row, error: 'E1' }, rows.series)
      // The text lists the additional columns of other nodes' rows.
      const others = [...keyPathsOf(rows.current), ...keyPathsOf(rows.alerts)].filter(
        (key) => !keyPathsOf(rows.series).has(key),
      )
      for (const key of others) assert.ok(text.includes(`\`${key.slice(1)}\``), key)
    })
  }

  /** A sample shows every key; its gaps may be empty. */
  function checkSample(sample: unknown, shape: unknown): void {
    const shown = keyPathsOf(sample)
    const missing = sorted(keyPathsOf(shape)).filter((key) => !shown.has(key) && !key.startsWith('.gaps[]'))
    const unknown = sorted(shown).filter((key) => !keyPathsOf(shape).has(key))
    assert.deepEqual({ missing, unknown }, { missing: [], unknown: [] })
  }
})
