import assert from 'node:assert/strict'
import { assignOnlyAccount, findOnlyAccount } from '../../../src/editor/accounts'
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
    assert.equal(findOnlyAccount(dropped), 'a')
    hold(account('a'), account('b'))
    assert.equal(findOnlyAccount(dropped), undefined)
    hold(...others)
    assert.equal(findOnlyAccount(dropped), undefined)
  })

  it('is given to added nodes without an account, also if it was removed, but not to loaded ones', () => {
    const listeners = new Map<string, (node?: object) => void>()
    const due: (() => void)[] = []
    const nodes: Record<string, unknown>[] = []
    const accounts: { id: string }[] = []
    const { RED, window } = globalThis as unknown as { RED: Record<string, unknown>; window: unknown }
    Object.assign(globalThis, { window: { setTimeout: (run: () => void) => due.push(run) } })
    RED.events = { on: (name: string, listener: () => void) => listeners.set(name, listener) }
    RED.editor = { validateNode() {} }
    RED.nodes = {
      eachConfig: (visit: (node: object) => void) => accounts.forEach(visit),
      eachNode: (visit: (node: object) => void) => nodes.forEach(visit),
      node: (id: string) => accounts.find((one) => one.id === id),
      ...{ workspace: () => undefined, subflow: () => undefined, updateConfigNodeUsers() {} },
    }
    const add = (id: string, type: string, more: object = {}) => {
      const node = { id, type, ...more }
      const list = type === 'envlog-account' ? accounts : nodes
      list.push(node)
      listeners.get('nodes:add')?.(node)
    }
    const pass = () => {
      for (const run of due.splice(0)) run()
      return nodes.map((node) => node.account)
    }
    try {
      assignOnlyAccount()
      add('first', 'envlog-account')
      add('loaded', 'envlog-current')
      listeners.get('flows:loaded')?.()
      assert.deepEqual(pass(), [undefined])
      add('dropped', 'envlog-latest')
      add('by variable', 'envlog-latest', { account: `\${ACCOUNT}` })
      assert.deepEqual(pass(), [undefined, 'first', `\${ACCOUNT}`])
      accounts.pop()
      add('second', 'envlog-account')
      assert.deepEqual(pass(), ['second', 'second', `\${ACCOUNT}`])
    } finally {
      Object.assign(globalThis, { window })
    }
  })
})
