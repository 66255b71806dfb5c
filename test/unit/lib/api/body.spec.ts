import assert from 'node:assert/strict'
import fc from 'fast-check'
import { MAX_BODY_BYTES, readBody } from '../../../../src/lib/api/body'
import { MAX_SINGLE_PARSE_BYTES } from '../../../../src/lib/decode/response-decoder'
import { chunksOf, streamed } from '../../../support/fake-transport'
import { failure, patient } from '../answers'
import { clientOf, watch } from './setup'

const ignore = () => {}

describe('a body', () => {
  it('is the same text however its bytes are chunked', async () => {
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
        assert.equal((await readBody(chunksOf(parts), ignore)).text(), text)
      }),
    )
  })

  it('reports activity for every chunk', async () => {
    let alive = 0
    await readBody(chunksOf(['a', 'b', 'c']), () => alive++)
    assert.equal(alive, 3)
  })

  it('that arrives byte by byte is parsed in larger chunks, each byte once', async () => {
    const bytes = Buffer.from(`{"data":[${'{"ch1":1},'.repeat(1000)}`)
    const pushed: Uint8Array[] = []
    const parser = { push: (chunk: Uint8Array) => void pushed.push(chunk), end: () => undefined }
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
    const body = await readBody(chunksOf([...single, bytes, ...single]), ignore, { parser })
    const all = Buffer.concat([bytes, bytes, bytes])
    assert.deepEqual([Buffer.concat(pushed).equals(all), body.text()], [true, all.toString()])
    assert.ok(pushed.length < 10, `${pushed.length} pieces`)
  })

  it('may be as large as allowed and not a byte larger', async () => {
    const body = await readBody(chunksOf(['1234', '5678']), ignore, { maxBytes: 8 })
    assert.equal(body.text(), '12345678')
    await assert.rejects(
      readBody(chunksOf(['1234', '56789']), ignore, { maxBytes: 8 }),
      failure('reply-too-large'),
    )
  })

  it('keeps only the beginning if that is enough', async () => {
    const body = await readBody(chunksOf(['a'.repeat(5000), 'b'.repeat(5000)]), ignore, { keepBytes: 6000 })
    assert.equal(body.text(), 'a'.repeat(5000))
  })

  it('is ENVLOG_REPLY if it can only be parsed as a whole, and is too large for that', async () => {
    const body = await readBody(chunksOf(['x'.repeat(MAX_SINGLE_PARSE_BYTES), 'x']), ignore)
    assert.throws(() => body.text(MAX_SINGLE_PARSE_BYTES), failure('reply-too-large'))
    assert.equal(body.text().length, MAX_SINGLE_PARSE_BYTES + 1)
  })

  it('that is too large is ENVLOG_REPLY, is not read further, and not requested again', async () => {
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
    const read = watch(client.read('current', {}, patient))
    while (read.state === 'waits') await new Promise(setImmediate)
    assert.equal(read.state, 'reply-too-large')
    assert.equal(read.error?.code, 'ENVLOG_REPLY')
    assert.deepEqual(read.error?.params, { megabytes: 64 })
    assert.ok(given <= MAX_BODY_BYTES + chunk.length)
    assert.equal(transport.sent.length, 1)
    assert.equal(transport.open(), 0)
    assert.equal(stopped, true)
  })

  it('fails if its connection breaks', async () => {
    async function* broken() {
      yield Buffer.from('{')
      throw new Error('gone')
    }
    await assert.rejects(readBody(streamed(broken()).chunks, ignore), /gone/)
  })
})
