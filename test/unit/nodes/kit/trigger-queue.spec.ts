import assert from 'node:assert/strict'
import { createTriggerQueue, MAX_WAITING_TRIGGERS } from '../../../../src/nodes/kit/action/trigger-queue'
import { failure } from '../../lib/answers'
import { watch } from '../../lib/api/setup'

const settled = () => new Promise(setImmediate)

/** Work that the test ends. */
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

describe('the triggers of a node', () => {
  it('run one at a time, in the order received', async () => {
    const queue = createTriggerQueue()
    const tasks = [task(), task(), task()]
    const taken = tasks.map(({ work }) => watch(queue.run(false, work)))
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

  it('continue after a failure, which only rejects its own trigger', async () => {
    const queue = createTriggerQueue()
    const error = new Error('no')
    const failed = watch(queue.run(false, () => Promise.reject(error)))
    const next = watch(queue.run(false, async () => {}))
    await settled()
    assert.deepEqual([failed.error, next.state], [error, 'done'])
  })

  it('allow a hundred waiting messages behind the running one; one more is ENVLOG_BUSY', async () => {
    const queue = createTriggerQueue()
    const first = task()
    watch(queue.run(false, first.work))
    const waiting = Array.from({ length: MAX_WAITING_TRIGGERS }, () =>
      watch(queue.run(false, async () => {})),
    )
    const more = watch(queue.run(false, async () => {}))
    await settled()
    assert.equal(MAX_WAITING_TRIGGERS, 100)
    assert.ok(waiting.every(({ state }) => state === 'waits'))
    assert.equal(more.error?.code, 'ENVLOG_BUSY')
    first.run.end()
    await settled()
    assert.ok(waiting.every(({ state }) => state === 'done'))
    await queue.run(false, async () => {})
  })

  it('of its timer do not queue up: one waits, further ones are dropped', async () => {
    const queue = createTriggerQueue()
    const first = task()
    let ran = 0
    const work = async () => {
      ran++
    }
    watch(queue.run(false, first.work))
    await settled()
    const [second, third] = [watch(queue.run(true, work)), watch(queue.run(true, work))]
    await settled()
    assert.deepEqual([second.state, third.state, ran], ['waits', 'done', 0])
    first.run.end()
    await settled()
    assert.deepEqual([second.state, ran], ['done', 1])
    await queue.run(true, work)
    assert.equal(ran, 2)
  })

  it('of its timer wait for another running one', async () => {
    const queue = createTriggerQueue()
    const first = task()
    watch(queue.run(true, first.work))
    await settled()
    const second = watch(queue.run(true, async () => {}))
    first.run.end()
    await settled()
    assert.equal(second.state, 'done')
  })

  it('of its timer do not count among the hundred', async () => {
    const queue = createTriggerQueue()
    const first = task()
    watch(queue.run(false, first.work))
    await settled()
    const timer = watch(queue.run(true, async () => {}))
    const waiting = Array.from({ length: MAX_WAITING_TRIGGERS }, () =>
      watch(queue.run(false, async () => {})),
    )
    first.run.end()
    await settled()
    assert.deepEqual(new Set([timer, ...waiting].map(({ state }) => state)), new Set(['done']))
  })

  it('end on close: the running one is aborted and awaited, waiting ones are rejected with ENVLOG_CLOSED', async () => {
    const queue = createTriggerQueue()
    const [first, second] = [task(), task()]
    const running = watch(queue.run(false, first.work))
    const waiting = watch(queue.run(false, second.work))
    await settled()
    const closed = watch(queue.close())
    await settled()
    assert.equal(first.run.signal?.aborted, true)
    assert.deepEqual([running.state, closed.state], ['waits', 'waits'])
    first.run.end()
    await settled()
    assert.deepEqual([running.state, waiting.state, closed.state], ['done', 'closed', 'done'])
    assert.equal(second.run.started, false)
    await assert.rejects(
      queue.run(false, async () => {}),
      failure('ENVLOG_CLOSED'),
    )
    await assert.rejects(
      queue.run(true, async () => {}),
      failure('ENVLOG_CLOSED'),
    )
  })

  it('close immediately if nothing is running', () => createTriggerQueue().close())
})
