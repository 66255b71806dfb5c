import assert from 'node:assert/strict'
import { NODE, useStateHarness } from '../../support/hostile-state/state-harness'
import type { StoreBehaviour } from '../../support/hostile-state/stores'

const place = { z: 'tab', x: 100, y: 100 }
const others = ['alerts', 'current', 'latest'].map((action) => ({
  ...{ id: `other-${action}`, type: `envlog-${action}`, account: 'account', repeat: 0, wires: [[]] },
  ...{ ...NODE, ...place },
}))

describe('a context store that several nodes and their account share', () => {
  const harness = useStateHarness()

  for (const manner of ['fails', 'never', 'throws'] satisfies StoreBehaviour[]) {
    it(`with failing writes (${manner}) is reported once for any number of nodes, and delays one deploy`, async () => {
      harness().store.behave(({ op }) => (op === 'save' ? manner : 'at once'))
      await harness().start('latest', {}, { flow: others })
      const all = ['node', ...others.map(({ id }) => id)]
      for (let round = 0; round < 3; round++) {
        harness().measure(2)
        for (const id of all) await harness().triggerOther(id)
        await harness().passTime(65_000)
      }
      assert.equal(harness().warnings().length, 1)
      assert.deepEqual(harness().delivered.flat(), harness().allMinutes())
      const took = await harness().deploy('latest', {}, { flow: others })
      assert.ok(took <= 6000, `${took} ms`)
    })
  }

  it('and that never loads the usage delays the first request for some seconds, and no other', async () => {
    harness().store.behave(({ op, key }) => (op === 'load' && key === 'quota' ? 'never' : 'at once'))
    await harness().start('latest')
    harness().measure(1)
    harness().send({})
    await harness().passTime(6000)
    await harness().settle()
    assert.deepEqual(harness().delivered.flat(), harness().allMinutes())
    harness().measure(1)
    assert.equal(await harness().trigger(), 'completed')
    assert.deepEqual(harness().delivered.flat(), harness().allMinutes())
  })
})
