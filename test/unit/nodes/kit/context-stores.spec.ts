import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import { listContextStores } from '../../../../src/nodes/kit/state/context-store'

const storesOf = (contextStorage?: object) => listContextStores({ settings: { contextStorage } } as NodeAPI)

describe('the available context stores', () => {
  it('are only one, in memory, if the settings file names none', () => {
    assert.deepEqual(storesOf(), [{ name: 'default', persistent: false }])
  })

  it('are those in the settings file, all persistent except those in memory', () => {
    const stores = storesOf({
      default: 'disk',
      disk: { module: 'localfilesystem' },
      fast: { module: 'memory' },
      other: 'memory',
      quick: 'fast',
      own: { module: class {} },
    })
    assert.deepEqual(
      stores.filter(({ persistent }) => persistent).map(({ name }) => name),
      ['default', 'disk', 'own'],
    )
    assert.deepEqual(
      stores.map(({ name }) => name),
      ['default', 'disk', 'fast', 'other', 'quick', 'own'],
    )
  })
})
