import assert from 'node:assert/strict'
import fc from 'fast-check'
import { planMessages } from '../../../../src/lib/output/plan'
import type { ReadContent } from '../../../../src/lib/readings/content'
import type { Series } from '../../../../src/lib/readings/series'
import { messagesOf } from '../../../support/messages'
import {
  alerts,
  anyContent,
  current,
  kinds,
  outputOptions,
  outputPairsOf,
  plan,
  RECORD_TIME,
  series,
} from './contents'

const ways = kinds.flatMap((kind) => outputPairsOf(kind).map((way) => ({ kind, ...way })))
const chunkSize = fc.integer({ min: 1, max: 5 })

describe('a sequence of messages', () => {
  for (const { kind, output, send } of ways) {
    it(`has the announced length: ${kind} as ${output} by ${send}`, () => {
      fc.assert(
        fc.property(anyContent[kind], chunkSize, (content, chunk) => {
          const { payloads, sequence } = plan(content, { output, send, chunk })
          if (sequence) assert.equal(payloads.length, sequence.count)
          else assert.equal(payloads.length, 1)
          const sized = send === 'chunk' && output !== 'readings'
          if (sequence) assert.equal(sequence.length, sized ? Math.max(2, chunk) : 1)
        }),
        { numRuns: 50 },
      )
    })
  }

  for (const output of ['rows', 'points'] as const) {
    it(`joined equals the whole: chunks and individual ${output}`, () => {
      for (const kind of kinds) {
        fc.assert(
          fc.property(anyContent[kind], chunkSize, (content, chunk) => {
            const [whole] = plan(content, { output, send: kind === 'current' ? 'all' : 'device' }).payloads
            const chunks = plan(content, { output, send: 'chunk', chunk }).payloads as unknown[][]
            assert.deepEqual(chunks.flat(), whole)
            assert.ok(chunks.every((one, index) => one.length === chunk || index === chunks.length - 1))
            assert.deepEqual(plan(content, { output, send: 'each' }).payloads, whole)
          }),
        )
      }
    })
  }

  it('joined equals the whole: chunks of a series, with their gaps', () => {
    fc.assert(
      fc.property(anyContent.series, chunkSize, (content, chunk) => {
        assert.ok(content.kind === 'series')
        const { records, gaps, ...head } = content.series
        const chunks = plan(content, { send: 'chunk', chunk }).payloads as Series[]
        assert.deepEqual(
          chunks.flatMap((one) => one.records),
          records,
        )
        assert.deepEqual(
          chunks.flatMap((one) => one.gaps),
          gaps,
        )
        for (const { records: own, gaps: found, ...rest } of chunks) {
          assert.deepEqual(rest, head)
          assert.ok(own.length > 0 && own.length <= chunk)
          for (const { before } of found) assert.ok(own.some(({ time }) => time === before))
        }
      }),
    )
  })

  it('has a gap within one second in the chunk of the following record', () => {
    const at = (id: number) => ({ unixtime: RECORD_TIME, 'data-id': id, ch1: id })
    const content = series({ data: [at(1), at(2), at(5)] })
    assert.equal(content.series.gaps.length, 1)
    const chunks = plan(content, { send: 'chunk', chunk: 1 }).payloads as Series[]
    assert.deepEqual(
      chunks.map(({ gaps }) => gaps.length),
      [0, 0, 1],
    )
  })
})

/** Modifies everything that can be reached, as a function node might. */
function deface(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    deface((value as Record<string, unknown>)[key])
    ;(value as Record<string, unknown>)[key] = 'defaced'
  }
  if (value instanceof Date) value.setTime(0)
  else if (!Array.isArray(value)) (value as Record<string, unknown>).added = 'defaced'
}

describe('two messages', () => {
  const inside = { num: '1', name: 'Inside', unit: 'C' }
  const bases = ['5212A1B2', '5212A1B3'].map((serial) => ({ serial, channel: [{ ...inside, value: 1 }] }))
  const contents: Record<(typeof kinds)[number], () => ReadContent> = {
    current: () => current([...bases, ...bases]),
    series: () =>
      series({
        channel: [inside],
        data: [1, 2, 4, 5, 8].map((id) => ({
          unixtime: RECORD_TIME + id,
          'data-id': id,
          ch1: id,
          ch2: 'E1',
        })),
      }),
    alerts: () =>
      alerts(
        [1, 2, 3].map((step) => ({ unixtime: RECORD_TIME + step, ch1: 'x', ch2: 'y', 'battery-level': 'z' })),
      ),
  }

  /** Each message when it is created, after the earlier ones were modified. */
  function receive(content: ReadContent, way: (typeof ways)[number], harm: boolean): unknown[] {
    return Array.from(
      messagesOf(planMessages(content, outputOptions({ ...way, chunk: 2 }))),
      ({ payload, reading }) => {
        const seen = structuredClone({ payload, reading })
        if (harm) [payload, reading].forEach(deface)
        return seen
      },
    )
  }

  for (const way of ways) {
    const { kind, output, send } = way
    it(`of one sequence share no objects: ${kind} as ${output} by ${send}`, () => {
      const untouched = receive(contents[kind](), way, false)
      assert.ok(untouched.length > 0)
      assert.deepEqual(receive(contents[kind](), way, true), untouched)
      fc.assert(
        fc.property(anyContent[kind], (content) => {
          const copy = structuredClone(content)
          assert.deepEqual(receive(content, way, true), receive(copy, way, false))
        }),
        { numRuns: 50 },
      )
    })

    it(`stay unchanged if later ones are modified: ${kind} as ${output} by ${send}`, () => {
      const made = [...messagesOf(planMessages(contents[kind](), outputOptions({ ...way, chunk: 2 })))]
      const before = structuredClone(made.map(({ payload, reading }) => ({ payload, reading })))
      for (let last = made.length - 1; last > 0; last--) {
        deface(made[last]?.payload)
        deface(made[last]?.reading)
        const rest = made.slice(0, last).map(({ payload, reading }) => ({ payload, reading }))
        assert.deepEqual(rest, before.slice(0, last))
      }
    })
  }

  for (const kind of kinds) {
    it(`of two responses share no objects: ${kind}`, () => {
      for (const way of outputPairsOf(kind)) {
        const untouched = receive(contents[kind](), { kind, ...way }, false)
        receive(contents[kind](), { kind, ...way }, true)
        assert.deepEqual(receive(contents[kind](), { kind, ...way }, false), untouched)
      }
    })
  }
})
