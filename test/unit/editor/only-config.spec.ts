import assert from 'node:assert/strict'
import { findOnly } from '../../../src/editor/only-config'
import type { Form } from '../../../src/editor/red'
import { useFakeRed } from '../../support/fake-red'

describe('the account in the editor', () => {
  useFakeRed()

  const account = (id: string, more: object = {}) => ({ id, type: 'envlog-account', ...more })
  const hold = (...nodes: object[]) => {
    const { RED } = globalThis as unknown as { RED: { nodes?: object } }
    RED.nodes = { eachConfig: (visit: (node: object) => void) => nodes.forEach(visit) }
  }

  it('is chosen for a new node if it can use only one', () => {
    const dropped = { z: 'flow' } as unknown as Form
    const others = [
      account('off', { d: true }),
      account('of-a-subflow', { z: 'sub' }),
      { id: 't', type: 'tls-config' },
    ]
    hold(account('a'), ...others)
    assert.equal(findOnly('account', dropped), 'a')
    hold(account('a'), account('b'))
    assert.equal(findOnly('account', dropped), undefined)
    hold(...others)
    assert.equal(findOnly('account', dropped), undefined)
  })
})
