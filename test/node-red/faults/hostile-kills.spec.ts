import assert from 'node:assert/strict'
import {
  type CollectingAction,
  type StateHarness,
  useStateHarness,
} from '../../support/hostile-state/state-harness'

const ROUNDS = 3
const MINUTES = 3

type Advance = 'sent' | 'acknowledged'
/** What a sink has stored, and what had been sent when the last successful write of the store started. */
interface Sink {
  stored: Set<number>
  sentAtWrite: number
}

/** Some rounds, with a deploy in between, of a process that may be killed at any write. */
async function script(
  harness: StateHarness,
  action: CollectingAction,
  advance: Advance,
  isOver: () => boolean,
): Promise<void> {
  await harness.start(action, { advance })
  for (let round = 0; round < ROUNDS && !isOver(); round++) {
    harness.measure(MINUTES)
    harness.send({})
    await settled(harness, isOver)
    // Changes within a second are written together.
    if (!isOver()) await harness.passTime(1000)
    if (round === 1 && !isOver()) await harness.deploy(action, { advance })
  }
}

async function settled(harness: StateHarness, isOver: () => boolean): Promise<void> {
  const { completed, errors } = harness.flow()
  const ends = completed.messages.length + errors.messages.length
  while (!isOver() && completed.messages.length + errors.messages.length === ends) await harness.nextTurn()
  for (let turn = 0; turn < 10; turn++) await harness.nextTurn()
}

for (const action of ['latest', 'alerts'] as const satisfies CollectingAction[]) {
  for (const advance of ['sent', 'acknowledged'] as const) {
    describe(`${action}, delivered when ${advance}, killed at any write of its store`, function () {
      this.timeout(30_000)
      const harness = useStateHarness()

      /** @param at the write at which the process is killed; @param isWritten whether it is stored */
      async function run(at: number, isWritten: boolean): Promise<{ writes: number; sink: Sink }> {
        const sink: Sink = { stored: new Set(), sentAtWrite: 0 }
        const { store, delivered } = harness()
        await harness().close()
        store.disk.clear()
        delivered.length = 0
        store.calls.length = 0
        let isDead = false
        store.behave((call, index) => {
          if (call.op === 'load') return 'at once'
          const sent = delivered.flat().length
          const isLast = index === at
          if (isLast) {
            if (isWritten) call.answer()
            store.die()
            isDead = true
          }
          if (call.key === 'cursors' && (!isLast || isWritten)) sink.sentAtWrite = sent
          return 'at once'
        })
        harness().onMessage((msg) => {
          if (isDead || advance === 'sent') return
          // Stored, and its receipt is returned later; some receipts are lost.
          for (const minute of delivered.at(-1) as number[]) sink.stored.add(minute)
          setImmediate(() => isDead || harness().send({ envlog: msg.envlog }))
        })
        await script(harness(), action, advance, () => isDead)
        return { writes: store.callsOf('save', 'cursors').length, sink }
      }

      /** Starts a new process with the state of the old one. */
      async function goOn(sink: Sink, sent: number[]): Promise<void> {
        const { store, delivered } = harness()
        delivered.length = 0
        store.behave('at once')
        // Pending work of the old process has no effect.
        await harness().close()
        store.restart()
        harness().onMessage((msg) => {
          if (advance === 'sent') return
          for (const minute of delivered.at(-1) as number[]) sink.stored.add(minute)
          setImmediate(() => harness().send({ envlog: msg.envlog }))
        })
        delivered.length = 0
        await harness().start(action, { advance })
        for (let round = 0; round < 2; round++) {
          harness().measure(1)
          harness().send({})
          await settled(harness(), () => false)
        }
        const after = delivered.flat()
        assert.deepEqual(
          after,
          after.toSorted((a, b) => a - b),
          'in order',
        )
        assert.equal(new Set(after).size, after.length, 'no duplicates in one process')
        if (advance === 'acknowledged') {
          assert.deepEqual(
            [...sink.stored].toSorted((a, b) => a - b),
            harness().allMinutes(),
            'nothing is lost',
          )
        } else {
          const allowed = sent.slice(sink.sentAtWrite)
          const twice = after.filter((minute) => sent.includes(minute))
          assert.deepEqual(twice, allowed, 'only records sent since the last write are sent twice')
          assert.deepEqual([...new Set([...sent, ...after])], harness().allMinutes(), 'each, in order')
        }
      }

      for (const isWritten of [true, false]) {
        it(`loses nothing if that write ${isWritten ? 'is the last one' : 'is lost'}`, async () => {
          const { writes } = await run(-1, false)
          assert.ok(writes >= ROUNDS, `${writes} writes`)
          assert.deepEqual(harness().delivered.flat(), harness().allMinutes())
          for (let at = 0; at < writes; at++) {
            harness().reset()
            const { sink } = await run(at, isWritten)
            const sent = harness().delivered.flat()
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
