import assert from 'node:assert/strict'
import { nodeLabel } from '../../../src/editor/node-label'
import type { Form } from '../../../src/editor/red'

/** A node whose catalog returns the key and the count. */
const node = (saved: object): Form => ({
  id: 'n',
  type: 'envlog-latest',
  _: (key, params) => `${key.replace('summary.node-', '')} ${params?.what} ${params?.count}`,
  ...saved,
})
const label = (saved: object) => nodeLabel(node(saved), 'latest')
const devices = [{ serial: '52A10001' }, { serial: '52A10002' }]
const bases = ['5F0A1001']

describe('the label of a node without a name', () => {
  it('shows the number of chosen items of each kind that applies', () => {
    assert.equal(label({ select: 'all', devices, bases }), 'latest')
    assert.equal(label({ select: 'list', devices, bases: [] }), 'devices latest 2')
    assert.equal(label({ select: 'list', devices: [], bases }), 'bases latest 1')
    assert.equal(label({ select: 'list', devices, bases }), 'and-bases devices latest 2 1')
    assert.equal(label({ select: 'base', devices, bases }), 'bases latest 1')
    assert.equal(label({ select: 'group', devices, bases, groups: ['a', 'b'] }), 'groups latest 2')
  })

  it('exists for nodes of a newer version, and for damaged ones', () => {
    assert.equal(label({ version: 99, select: 'list', devices, bases: 'x' }), 'devices latest 2')
    assert.equal(label({ version: {}, select: 'group', groups: null }), 'groups latest 0')
  })
})
