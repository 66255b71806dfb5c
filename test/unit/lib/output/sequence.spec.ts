import assert from 'node:assert/strict'
import fc from 'fast-check'
import { planMessages } from '../../../../src/lib/output/plan'
import type { ReadContent } from '../../../../src/lib/readings/content'
import type { Series } from '../../../../src/lib/readings/series'
import type { Send } from '../../../../src/shared/outputs'
import { anyContent, GROUP, kinds, outputOptions, outputPairsOf, plan } from './contents'

const ways = kinds.flatMap((kind) => outputPairsOf(kind).map((way) => ({ kind, ...way })))
const chunkSize = fc.integer({ min: 1, max: 5 })

describe('a sequence of messages', () => {
  for (const { kind, output, send } of ways) {
    it(`has the announced length: ${kind} as ${output} by ${send}`, async () => {
      await fc.assert(
        fc.asyncProperty(anyContent[kind], chunkSize, async (content, chunk) => {
          const { payloads, sequence } = await plan(content, { output, send, chunk })
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
    it(`equals the unsplit message when joined: chunks and individual ${output}`, async () => {
      for (const kind of kinds) {
        await fc.assert(
          fc.asyncProperty(anyContent[kind], chunkSize, async (content, chunk) => {
            const sent = async (send: Send) => (await plan(content, { output, send, chunk })).payloads
            const [whole] = await sent(kind === 'current' ? 'all' : 'device')
            const chunks = (await sent('chunk')) as unknown[][]
            assert.deepEqual(chunks.flat(), whole)
            assert.ok(chunks.every((one, index) => one.length === chunk || index === chunks.length - 1))
            assert.deepEqual(await sent('each'), whole)
          }),
        )
      }
    })
  }

  it('equals the unsplit message when joined: chunks of a series, with their gaps', async () => {
    await fc.assert(
      fc.asyncProperty(anyContent.series, chunkSize, async (content, chunk) => {
        assert.ok(content.kind === 'series')
        const { records, gaps, ...head } = content.series
        const chunks = (await plan(content, { send: 'chunk', chunk })).payloads as Series[]
        assert.deepEqual(
          chunks.flatMap((one) => one.records),
          records,
        )
        assert.deepEqual(
          chunks.flatMap((one) => one.gaps),
          gaps,
        )
        for (const { records: own, gaps: found, ...rest } of chunks) {
          assert.deepEqual(rest, { ...head, group: GROUP })
          assert.ok(own.length > 0 && own.length <= chunk)
          for (const { before } of found) assert.ok(own.some(({ time }) => time === before))
        }
      }),
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
  /** Copies each message when it is created. With `harm`, modifies each one before the next is created. */
  async function receive(
    content: ReadContent,
    way: (typeof ways)[number],
    harm: boolean,
  ): Promise<unknown[]> {
    const all: unknown[] = []
    const { messages } = await planMessages(content, outputOptions({ ...way, chunk: 2 }))
    for await (const { payload, reading } of messages) {
      all.push(structuredClone({ payload, reading }))
      if (harm) [payload, reading].forEach(deface)
    }
    return all
  }

  for (const way of ways) {
    const { kind, output, send } = way
    it(`of one sequence share no objects: ${kind} as ${output} by ${send}`, async () => {
      await fc.assert(
        fc.asyncProperty(anyContent[kind], async (content) => {
          const copy = structuredClone(content)
          assert.deepEqual(await receive(content, way, true), await receive(copy, way, false))
        }),
        { numRuns: 50 },
      )
    })
  }
})
