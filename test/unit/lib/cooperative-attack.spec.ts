import assert from 'node:assert/strict'
import {
  createYielder,
  measured,
  runCooperatively,
  yieldIfDue,
  yieldToEventLoop,
} from '../../../src/lib/cooperative'

const never = new AbortController().signal
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

function* stepsOf(
  count: number,
  ms: number,
  each: (step: number) => void = () => {},
): Generator<number, void> {
  for (let step = 0; step < count; step++) {
    work(ms)
    each(step)
    yield step
  }
}

describe('nodes that share the turns of the event loop', () => {
  it('all go on after the work of one has thrown, also nested and at its very start', async () => {
    const broken = () => {
      work(4)
      throw new RangeError('broken')
    }
    for (let time = 0; time < 5; time++) {
      assert.throws(() => measured(() => measured(broken)), RangeError)
      const failing = runCooperatively({ next: broken }, never)
      const inStep = runCooperatively(stepsOf(3, 1), never, broken)
      await Promise.all([
        assert.rejects(failing, RangeError),
        assert.rejects(inStep, RangeError),
        runCooperatively(stepsOf(4, 1), never),
        yieldToEventLoop(),
      ])
    }
    await nextTurn()
    assert.equal(yieldIfDue(), undefined, 'the count of work is stuck')
  })

  it('each end beside one that always works more than a turn', async () => {
    let isOver = false
    const greedy = async () => {
      while (!isOver) await runCooperatively(stepsOf(2, 5), never)
    }
    const running = greedy()
    const ended: number[] = []
    await Promise.all(
      Array.from({ length: 100 }, async (_, node) => {
        await runCooperatively(stepsOf(2, 0.05), never)
        ended.push(node)
      }),
    )
    isOver = true
    await running
    assert.equal(ended.length, 100)
  })

  it('are not stopped by work that comes before them in each turn', async () => {
    let turns = 0
    let isOver = false
    const busy = () => {
      turns++
      measured(() => work(4))
      if (!isOver && turns < 500) setImmediate(busy)
    }
    // The next turn is due already, so that this work is behind its beginning, and in front of those that wait.
    await nextTurn()
    measured(() => work(4))
    setImmediate(busy)
    await yieldToEventLoop()
    isOver = true
    assert.ok(turns < 10, `it waited ${turns} turns`)
  })

  it('are not stopped by work in timers that measures itself in each turn', async () => {
    let isOver = false
    const busy = () => {
      measured(() => work(4))
      if (!isOver) setImmediate(busy)
    }
    setImmediate(busy)
    const ended = Promise.all(Array.from({ length: 20 }, () => runCooperatively(stepsOf(3, 0.2), never)))
    const result = await Promise.race([
      ended.then(() => 'ended'),
      new Promise((resolve) => setTimeout(resolve, 10_000, 'starved')),
    ])
    isOver = true
    await ended
    assert.equal(result, 'ended')
  })

  it('keep the order of the messages of each, also where some close in the middle', async () => {
    const sent = Array.from({ length: 12 }, () => [] as number[])
    const closing = sent.map(() => new AbortController())
    const all = sent.map((messages, node) =>
      runCooperatively(stepsOf(150, 0.05), (closing[node] as AbortController).signal, (step, yielder) => {
        messages.push(step)
        yielder.countMessage()
        if (step === 70 && node % 2 === 0) closing[(node + 6) % 12]?.abort()
      }),
    )
    await Promise.all(all)
    const expected = Array.from({ length: 150 }, (_, step) => step)
    for (const messages of sent) assert.deepEqual(messages, expected)
  })

  it('go on at once where they close while they wait', async () => {
    const closing = new AbortController()
    measured(() => work(4))
    let steps = 0
    const running = runCooperatively(stepsOf(500, 0.02), closing.signal, () => steps++)
    closing.abort()
    await running
    assert.equal(steps, 500)
  })

  it('yield where a node sends 64 messages in a turn, however fast', async () => {
    const yielder = createYielder(never)
    await nextTurn()
    for (let message = 0; message < 64; message++) {
      assert.equal(yielder.maybeYield(), undefined)
      yielder.countMessage()
    }
    assert.ok(yielder.maybeYield() instanceof Promise)
  })
})
