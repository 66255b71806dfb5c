import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { createFairQueue } from '../../../src/lib/quota/fair-queue'
import { EDITOR, type QueueKey } from '../../../src/lib/quota/types'

function turnsOf(...waiting: [QueueKey, string][]) {
  const turns = createFairQueue<string>()
  for (const [line, item] of waiting) turns.put(line, item)
  return turns
}

/** All in the order they go. */
function order(turns: ReturnType<typeof turnsOf>): string[] {
  const list: string[] = []
  for (let item = turns.next(); item !== undefined; item = turns.next()) list.push(item)
  return list
}

describe('turns', () => {
  it('are nobody’s where nobody waits', () => {
    const turns = turnsOf()
    assert.deepEqual([turns.next(), turns.size(), turns.hasEditor()], [undefined, 0, false])
  })

  it('go round the lines, and by age within a line', () => {
    const turns = turnsOf(['a', 'a1'], ['a', 'a2'], ['a', 'a3'], ['b', 'b1'], ['c', 'c1'], ['c', 'c2'])
    assert.deepEqual(order(turns), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  })

  it('let a line that had its turn wait for the others', () => {
    const turns = turnsOf(['a', 'a1'], ['a', 'a2'])
    assert.equal(turns.next(), 'a1')
    turns.put('b', 'b1')
    turns.put('c', 'c1')
    assert.deepEqual(order(turns), ['a2', 'b1', 'c1'])
  })

  it('let the editor go before all others', () => {
    const turns = turnsOf(['a', 'a1'], [EDITOR, 'e1'], ['b', 'b1'], [EDITOR, 'e2'])
    assert.equal(turns.hasEditor(), true)
    assert.deepEqual(order(turns), ['e1', 'e2', 'a1', 'b1'])
  })

  it('bring back to the head who had its turn for nothing, before its line and the other lines', () => {
    const turns = turnsOf(['a', 'a1'], ['a', 'a2'], ['b', 'b1'])
    const first = turns.next() as string
    turns.putFirst('a', first)
    assert.deepEqual(order(turns), ['a1', 'b1', 'a2'])
  })

  it('take who stands in several lines out of all of them at once', () => {
    const turns = turnsOf(['a', 'a1'], ['a', 'both'], ['b', 'both'], ['b', 'b1'])
    assert.deepEqual([turns.size(), order(turns)], [3, ['a1', 'both', 'b1']])
  })

  it('forget who is removed, and the lines that are empty then', () => {
    const turns = turnsOf([EDITOR, 'one'], ['a', 'one'], ['a', 'a1'])
    turns.remove('one')
    assert.deepEqual([turns.hasEditor(), turns.has('one'), order(turns)], [false, false, ['a1']])
    turns.remove('one')
  })

  it('tell the order of all, though some stand in several lines or were brought back', () => {
    const line = fc.constantFrom<QueueKey>('a', 'b', 'c', EDITOR)
    const put = fc.tuple(line, fc.nat(15), fc.boolean())
    fc.assert(
      fc.property(fc.array(put, { maxLength: 30 }), fc.nat(8), (puts, gone) => {
        const turns = createFairQueue<number>()
        for (const [name, item, first] of puts) turns[first ? 'putFirst' : 'put'](name, item)
        for (let count = 0; count < gone; count++) turns.next()
        const told = [...turns.inOrder()]
        const went: number[] = []
        for (let item = turns.next(); item !== undefined; item = turns.next()) went.push(item)
        assert.deepEqual(told, went)
      }),
    )
  })

  it('tell how many go before one', () => {
    const line = fc.constantFrom<QueueKey>('a', 'b', 'c', EDITOR)
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.nat(10), fc.nat(3), (lines, gone, firsts) => {
        const turns = createFairQueue<number>()
        lines.forEach((name, item) => {
          turns[item < firsts ? 'putFirst' : 'put'](name, item)
          if (item % 5 === 4) turns.remove(item - 1)
        })
        for (let count = 0; count < gone; count++) turns.next()
        const ahead = lines.flatMap((_, item) => (turns.has(item) ? [[item, turns.ahead(item)]] : []))
        const places = new Map<number, number>()
        for (let item = turns.next(); item !== undefined; item = turns.next()) places.set(item, places.size)
        assert.deepEqual(
          new Map(ahead as [number, number][]),
          new Map([...places].sort((a, b) => a[0] - b[0])),
        )
      }),
    )
  })

  it('give each line its share: nobody waits for more than one of each other line', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(lengths, (counts) => {
        const turns = createFairQueue<string>()
        counts.forEach((count, line) => {
          for (let item = 0; item < count; item++) turns.put(`line ${line}`, `${line} ${item}`)
        })
        const went = order(turns as ReturnType<typeof turnsOf>)
        const rounds = went.map((item) => Number(item.split(' ')[1]))
        assert.deepEqual(
          rounds,
          [...rounds].sort((a, b) => a - b),
        )
      }),
    )
  })
})
