import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { createFairQueue, EDITOR, type QueueKey } from '../../../../src/lib/quota/fair-queue'

function queueOf(...waiting: [QueueKey, string][]) {
  const queue = createFairQueue<string>()
  for (const [line, item] of waiting) queue.enqueue(line, item)
  return queue
}

/** All items in the order they are dequeued. */
function order(queue: ReturnType<typeof queueOf>): string[] {
  const list: string[] = []
  for (let item = queue.dequeue(); item !== undefined; item = queue.dequeue()) list.push(item)
  return list
}

describe('a fair queue', () => {
  it('is empty at first', () => {
    const queue = queueOf()
    assert.deepEqual([queue.dequeue(), queue.size(), queue.hasEditor()], [undefined, 0, false])
  })

  it('takes the keys in turn, and within a key the oldest item first', () => {
    const queue = queueOf(['a', 'a1'], ['a', 'a2'], ['a', 'a3'], ['b', 'b1'], ['c', 'c1'], ['c', 'c2'])
    assert.deepEqual(order(queue), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  })

  it('serves the key that was served last after the others', () => {
    const queue = queueOf(['a', 'a1'], ['a', 'a2'])
    assert.equal(queue.dequeue(), 'a1')
    queue.enqueue('b', 'b1')
    queue.enqueue('c', 'c1')
    assert.deepEqual(order(queue), ['a2', 'b1', 'c1'])
  })

  it('serves the editor before all others', () => {
    const queue = queueOf(['a', 'a1'], [EDITOR, 'e1'], ['b', 'b1'], [EDITOR, 'e2'])
    assert.equal(queue.hasEditor(), true)
    assert.deepEqual(order(queue), ['e1', 'e2', 'a1', 'b1'])
  })

  it('puts what was dequeued in vain before its key and the other keys', () => {
    const queue = queueOf(['a', 'a1'], ['a', 'a2'], ['b', 'b1'])
    const first = queue.dequeue() as string
    queue.requeueFirst('a', first)
    assert.deepEqual(order(queue), ['a1', 'b1', 'a2'])
  })

  it('takes an item with several keys out of all of them at once', () => {
    const queue = queueOf(['a', 'a1'], ['a', 'both'], ['b', 'both'], ['b', 'b1'])
    assert.deepEqual([queue.size(), order(queue)], [3, ['a1', 'both', 'b1']])
  })

  it('forgets a removed item, and the keys that are empty then', () => {
    const queue = queueOf([EDITOR, 'one'], ['a', 'one'], ['a', 'a1'])
    queue.remove('one')
    assert.deepEqual([queue.hasEditor(), queue.has('one'), order(queue)], [false, false, ['a1']])
    queue.remove('one')
  })

  it('knows the order of all, even if some have several keys or were put first', () => {
    const line = fc.constantFrom<QueueKey>('a', 'b', 'c', EDITOR)
    const put = fc.tuple(line, fc.nat(15), fc.boolean())
    fc.assert(
      fc.property(fc.array(put, { maxLength: 30 }), fc.nat(8), (puts, gone) => {
        const queue = createFairQueue<number>()
        for (const [name, item, first] of puts) queue[first ? 'requeueFirst' : 'enqueue'](name, item)
        for (let count = 0; count < gone; count++) queue.dequeue()
        const expected = [...queue.inOrder()]
        const went: number[] = []
        for (let item = queue.dequeue(); item !== undefined; item = queue.dequeue()) went.push(item)
        assert.deepEqual(expected, went)
      }),
    )
  })

  it('knows how many are dequeued before one', () => {
    const line = fc.constantFrom<QueueKey>('a', 'b', 'c', EDITOR)
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.nat(10), fc.nat(3), (lines, gone, firsts) => {
        const queue = createFairQueue<number>()
        lines.forEach((name, item) => {
          queue[item < firsts ? 'requeueFirst' : 'enqueue'](name, item)
          if (item % 5 === 4) queue.remove(item - 1)
        })
        for (let count = 0; count < gone; count++) queue.dequeue()
        const ahead = lines.flatMap((_, item) => (queue.has(item) ? [[item, queue.position(item)]] : []))
        const places = new Map<number, number>()
        for (let item = queue.dequeue(); item !== undefined; item = queue.dequeue())
          places.set(item, places.size)
        assert.deepEqual(
          new Map(ahead as [number, number][]),
          new Map([...places].sort((a, b) => a[0] - b[0])),
        )
      }),
    )
  })

  it('is fair: nothing waits for more than one item of each other key', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(lengths, (counts) => {
        const queue = createFairQueue<string>()
        counts.forEach((count, line) => {
          for (let item = 0; item < count; item++) queue.enqueue(`line ${line}`, `${line} ${item}`)
        })
        const went = order(queue as ReturnType<typeof queueOf>)
        const rounds = went.map((item) => Number(item.split(' ')[1]))
        assert.deepEqual(
          rounds,
          [...rounds].sort((a, b) => a - b),
        )
      }),
    )
  })
})
