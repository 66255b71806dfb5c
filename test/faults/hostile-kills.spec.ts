import assert from 'node:assert/strict'
import { type Lab, type News, useLab } from '../support/hostile-state/lab'

const ROUNDS = 5
const MINUTES = 3

type Advance = 'sent' | 'acknowledged'
/** What a sink has stored, and what was sent when the write began that the store held last. */
interface Sink {
  stored: Set<number>
  sentAtWrite: number
}

/** A few rounds, with a deploy between, of a process that may end at any write. */
async function script(lab: Lab, action: News, advance: Advance, isOver: () => boolean): Promise<void> {
  await lab.start(action, { advance })
  for (let round = 0; round < ROUNDS && !isOver(); round++) {
    lab.measure(MINUTES)
    lab.send({})
    await settled(lab, isOver)
    if (round === 2 && !isOver()) await lab.deploy(action, { advance })
  }
}

async function settled(lab: Lab, isOver: () => boolean): Promise<void> {
  const { completed, errors } = lab.flow()
  const ends = completed.messages.length + errors.messages.length
  while (!isOver() && completed.messages.length + errors.messages.length === ends) await lab.breathe()
  for (let turn = 0; turn < 10; turn++) await lab.breathe()
}

for (const action of ['latest', 'alerts'] as const satisfies News[]) {
  for (const advance of ['sent', 'acknowledged'] as const) {
    describe(`${action}, done when it is ${advance}, killed at any write of its store`, function () {
      this.timeout(60_000)
      const lab = useLab()

      /** @param at the write at which the process ends; @param isWritten whether it is there then */
      async function run(at: number, isWritten: boolean): Promise<{ writes: number; sink: Sink }> {
        const sink: Sink = { stored: new Set(), sentAtWrite: 0 }
        const { store, came } = lab()
        store.disk.clear()
        came.length = 0
        store.calls.length = 0
        let isDead = false
        store.behave((call, index) => {
          if (call.op === 'load') return 'at once'
          const sent = came.flat().length
          const isLast = index === at
          if (isLast) {
            if (isWritten) call.answer()
            store.die()
            isDead = true
          }
          if (call.key === 'cursors' && (!isLast || isWritten)) sink.sentAtWrite = sent
          return 'at once'
        })
        lab().onMessage((msg) => {
          if (isDead || advance === 'sent') return
          // It is stored, and its receipt goes back a little later; some get lost.
          for (const minute of came.at(-1) as number[]) sink.stored.add(minute)
          setImmediate(() => isDead || lab().send({ envlog: msg.envlog }))
        })
        await script(lab(), action, advance, () => isDead)
        return { writes: store.of('save', 'cursors').length + store.of('save', 'quota').length, sink }
      }

      /** A new process on what the old one left. */
      async function goOn(sink: Sink, sent: number[]): Promise<void> {
        const { store, came } = lab()
        came.length = 0
        store.behave('at once')
        // What is under way in the old process comes to nothing.
        await lab().end()
        store.live()
        lab().onMessage((msg) => {
          if (advance === 'sent') return
          for (const minute of came.at(-1) as number[]) sink.stored.add(minute)
          setImmediate(() => lab().send({ envlog: msg.envlog }))
        })
        came.length = 0
        await lab().start(action, { advance })
        for (let round = 0; round < 2; round++) {
          lab().measure(1)
          lab().send({})
          await settled(lab(), () => false)
        }
        const after = came.flat()
        assert.deepEqual(
          after,
          after.toSorted((a, b) => a - b),
          'in order',
        )
        assert.equal(new Set(after).size, after.length, 'none twice in one process')
        if (advance === 'acknowledged') {
          assert.deepEqual(
            [...sink.stored].toSorted((a, b) => a - b),
            lab().all(),
            'nothing is lost',
          )
        } else {
          const allowed = sent.slice(sink.sentAtWrite)
          const twice = after.filter((minute) => sent.includes(minute))
          assert.deepEqual(twice, allowed, 'only what was sent since the last write comes twice')
          assert.deepEqual([...new Set([...sent, ...after])], lab().all(), 'each, in order')
        }
      }

      for (const isWritten of [true, false]) {
        it(`loses nothing, where that write ${isWritten ? 'is its last' : 'never comes'}`, async () => {
          const { writes } = await run(-1, false)
          assert.ok(writes >= ROUNDS, `${writes} writes`)
          assert.deepEqual(lab().came.flat(), lab().all())
          for (let at = 0; at < writes; at++) {
            lab().reset()
            const { sink } = await run(at, isWritten)
            const sent = lab().came.flat()
            await goOn(sink, sent).catch((error: Error) => {
              error.message = `killed at write ${at} of ${writes}, ${sent.length} sent: ${error.message}`
              throw error
            })
          }
        })
      }
    })
  }
}
