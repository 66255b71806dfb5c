import assert from 'node:assert/strict'
import { accountLabel, findOnlyAccount } from '../../../src/editor/accounts'
import type { Form } from '../../../src/editor/red'
import { useFakeRed } from '../../support/fake-red'

type Node = { id: string; type: string } & Record<string, unknown>

describe('the accounts in the editor', () => {
  useFakeRed()

  const account = (id: string, more: object = {}): Node => ({
    id,
    type: 'envlog-account',
    name: '',
    baseUrl: 'https://service.example',
    ...more,
  })
  const hold = (...nodes: Node[]) => {
    const { RED } = globalThis as unknown as { RED: { nodes?: object } }
    RED.nodes = { eachConfig: (visit: (node: Node) => void) => nodes.forEach(visit) }
  }

  it('are chosen for a new node if it can use only one', () => {
    const dropped = { z: 'flow' } as unknown as Form
    const others = [
      account('off', { d: true }),
      account('of-a-subflow', { z: 'sub' }),
      { id: 't', type: 'tls-config' },
    ]
    hold(account('a'), ...others)
    assert.equal(findOnlyAccount(dropped), 'a')
    hold(account('a'), account('b'))
    assert.equal(findOnlyAccount(dropped), undefined)
    hold(...others)
    assert.equal(findOnlyAccount(dropped), undefined)
  })

  it('have different labels, even without names', () => {
    const all = [account('a'), account('b'), account('c', { name: 'Plant C' }), account('d', { baseUrl: '' })]
    hold(...all)
    assert.deepEqual(
      all.map((one) => accountLabel(one as unknown as Form, 'envlog account')),
      ['https://service.example', 'https://service.example (2)', 'Plant C', 'envlog account'],
    )
  })
})
