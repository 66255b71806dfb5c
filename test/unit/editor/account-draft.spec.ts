import assert from 'node:assert/strict'
import { readAccountNode } from '../../../src/editor/account-draft'
import { STORED_SECRET } from '../../../src/shared/admin'
import { useFakeRed } from '../../support/fake-red'

describe('the draft of an account in the editor', () => {
  useFakeRed()

  const hold = (node: object | null) => {
    const { RED } = globalThis as unknown as { RED: { nodes?: object } }
    RED.nodes = { node: () => node }
  }

  it('is undefined if the account is disabled or none is chosen', () => {
    for (const node of [null, { id: 'a', d: true, credentials: {} }]) {
      hold(node)
      assert.equal(readAccountNode('a'), undefined)
    }
  })

  it('contains TLS and proxy only if they were chosen', () => {
    hold({ id: 'a', tls: '_ADD_', proxy: '_ADD_', credentials: {} })
    const unchosen = readAccountNode('a')
    assert.deepEqual([unchosen?.tls, unchosen?.proxy], ['', ''])
    hold({ id: 'a', tls: 'some-tls', proxy: 'some-proxy', credentials: {} })
    const chosen = readAccountNode('a')
    assert.deepEqual([chosen?.tls, chosen?.proxy], ['some-tls', 'some-proxy'])
  })

  it('contains typed secrets, a placeholder for stored ones, and blanks for missing ones', () => {
    hold({ id: 'a', credentials: { apiKey: 'typed', loginId: '', has_loginPass: false } })
    assert.deepEqual(readAccountNode('a')?.credentials, { apiKey: 'typed', loginId: '', loginPass: '' })
    hold({ id: 'a', credentials: { has_apiKey: true } })
    assert.equal(readAccountNode('a')?.credentials.apiKey, STORED_SECRET)
  })
})
