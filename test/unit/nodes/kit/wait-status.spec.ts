import assert from 'node:assert/strict'
import type { Quota } from '../../../../src/lib/quota/quota'
import type { RunStatus } from '../../../../src/nodes/kit/report/status'
import { WaitStatus } from '../../../../src/nodes/kit/report/wait-status'

/** Each further request takes a second. */
const quota = { estimateRoundEnd: (_endpoint: string, count: number) => count * 1000 } as unknown as Quota

function setup(total: number) {
  const shown: RunStatus[] = []
  const waitStatus = new WaitStatus(quota, (status) => shown.push(status))
  waitStatus.total = total
  return { shown, waitStatus }
}

const wait = (until: number | null, records = false) => ({ endpoint: 'alert', until, records }) as const

describe('the status of a trigger while its requests wait', () => {
  it('shows how many devices are done, and when the others will be, but no earlier than the wait itself', () => {
    const { shown, waitStatus } = setup(10)
    const listener = waitStatus.createListener()
    listener(wait(500))
    waitStatus.done = 4
    listener(wait(600))
    listener(wait(90_000))
    assert.deepEqual(shown, [
      { kind: 'waiting', records: false, until: 10_000, round: { done: 0, total: 10 } },
      { kind: 'waiting', records: false, until: 6000, round: { done: 4, total: 10 } },
      { kind: 'waiting', records: false, until: 90_000, round: { done: 4, total: 10 } },
    ])
  })

  it('shows the earliest end of several waits, and requesting when no request waits any more', () => {
    const { shown, waitStatus } = setup(2)
    const [late, early] = [waitStatus.createListener(), waitStatus.createListener()]
    late(wait(9000, true))
    early(wait(4000, true))
    early(wait(null))
    late(wait(null))
    assert.deepEqual(shown, [
      { kind: 'waiting', records: true, until: 9000 },
      { kind: 'waiting', records: true, until: 4000 },
      { kind: 'waiting', records: true, until: 9000 },
      { kind: 'requesting' },
    ])
  })

  it('is unchanged by a request that never waited', () => {
    const { shown, waitStatus } = setup(1)
    waitStatus.createListener()(wait(null))
    assert.deepEqual(shown, [])
  })
})
