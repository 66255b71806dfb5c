import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { NodeAPI } from 'node-red'
import { registry } from '../../../../src/nodes/kit/state/process-registry'
import type * as removedNodes from '../../../../src/nodes/kit/state/removed-nodes'

const PATH = require.resolve('../../../../src/nodes/kit/state/removed-nodes')

/** A Node-RED with these nodes in its flows, including disabled ones. */
function runtimeWith(ids: Set<string>) {
  const events = new EventEmitter()
  const eachNode = (callback: (node: { id: string }) => void) => {
    for (const id of ids) callback({ id })
  }
  return { RED: { events, nodes: { eachNode }, settings: {} } as unknown as NodeAPI, events }
}

/** The module in a new process: it listens to the first Node-RED that it gets. */
function load(): typeof removedNodes {
  delete require.cache[PATH]
  return require(PATH)
}

describe('the state of a node that Node-RED has closed as removed', () => {
  const isKnown = (id: string) => {
    const state = registry.getOrCreateNodeState(id)
    return () => registry.getOrCreateNodeState(id) === state
  }
  after(() => registry.clear())

  it('is forgotten immediately if the node is no longer in the flows', () => {
    const { RED } = runtimeWith(new Set(['other']))
    const [deleted, other] = [isKnown('deleted'), isKnown('other')]
    load().deleteStateOfRemovedNode(RED, 'deleted')
    assert.deepEqual([deleted(), other()], [false, true])
  })

  it('stays while the node is disabled, and is forgotten on the deploy that deletes it', () => {
    const ids = new Set(['disabled', 'enabled later'])
    const { RED, events } = runtimeWith(ids)
    const [disabled, enabledLater] = [isKnown('disabled'), isKnown('enabled later')]
    const { deleteStateOfRemovedNode } = load()
    for (const id of ids) deleteStateOfRemovedNode(RED, id)
    events.emit('flows:started')
    assert.deepEqual([disabled(), enabledLater()], [true, true])
    ids.delete('disabled')
    events.emit('flows:started')
    assert.deepEqual([disabled(), enabledLater()], [false, true])
    assert.equal(events.listenerCount('flows:started'), 1)
  })
})
