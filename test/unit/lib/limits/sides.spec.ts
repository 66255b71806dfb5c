import assert from 'node:assert/strict'
import { MINUTE, Monitoring, nowIn, readingOf } from '../../../support/limits/monitoring'

/** The events of a value each so many minutes, with the furthest value of each run. */
function told(row: object, values: readonly number[], minutes = 1) {
  const node = new Monitoring([row], { silentAfterMs: Number.POSITIVE_INFINITY })
  return values.flatMap((value) => {
    node.clock.jump(minutes * MINUTE)
    return node
      .receive([readingOf(nowIn(node), value)])
      .map(({ state, condition, extreme }) => `${state} ${condition} ${extreme}`)
  })
}

const times = (count: number, value: number) => Array.from({ length: count }, () => value)

describe('a value outside on the other side', () => {
  it('ends an alarm and begins another one: a fridge that was too warm and freezes', () => {
    const fridge = { above: 8, below: 2, margin: 1 }
    assert.deepEqual(told(fridge, [5, 9, 1, -2, -4, -4, 1, 5], 60), [
      'alarm above 9',
      'normal above 9',
      'alarm below 1',
      'normal below -4',
    ])
  })

  it('is an alarm of its own after its own minutes: dry ice in a freezer that is a little too warm', () => {
    const freezer = { above: -15, below: -30, minutes: 10, margin: 1 }
    const dryIce = [-31, ...times(29, -70)]
    assert.deepEqual(told(freezer, [-18, ...times(12, -14), -15.5, ...dryIce, -18]), [
      'alarm above -14',
      'normal above -14',
      'alarm below -70',
      'normal below -70',
    ])
  })

  it('does not lengthen the minutes of the first side', () => {
    const fridge = { above: 8, below: 2, minutes: 60 }
    assert.deepEqual(told(fridge, [5, ...times(31, 9), ...times(31, 1), 5]), [])
  })
})
