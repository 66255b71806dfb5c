import assert from 'node:assert/strict'
import { type CollectingAction, useStateHarness } from '../../support/hostile-state/state-harness'
import type { StoreBehaviour, StoreCall } from '../../support/hostile-state/stores'

/** For runs of many triggers. */
const MANY_MS = 20_000
const DEPLOYED_MS = 6000
/** Never responds to a load of cursors. */
const silent = ({ op, key }: StoreCall): StoreBehaviour =>
  op === 'load' && key === 'cursors' ? 'never' : 'at once'

for (const action of ['latest', 'alerts'] as const satisfies CollectingAction[]) {
  describe(`${action} with a hostile context store`, function () {
    this.timeout(MANY_MS)
    const harness = useStateHarness()

    /** Nothing is requested or written, and each trigger, receipt and `forget` fails with the documented code. */
    async function isHeldBack(): Promise<void> {
      const { requestCount, store, trigger } = harness()
      const [requests, writes] = [requestCount(), store.callsOf('save').length]
      for (const msg of [{}, { envlog: { forget: true } }, {}])
        assert.equal(await trigger(msg, true), 'ENVLOG_CONFIG')
      assert.deepEqual([requestCount(), store.callsOf('save').length], [requests, writes])
    }

    /** Rounds that deliver later records. */
    async function goOn(rounds = 2): Promise<void> {
      for (let round = 0; round < rounds; round++) {
        harness().measure(3)
        assert.equal(await harness().trigger(), 'completed')
      }
      assert.deepEqual(harness().delivered.flat(), harness().allMinutes(), 'each once, in order')
    }

    /** Runs a first process, whose state is saved. */
    async function earlier(): Promise<void> {
      await harness().start(action)
      await goOn()
      harness().measure(2)
    }

    it('that takes 10 s to load fails triggers until then, and loses nothing', async () => {
      await earlier()
      harness().store.behave(({ op }) => (op === 'load' ? { ms: 10_000 } : 'at once'))
      await harness().start(action)
      assert.equal(await harness().trigger({}, true), 'ENVLOG_CONFIG')
      await harness().passTime(10_000)
      await goOn()
    })

    for (const manner of ['fails', 'throws'] as const) {
      it(`whose loads fail (${manner}) fails triggers until they succeed, and loses nothing`, async () => {
        await earlier()
        harness().store.behave(({ op }) => (op === 'load' ? manner : 'at once'))
        await harness().start(action)
        await isHeldBack()
        await harness().deploy(action)
        await isHeldBack()
        harness().store.recover()
        await goOn()
      })
    }

    it('that never responds to a load fails triggers, blocks no deploy, and loses nothing when it is loaded again', async () => {
      await earlier()
      harness().store.behave(silent)
      await harness().start(action)
      await isHeldBack()
      assert.ok((await harness().deploy(action)) <= DEPLOYED_MS)
      await isHeldBack()
      harness().store.behave('at once')
      await harness().passTime(60_000)
      await goOn()
    })

    it('that responds to a load after the next deploy, or out of order, restores no old state', async () => {
      await earlier()
      const old = new Map(harness().store.disk)
      await goOn()
      harness().store.behave(silent)
      await harness().start(action)
      assert.equal(await harness().trigger({}, true), 'ENVLOG_CONFIG')
      await harness().deploy(action)
      assert.equal(await harness().trigger({}, true), 'ENVLOG_CONFIG')
      await harness().passTime(60_000)
      assert.equal(await harness().trigger({}, true), 'ENVLOG_CONFIG')
      const loads = harness().store.callsOf('load').slice(-3)
      loads[2]?.answer()
      await goOn()
      for (const [key, value] of old) harness().store.disk.set(key, value)
      loads[0]?.answer()
      loads[1]?.answer()
      await goOn()
      await harness().deploy(action)
      await goOn()
    })

    it('whose load responds only to the node before the deploy is not used by the current one', async () => {
      await earlier()
      harness().store.behave(silent)
      await harness().start(action)
      await harness().deploy(action)
      const [first, second] = harness().store.callsOf('load').slice(-2)
      first?.answer()
      await harness().passTime(100)
      await isHeldBack()
      second?.answer()
      await harness().passTime(100)
      await goOn()
    })

    it('that takes 9 s to write delays no trigger, and a deploy by at most 5 s', async () => {
      await harness().start(action)
      harness().store.behave(({ op }) => (op === 'save' ? { ms: 9000 } : 'at once'))
      await goOn(3)
      assert.ok((await harness().deploy(action)) <= DEPLOYED_MS)
      await goOn(1)
      await harness().passTime(25_000)
      harness().store.recover()
      await harness().start(action)
      await goOn(1)
      assert.deepEqual(harness().warnings(), [])
    })

    const ill: Record<string, StoreBehaviour> = {
      'never end': 'never',
      fail: 'fails',
      'throw at once': 'throws',
    }
    for (const [title, manner] of Object.entries(ill)) {
      it(`whose writes ${title} delays nothing, is reported once, and is retried every minute`, async () => {
        await harness().start(action)
        await goOn(1)
        harness().store.behave(({ op }) => (op === 'save' ? manner : 'at once'))
        await goOn(2)
        await harness().passTime(11_000)
        assert.equal(harness().warnings().length, 1)
        const tries = harness().store.callsOf('save').length
        await harness().passTime(150_000)
        const more = harness().store.callsOf('save').length - tries
        assert.ok(more >= 2 && more <= 3, `${more} tries in two minutes and a half`)
        assert.equal(harness().warnings().length, 1)
        assert.ok((await harness().deploy(action)) <= DEPLOYED_MS)
        await goOn(1)
        harness().store.behave('at once')
        await harness().passTime(75_000)
        await harness().start(action)
        await goOn(1)
      })
    }

    for (const most of [0, 1, 2, 3, 5, 8]) {
      it(`that is full after ${most} writes keeps its state: only later deliveries are repeated`, async () => {
        let writes = 0
        let kept = 0
        harness().store.behave(({ op, key }) => {
          if (op === 'load' || key !== 'cursors') return 'at once'
          if (writes++ >= most) return 'fails'
          kept = harness().delivered.flat().length
          return 'at once'
        })
        await harness().start(action)
        await goOn(5)
        const sent = harness().delivered.flat()
        await harness().start(action)
        harness().store.behave('at once')
        harness().measure(1)
        assert.equal(await harness().trigger(), 'completed')
        assert.deepEqual(harness().delivered.at(-1), [...sent.slice(kept), sent.length])
      })
    }
  })
}
