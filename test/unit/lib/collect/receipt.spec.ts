import assert from 'node:assert/strict'
import { readReceipt, writeReceipt } from '../../../../src/lib/collect/receipt'
import { failure } from '../responses'

const receipt = { device: '5839F001/5212A1B2', issuedAt: 1_795_161_605_000 }

describe('a receipt', () => {
  it('is readable text with node, device and time of issue, and may have blanks around it', () => {
    const text = writeReceipt('a1b2.c3d4', receipt)
    assert.equal(text, 'a1b2.c3d4/5839F001/5212A1B2/1795161605000')
    assert.deepEqual(readReceipt('a1b2.c3d4', ` ${text}\n`), receipt)
  })

  it('of another node is not read, even if the ids begin with the same characters', () => {
    for (const node of ['a1b2c3d4', 'a1', 'b2'])
      assert.equal(readReceipt(node, writeReceipt('a1b2', receipt)), undefined)
  })

  it('that was modified, or is something else, cannot be read', () => {
    for (const other of [
      'a1b2/',
      'a1b2/5839F001/5212A1B2',
      'a1b2/5839F001/5212A1B2/-1',
      'a1b2/x/1.5',
      'a1b2/7',
    ])
      assert.throws(() => readReceipt('a1b2', other), failure('receipt-unreadable'), other)
    for (const other of [undefined, null, 7, true, {}, ['a1b2/x/1']])
      assert.throws(() => readReceipt('a1b2', other), failure('receipt-unreadable'))
  })
})
