import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { encodeRecords } from '../../../../src/lib/collect/cursor-records'
import {
  type Receipt,
  readReceipt,
  readReceiptNode,
  writeReceipt,
} from '../../../../src/lib/collect/signed-receipt'
import { failure } from '../responses'

const cursor = {
  held: encodeRecords([{ timestamp: 1_795_161_600_000, dataId: 812 }]),
  hashes: ['Zm9v'],
  since: null,
  from: null,
  sequence: 1_795_161_605_000,
}
const receipt = { node: 'a1b2c3d4', device: '5839F001/5212A1B2', cursor }

const KEY = 'of the node'
const write = (content: Receipt) => writeReceipt(content, KEY)
/** Signs any content. */
const sign = (...parts: unknown[]) => {
  const text = JSON.stringify(parts)
  const signature = createHmac('sha256', KEY).update(text).digest('base64url')
  return `${Buffer.from(text).toString('base64url')}.${signature}`
}
const read = (text: unknown) => readReceipt(text, KEY)

describe('a receipt', () => {
  it('cannot be read with a damaged cursor', () => {
    for (const one of [
      { ...cursor, sequence: 'x' },
      { ...cursor, held: 'x' },
      { seen: [7], sequence: 1 },
      null,
    ]) {
      const text = sign(receipt.node, receipt.device, one)
      assert.throws(() => read(text), failure('receipt-unreadable'))
    }
  })

  it('cannot be read without node or device, or with additional parts', () => {
    for (const names of [{ node: 7 }, { device: null }, { node: undefined }]) {
      const text = write({ ...receipt, ...names } as never)
      assert.throws(() => read(text), failure('receipt-unreadable'), JSON.stringify(names))
    }
  })

  it('contains node, device and cursor, with any characters', () => {
    const anything = fc.record(
      { node: fc.string(), device: fc.string(), cursor: fc.constant(cursor) },
      { noNullPrototype: true },
    )
    fc.assert(fc.property(anything, (content) => assert.deepEqual(read(write(content)), content)))
  })

  it('is one word, for a header or a database column, and may have blanks around it', () => {
    const text = write({ ...receipt, node: 'Node "ä" 日本' })
    assert.match(text, /^[\w.-]+$/)
    assert.equal(read(` ${text}\n`).node, 'Node "ä" 日本')
  })

  it('that was modified, or is something else, cannot be read', () => {
    const text = write(receipt)
    for (const other of ['', '.', 'x', `x${text}`, text.slice(0, -1), `${text}x`, text.split('.')[0]]) {
      assert.throws(() => read(other), failure('receipt-unreadable'), String(other))
    }
    for (const other of [undefined, null, 7, true, {}, [text], { text }]) {
      assert.throws(() => read(other), failure('receipt-unreadable'))
    }
  })

  it('cannot be created without the key: neither from parts of another one, nor with another key', () => {
    const forged = Buffer.from(JSON.stringify(['a1b2c3d4', receipt.device, { ...cursor, sequence: 1 }]))
    const [, sum = ''] = write(receipt).split('.')
    for (const signature of [sum, '', createHash('sha256').update(forged).digest('base64url')]) {
      const text = `${forged.toString('base64url')}.${signature}`
      assert.throws(() => read(text), failure('receipt-unreadable'))
      assert.equal(readReceiptNode(text), 'a1b2c3d4')
    }
    assert.throws(() => read(writeReceipt(receipt, 'another')), failure('receipt-unreadable'))
  })
})
