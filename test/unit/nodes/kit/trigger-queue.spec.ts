import assert from 'node:assert/strict'
import { TriggerQueue } from '../../../../src/nodes/kit/action/trigger-queue'
import { watch } from '../../lib/api/setup'
import { failure } from '../../lib/responses'

const settled = () => new Promise(setImmediate)

/** Work that the test ends. */
function task() {
  const run = { started: false, end: () => {} }
  const work = () =>
    new Promise<void>((resolve) => {
      Object.assign(run, { started: true, end: resolve })
    })
  return { run, work }
}

describe('the triggers of a node', () => {
  it('run one at a time, in the order received', async () => {
    const queue = new TriggerQueue()
    const tasks = [task(), task(), task()]
    const taken = tasks.map(({ work }) => watch(queue.run(work)))
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

  it('continue after a failure, which rejects only its own trigger', async () => {
    const queue = new TriggerQueue()
    const error = new Error('no')
    const failed = watch(queue.run(() => Promise.reject(error)))
    const next = watch(queue.run(async () => {}))
    await settled()
    assert.deepEqual([failed.error, next.state], [error, 'done'])
  })

  it('tell the running one as soon as another one waits, or a repetition is due', async () => {
    const queue = new TriggerQueue()
    const interrupts: AbortSignal[] = []
    const start = ({ work }: ReturnType<typeof task>) =>
      watch(
        queue.run((interrupt) => {
          interrupts.push(interrupt)
          return work()
        }),
      )
    const tasks = [task(), task(), task()] as const
    start(tasks[0])
    await settled()
    assert.equal(interrupts[0]?.aborted, false)
    start(tasks[1])
    start(tasks[2])
    assert.equal(interrupts[0]?.aborted, true)
    tasks[0].run.end()
    await settled()
    assert.equal(interrupts[1]?.aborted, true, 'the third waits')
    tasks[1].run.end()
    await settled()
    assert.equal(interrupts[2]?.aborted, false)
    queue.interrupt()
    assert.equal(interrupts[2]?.aborted, true)
    tasks[2].run.end()
  })

  it('allow a hundred waiting messages behind the running one; one more fails with ENVLOG_BUSY', async () => {
    const queue = new TriggerQueue()
    const first = task()
    watch(queue.run(first.work))
    const waiting = Array.from({ length: 100 }, () => watch(queue.run(async () => {})))
    const more = watch(queue.run(async () => {}))
    await settled()
    assert.ok(waiting.every(({ state }) => state === 'waits'))
    assert.equal(more.error?.code, 'ENVLOG_BUSY')
    first.run.end()
    await settled()
    assert.ok(waiting.every(({ state }) => state === 'done'))
    await queue.run(async () => {})
  })

  it('end on close: the running one is aborted and awaited, waiting ones are rejected with ENVLOG_CLOSED', async () => {
    const queue = new TriggerQueue()
    const [first, second] = [task(), task()]
    const running = watch(queue.run(first.work))
    const waiting = watch(queue.run(second.work))
    await settled()
    const closed = watch(queue.close())
    await settled()
    assert.equal(queue.signal.aborted, true)
    assert.deepEqual([running.state, closed.state], ['waits', 'waits'])
    first.run.end()
    await settled()
    assert.deepEqual([running.state, waiting.state, closed.state], ['done', 'closed', 'done'])
    assert.equal(second.run.started, false)
    await assert.rejects(
      queue.run(async () => {}),
      failure('ENVLOG_CLOSED'),
    )
  })
})
