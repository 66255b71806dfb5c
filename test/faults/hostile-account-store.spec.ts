import assert from 'node:assert/strict'
import { NODE, useLab } from '../support/hostile-state/lab'
import type { Manner } from '../support/hostile-state/stores'

const place = { z: 'tab', x: 100, y: 100 }
const others = ['alerts', 'current', 'latest'].map((action) => ({
  ...{ id: `other-${action}`, type: `envlog-${action}`, account: 'account', repeat: 0, wires: [[]] },
  ...{ ...NODE, ...place },
}))

describe('a context store that several nodes and their account share', () => {
  const lab = useLab()

  for (const manner of ['fails', 'never', 'throws'] satisfies Manner[]) {
    it(`and whose writes are ill (${manner}) is told once, however many nodes write, and delays a deploy once`, async () => {
      lab().store.behave(({ op }) => (op === 'save' ? manner : 'at once'))
      await lab().start('latest', {}, { flow: others })
      const all = ['node', ...others.map(({ id }) => id)]
      for (let round = 0; round < 3; round++) {
        lab().measure(2)
        for (const id of all) await lab().trigger(id)
        await lab().pass(65_000)
      }
      assert.equal(lab().warnings().length, 1)
      assert.deepEqual(lab().came.flat(), lab().all())
      const took = await lab().deploy('latest', {}, { flow: others })
      assert.ok(took <= 6000, `${took} ms`)
    })
  }

  it('and that never tells what was spent holds the first request back for some seconds, and no other', async () => {
    lab().store.behave(({ op, key }) => (op === 'load' && key === 'quota' ? 'never' : 'at once'))
    await lab().start('latest')
    lab().measure(1)
    lab().send({})
    await lab().pass(6000)
    await lab().idle()
    assert.deepEqual(lab().came.flat(), lab().all())
    lab().measure(1)
    assert.equal(await lab().ask(), 'completed')
    assert.deepEqual(lab().came.flat(), lab().all())
  })
})
