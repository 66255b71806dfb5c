import assert from 'node:assert/strict'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { MAX_BODY_BYTES, readBody } from '../../../../src/lib/api/response-body'
import { nextTurn } from '../../../../src/lib/clock'
import { chunksOf, streamed, text } from '../../../support/fake-transport'
import { context, failure } from '../responses'
import { clientOf, watch } from './setup'

const bodyOf = (parts: readonly (string | Uint8Array)[], headers = {}) =>
  readBody({ status: 200, headers, chunks: chunksOf(parts) }, () => {})

describe('a body', () => {
  it('is the same text regardless of its chunks', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), cuts, async (text, lengths) => {
        const bytes = Buffer.from(text)
        const parts: Uint8Array[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const length = lengths[turn % lengths.length] ?? 1
          parts.push(bytes.subarray(at, at + length))
          at += length
        }
        assert.equal(await bodyOf(parts), text)
      }),
    )
  })

  it('is complete if it is larger than the first buffer', async () => {
    const parts = ['a'.repeat(60_000), 'b'.repeat(10_000), 'c'.repeat(300_000)]
    assert.equal(await bodyOf(parts), parts.join(''))
  })

  it('is decompressed if a gateway has compressed it anyway', async () => {
    const text = '{"devices":[]}'
    assert.equal(await bodyOf([gzipSync(text)], { 'content-encoding': 'gzip' }), text)
    assert.equal(await bodyOf([deflateSync(text)], { 'content-encoding': 'Deflate' }), text)
    assert.equal(await bodyOf([brotliCompressSync(text)], { 'content-encoding': 'br' }), text)
    assert.equal(await bodyOf([text], { 'content-encoding': 'identity' }), text)
  })

  it('fails with ENVLOG_REPLY, which names the compression, if it cannot be decompressed', async () => {
    for (const [header, encoding] of [
      ['zstd', 'zstd'],
      ['gzip', 'gzip'],
      ['z'.repeat(1000), 'z'.repeat(20)],
    ] as const) {
      await assert.rejects(bodyOf(['text'], { 'content-encoding': header }), {
        reason: 'response-compressed',
        params: { encoding },
      })
    }
  })

  it('is too large if it exceeds the limit when decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(MAX_BODY_BYTES + 1))
    await assert.rejects(bodyOf([bomb], { 'content-encoding': 'gzip' }), failure('response-too-large'))
  })

  it('that is too large fails with ENVLOG_REPLY, is not read any further, and is not requested again', async () => {
    const chunk = new Uint8Array(8 * 1024 * 1024)
    let given = 0
    let stopped = false
    async function* endless() {
      try {
        for (;;) {
          given += chunk.length
          yield chunk
        }
      } finally {
        stopped = true
      }
    }
    const { client, transport } = clientOf(() => streamed(endless()))
    const read = watch(client.read('current', {}, context))
    while (read.state === 'waits') await new Promise(setImmediate)
    assert.equal(read.state, 'response-too-large')
    assert.equal(read.error?.code, 'ENVLOG_REPLY')
    assert.deepEqual(read.error?.params, { megabytes: 16 })
    assert.ok(given <= MAX_BODY_BYTES + chunk.length)
    assert.equal(transport.sent.length, 1)
    assert.equal(transport.open(), 0)
    assert.equal(stopped, true)
  })
})

describe('a body of more than 200,000 characters', () => {
  it('is parsed in one turn of the event loop, and read in another', async () => {
    const { parse } = JSON
    const turns: number[] = []
    let turn = 0
    JSON.parse = (body) => {
      setImmediate(() => turn++)
      return parse(body)
    }
    try {
      for (const length of [200_000, 200_001]) {
        const { client } = clientOf(() => text('{"devices":[]}'.padEnd(length)))
        turn = 0
        await client.read('current', {}, context)
        turns.push(turn)
        while (turn === 0) await nextTurn()
      }
    } finally {
      JSON.parse = parse
    }
    assert.deepEqual(turns, [0, 1])
  })
})
