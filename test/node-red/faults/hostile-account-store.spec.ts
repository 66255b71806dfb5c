import assert from 'node:assert/strict'
import { NODE, useStateHarness } from '../../support/hostile-state/state-harness'
import type { StoreBehaviour } from '../../support/hostile-state/stores'

/** For runs of many triggers. */
const MANY_MS = 20_000

const place = { z: 'tab', x: 100, y: 100 }
const others = ['alerts', 'current', 'latest'].map((action) => ({
  ...{ id: `other-${action}`, type: `envlog-${action}`, account: 'account', repeat: 0, wires: [[]] },
  ...{ ...NODE, ...place },
}))

describe('a context store shared by several nodes and their account', function () {
  this.timeout(MANY_MS)
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
})
