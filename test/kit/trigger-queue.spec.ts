import assert from 'node:assert/strict'
import { createTriggerQueue, MAX_WAITING_TRIGGERS } from '../../src/nodes/kit/action/trigger-queue'
import { failure } from '../lib/answers'
import { watch } from '../lib/api/setup'

const settled = () => new Promise(setImmediate)

/** Work that ends when it is told to. */
function task() {
  const run = {
    started: false,
    end: () => {},
    fail: (_error: unknown) => {},
    signal: undefined as AbortSignal | undefined,
  }
  const work = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      Object.assign(run, { started: true, end: resolve, fail: reject, signal })
    })
  return { run, work }
}

describe("the turns of a node's triggers", () => {
  it('are one at a time, in the order they came', async () => {
    const turns = createTriggerQueue()
    const tasks = [task(), task(), task()]
    const taken = tasks.map(({ work }) => watch(turns.take(false, work)))
    for (const [index, { run }] of tasks.entries()) {
      await settled()
      assert.deepEqual(
        tasks.map(({ run }) => run.started),
        tasks.map((_, other) => other <= index),
      )
      run.end()
    }
    await settled()
    assert.deepEqual(
      taken.map(({ state }) => state),
      ['done', 'done', 'done'],
    )
  })

  it('go on after a failure, which only its own trigger gets', async () => {
    const turns = createTriggerQueue()
    const error = new Error('no')
    const failed = watch(turns.take(false, () => Promise.reject(error)))
    const next = watch(turns.take(false, async () => {}))
    await settled()
    assert.deepEqual([failed.error, next.state], [error, 'done'])
  })

  it('wait for a hundred messages behind the one that runs; one more is ENVLOG_BUSY', async () => {
    const turns = createTriggerQueue()
    const first = task()
    watch(turns.take(false, first.work))
    const waiting = Array.from({ length: MAX_WAITING_TRIGGERS }, () =>
      watch(turns.take(false, async () => {})),
    )
    const more = watch(turns.take(false, async () => {}))
    await settled()
    assert.equal(MAX_WAITING_TRIGGERS, 100)
    assert.ok(waiting.every(({ state }) => state === 'waits'))
    assert.equal(more.error?.code, 'ENVLOG_BUSY')
    first.run.end()
    await settled()
    assert.ok(waiting.every(({ state }) => state === 'done'))
    await turns.take(false, async () => {})
  })

  it('are left in peace by own triggers: one waits, one more is dropped', async () => {
    const turns = createTriggerQueue()
    const first = task()
    let ran = 0
    const own = async () => {
      ran++
    }
    watch(turns.take(false, first.work))
    await settled()
    const [second, third] = [watch(turns.take(true, own)), watch(turns.take(true, own))]
    await settled()
    assert.deepEqual([second.state, third.state, ran], ['waits', 'done', 0])
    first.run.end()
    await settled()
    assert.deepEqual([second.state, ran], ['done', 1])
    await turns.take(true, own)
    assert.equal(ran, 2)
  })

  it('let an own trigger wait behind another that runs', async () => {
    const turns = createTriggerQueue()
    const first = task()
    watch(turns.take(true, first.work))
    await settled()
    const second = watch(turns.take(true, async () => {}))
    first.run.end()
    await settled()
    assert.equal(second.state, 'done')
  })

  it('do not count own triggers among the hundred', async () => {
    const turns = createTriggerQueue()
    const first = task()
    watch(turns.take(false, first.work))
    await settled()
    const own = watch(turns.take(true, async () => {}))
    const waiting = Array.from({ length: MAX_WAITING_TRIGGERS }, () =>
      watch(turns.take(false, async () => {})),
    )
    first.run.end()
    await settled()
    assert.deepEqual(new Set([own, ...waiting].map(({ state }) => state)), new Set(['done']))
  })

  it('end on close: what runs is aborted and waited for, what waits gets ENVLOG_CLOSED and never runs', async () => {
    const turns = createTriggerQueue()
    const [first, second] = [task(), task()]
    const running = watch(turns.take(false, first.work))
    const waiting = watch(turns.take(false, second.work))
    await settled()
    const closed = watch(turns.close())
    await settled()
    assert.equal(first.run.signal?.aborted, true)
    assert.deepEqual([running.state, closed.state], ['waits', 'waits'])
    first.run.end()
    await settled()
    assert.deepEqual([running.state, waiting.state, closed.state], ['done', 'closed', 'done'])
    assert.equal(second.run.started, false)
    await assert.rejects(
      turns.take(false, async () => {}),
      failure('ENVLOG_CLOSED'),
    )
    await assert.rejects(
      turns.take(true, async () => {}),
      failure('ENVLOG_CLOSED'),
    )
  })

  it('close at once where nothing runs', () => createTriggerQueue().close())
})
