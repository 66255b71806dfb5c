import assert from 'node:assert/strict'
import { readAccountNode } from '../../../src/editor/account-draft'
import { STORED_SECRET } from '../../../src/shared/admin'
import { useFakeRed } from '../../support/fake-red'

describe('the draft of an account in the editor', () => {
  useFakeRed()

  const draftOf = (node: object | null) => {
    const { RED } = globalThis as unknown as { RED: { nodes?: object } }
    RED.nodes = { node: () => node }
    return readAccountNode('a')
  }

  it('is undefined if the account is disabled or none is chosen', () => {
    assert.equal(draftOf(null), undefined)
    assert.equal(draftOf({ id: 'a', d: true }), undefined)
  })

  it('contains TLS and proxy only if they were chosen', () => {
    const { tls, proxy } = draftOf({ id: 'a', tls: '_ADD_', proxy: 'some-proxy' }) ?? {}
    assert.deepEqual([tls, proxy], ['', 'some-proxy'])
  })

  it('contains typed secrets, a placeholder for stored ones, and blanks for missing ones', () => {
    const credentials = { apiKey: 'typed', has_loginId: true, has_loginPass: false }
    const expected = { apiKey: 'typed', loginId: STORED_SECRET, loginPass: '' }
    assert.deepEqual(draftOf({ id: 'a', credentials })?.credentials, expected)
  })
})
