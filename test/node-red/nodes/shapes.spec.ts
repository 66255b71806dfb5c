import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manualClock } from '../../../simulator'
import { NOW } from '../../support/devices'
import { runEveryPair } from '../../support/every-pair'
import { useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import { outputs } from '../../support/outputs'
import { root } from '../../support/package'
import {
  about,
  keyPathsOf,
  points,
  rows,
  sampleAlert,
  sampleReading,
  sampleSeries,
  statistics,
} from '../../support/samples'

/** Payload by action and output: of one message, or an element of an array. */
const shapes: Record<string, Record<string, unknown>> = {
  current: { readings: sampleReading, rows: rows.current, points: points.values },
  latest: { readings: sampleSeries, rows: rows.series, points: points.values },
  range: { readings: sampleSeries, rows: rows.series, points: points.values, statistics },
  alerts: { readings: sampleAlert, rows: rows.alerts, points: points.alerts },
}

const FLEET_MS = 20_000

const sorted = (keys: Iterable<string>) => [...keys].sort()
const elements = (payload: unknown) => (Array.isArray(payload) ? payload : [payload])

describe('the shapes of messages', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))

  it('match the exported types, key by key, over the whole fleet', async function () {
    this.timeout(FLEET_MS)
    const node = {
      from: '2026-01-14T12:00:00Z',
      fromType: 'date',
      to: '2026-01-15T12:00:00Z',
      staleAfter: 3600,
    }
    const ran = await runEveryPair(simulator(), () => node, outputs())
    const envlogKeys = new Set<string>()
    const seen = new Map<string, Set<string>>()
    for (const { action, output, messages } of ran) {
      for (const { envlog } of messages) for (const key of keyPathsOf(envlog)) envlogKeys.add(key)
      const shape = shapes[action]?.[output]
      if (!shape) continue
      const sent = new Set<string>()
      for (const { payload } of messages) {
        for (const key of keyPathsOf(elements(payload))) sent.add(key.replace(/^\[\]/, ''))
      }
      const possible = keyPathsOf(shape)
      const unknown = sorted(sent).filter((key) => !possible.has(key))
      assert.deepEqual(unknown, [], `${action}, ${output}: keys that the type does not have`)
      seen.set(`${action} ${output}`, new Set([...(seen.get(`${action} ${output}`) ?? []), ...sent]))
    }
    for (const [name, sent] of seen) {
      const [action = '', output = ''] = name.split(' ')
      assert.deepEqual(sorted(sent), sorted(keyPathsOf(shapes[action]?.[output])), name)
    }
    // The row of a single value is one of a reading or a record, and has no error: values are numbers.
    const { error: _, ...row } = { ...rows.series, ...rows.current }
    // Only new records have these two (new-records.spec.ts).
    const { overflow: _overflow, receipt: _receipt, ...always } = about
    assert.deepEqual(sorted(envlogKeys), sorted(keyPathsOf({ ...always, reading: row })))
  })

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
