import assert from 'node:assert/strict'
import { readAccountNode } from '../../src/editor/account-draft'
import { STORED_SECRET } from '../../src/shared/admin'
import { useFakeRed } from '../support/fake-red'

describe('an account as the editor holds it', () => {
  useFakeRed()

  const hold = (node: object | null) => {
    const { RED } = globalThis as unknown as { RED: { nodes?: object } }
    RED.nodes = { node: () => node }
  }

  it('is none where it is disabled, or nothing is chosen', () => {
    for (const node of [null, { id: 'a', d: true, credentials: {} }]) {
      hold(node)
      assert.equal(readAccountNode('a'), undefined)
    }
  })

  it('names TLS and proxy only where they were chosen', () => {
    hold({ id: 'a', tls: '_ADD_', proxy: '_ADD_', credentials: {} })
    const unchosen = readAccountNode('a')
    assert.deepEqual([unchosen?.tls, unchosen?.proxy], ['', ''])
    hold({ id: 'a', tls: 'some-tls', proxy: 'some-proxy', credentials: {} })
    const chosen = readAccountNode('a')
    assert.deepEqual([chosen?.tls, chosen?.proxy], ['some-tls', 'some-proxy'])
  })

  it('has secrets that were typed, knows of those that are stored, and has none where none is', () => {
    hold({ id: 'a', credentials: { apiKey: 'typed', loginId: '', has_loginPass: false } })
    assert.deepEqual(readAccountNode('a')?.credentials, { apiKey: 'typed', loginId: '', loginPass: '' })
    hold({ id: 'a', credentials: { has_apiKey: true } })
    assert.equal(readAccountNode('a')?.credentials.apiKey, STORED_SECRET)
  })
})
