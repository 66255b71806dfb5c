import assert from 'node:assert/strict'
import { type News, useLab } from '../support/hostile-state/lab'
import type { Call, Manner } from '../support/hostile-state/stores'

const DEPLOYED_MS = 6000
/** Never answers a load of what was delivered. */
const silent = ({ op, key }: Call): Manner => (op === 'load' && key === 'cursors' ? 'never' : 'at once')

for (const action of ['latest', 'alerts'] as const satisfies News[]) {
  describe(`${action} with a context store that is hostile`, () => {
    const lab = useLab()

    /** Nothing is asked nor written, and each trigger, receipt and `forget` ends with the documented code. */
    async function isHeldBack(): Promise<void> {
      const { asked, store, ask } = lab()
      const [requests, writes] = [asked(), store.of('save').length]
      for (const msg of [{}, { envlog: { forget: true } }, {}])
        assert.equal(await ask(msg, true), 'ENVLOG_CONFIG')
      assert.deepEqual([asked(), store.of('save').length], [requests, writes])
    }

    /** Rounds that bring what was measured since. */
    async function goOn(rounds = 2): Promise<void> {
      for (let round = 0; round < rounds; round++) {
        lab().measure(3)
        assert.equal(await lab().ask(), 'completed')
      }
      assert.deepEqual(lab().came.flat(), lab().all(), 'each once, in order')
    }

    /** A first process, whose state is on the disk. */
    async function earlier(): Promise<void> {
      await lab().start(action)
      await goOn()
      lab().measure(2)
    }

    it('that takes 10 s to load fails triggers till then, and loses nothing', async () => {
      await earlier()
      lab().store.behave(({ op }) => (op === 'load' ? { ms: 10_000 } : 'at once'))
      await lab().start(action)
      assert.equal(await lab().ask({}, true), 'ENVLOG_CONFIG')
      await lab().pass(10_000)
      await goOn()
    })

    for (const manner of ['fails', 'throws'] as const) {
      it(`whose loads fail (${manner}) fails triggers till they do not, and loses nothing`, async () => {
        await earlier()
        lab().store.behave(({ op }) => (op === 'load' ? manner : 'at once'))
        await lab().start(action)
        await isHeldBack()
        await lab().deploy(action)
        await isHeldBack()
        lab().store.heal()
        await goOn()
      })
    }

    it('that never answers a load fails triggers, lets go of a deploy, and loses nothing when it is asked again', async () => {
      await earlier()
      lab().store.behave(silent)
      await lab().start(action)
      await isHeldBack()
      assert.ok((await lab().deploy(action)) <= DEPLOYED_MS)
      await isHeldBack()
      lab().store.behave('at once')
      await lab().pass(60_000)
      await goOn()
    })

    it('that answers a load after the deploy that follows, or out of order, brings nothing back', async () => {
      await earlier()
      const old = new Map(lab().store.disk)
      await goOn()
      lab().store.behave(silent)
      await lab().start(action)
      assert.equal(await lab().ask({}, true), 'ENVLOG_CONFIG')
      await lab().deploy(action)
      assert.equal(await lab().ask({}, true), 'ENVLOG_CONFIG')
      await lab().pass(60_000)
      assert.equal(await lab().ask({}, true), 'ENVLOG_CONFIG')
      const loads = lab().store.of('load').slice(-3)
      loads[2]?.answer()
      await goOn()
      for (const [key, value] of old) lab().store.disk.set(key, value)
      loads[0]?.answer()
      loads[1]?.answer()
      await goOn()
      await lab().deploy(action)
      await goOn()
    })

    it('whose load answers only for the node before the deploy is not read for the present one', async () => {
      await earlier()
      lab().store.behave(silent)
      await lab().start(action)
      await lab().deploy(action)
      const [first, second] = lab().store.of('load').slice(-2)
      first?.answer()
      await lab().pass(100)
      await isHeldBack()
      second?.answer()
      await lab().pass(100)
      await goOn()
    })

    it('that takes 9 s to write holds no trigger back, nor a deploy for longer than 5 s', async () => {
      await lab().start(action)
      lab().store.behave(({ op }) => (op === 'save' ? { ms: 9000 } : 'at once'))
      await goOn(3)
      assert.ok((await lab().deploy(action)) <= DEPLOYED_MS)
      await goOn(1)
      await lab().pass(25_000)
      lab().store.heal()
      await lab().start(action)
      await goOn(1)
      assert.deepEqual(lab().warnings(), [])
    })

    const ill: Record<string, Manner> = { 'never end': 'never', fail: 'fails', 'throw at once': 'throws' }
    for (const [title, manner] of Object.entries(ill)) {
      it(`whose writes ${title} holds nothing back, is told once, and is tried again each minute`, async () => {
        await lab().start(action)
        await goOn(1)
        lab().store.behave(({ op }) => (op === 'save' ? manner : 'at once'))
        await goOn(2)
        await lab().pass(11_000)
        assert.equal(lab().warnings().length, 1)
        const tries = lab().store.of('save').length
        await lab().pass(150_000)
        const more = lab().store.of('save').length - tries
        assert.ok(more >= 2 && more <= 3, `${more} tries in two minutes and a half`)
        assert.equal(lab().warnings().length, 1)
        assert.ok((await lab().deploy(action)) <= DEPLOYED_MS)
        await goOn(1)
        lab().store.behave('at once')
        await lab().pass(75_000)
        lab().store.heal()
        await lab().start(action)
        await goOn(1)
      })
    }

    for (const most of [0, 1, 2, 3, 5, 8]) {
      it(`that is full after ${most} writes keeps what it had: only what was sent since then comes again`, async () => {
        let writes = 0
        let kept = 0
        lab().store.behave(({ op, key }) => {
          if (op === 'load' || key !== 'cursors') return 'at once'
          if (writes++ >= most) return 'fails'
          kept = lab().came.flat().length
          return 'at once'
        })
        await lab().start(action)
        await goOn(5)
        const sent = lab().came.flat()
        lab().store.behave('at once')
        await lab().start(action)
        lab().measure(1)
        assert.equal(await lab().ask(), 'completed')
        assert.deepEqual(lab().came.at(-1), [...sent.slice(kept), sent.length])
      })
    }
  })
}
