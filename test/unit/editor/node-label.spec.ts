import assert from 'node:assert/strict'
import { nodeLabel } from '../../../src/editor/node-label'
import { useFakeRed } from '../../support/fake-red'

describe('the label of a node without a name', () => {
  useFakeRed('ja')
  const label = (saved: object) => nodeLabel({ id: 'n', type: 'envlog-latest', ...saved }, '最新記録')
  const devices = [{ serial: '52A10001' }, { serial: '52A10002' }]
  const bases = ['5F0A1001']

  it('shows the number of chosen items of each kind that applies, also for damaged settings', () => {
    assert.equal(label({ name: 'Mine', select: 'list', devices }), 'Mine')
    assert.equal(label({ select: 'all', devices, bases }), '最新記録')
    assert.equal(label({ select: 'list', devices, bases }), '最新記録：機器 2 台、親機 1 台')
    assert.equal(label({ select: 'list', devices, bases: 'x' }), '最新記録：機器 2 台')
    assert.equal(label({ select: 'base', devices, bases }), '最新記録：親機 1 台')
    assert.equal(label({ select: 'group', groups: ['a', 'b'] }), '最新記録：2 グループ')
    assert.equal(label({ select: 'group', groups: null }), '最新記録')
  })

  it('says when the node works by itself', () => {
    assert.equal(label({ select: 'all', repeat: '60' }), '最新記録：1 分ごと')
    assert.equal(label({ select: 'list', devices, repeat: 5400 }), '最新記録：機器 2 台、90 分ごと')
    assert.equal(label({ select: 'msg', propertyType: 'msg', repeat: 60 }), '最新記録')
    assert.equal(label({ select: 'all', period: 'yesterday', every: 'day' }), '最新記録：毎日')
  })
})
