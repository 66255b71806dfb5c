import assert from 'node:assert/strict'
import type { Account } from '../../../../src/lib/account'
import { NO_PROBLEMS } from '../../../../src/nodes/kit/report/device-problems'
import { Progress } from '../../../../src/nodes/kit/report/progress'
import type { RunStatus } from '../../../../src/nodes/kit/report/status'

/** Of an account in which each further request takes a second. */
function setup(total = 0) {
  const shown: RunStatus[] = []
  const names: Record<string, string> = { B0000001: 'Freezer 2' }
  const account = {
    devices: { nameOf: ({ serial }: { serial: string }) => names[serial] },
    quota: { estimateRoundEnd: (_: string, count: number) => count * 1000 },
  }
  const progress = new Progress(account as unknown as Account, (status) => shown.push(status))
  progress.total = total
  return { shown, progress }
}

const wait = (until: number | null, records = false) => ({ endpoint: 'alert', until, records }) as const

describe('the status of a trigger while its requests wait', () => {
  it('shows how many devices are done, and when the others will be, but no earlier than the wait itself', () => {
    const { shown, progress } = setup(10)
    const listener = progress.createListener()
    listener(wait(500))
    progress.done = 4
    listener(wait(600))
    listener(wait(90_000))
    assert.deepEqual(shown, [
      { kind: 'waiting', records: false, until: 10_000, round: { done: 0, total: 10 } },
      { kind: 'waiting', records: false, until: 6000, round: { done: 4, total: 10 } },
      { kind: 'waiting', records: false, until: 90_000, round: { done: 4, total: 10 } },
    ])
  })

  it('shows the earliest end of several waits, and requesting when no request waits any more', () => {
    const { shown, progress } = setup(2)
    const [late, early] = [progress.createListener(), progress.createListener()]
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

  it('shows only the wait of a single device', () => {
    const { shown, progress } = setup(1)
    progress.createListener()(wait(500))
    assert.deepEqual(shown, [{ kind: 'waiting', records: false, until: 500 }])
  })

  it('is unchanged by a request that never waited', () => {
    const { shown, progress } = setup(1)
    progress.createListener()(wait(null))
    assert.deepEqual(shown, [])
  })
})

describe('the status while missing records are fetched', () => {
  const devices = ['A', 'B', 'C'].map((one, index) => ({
    target: { serial: `${one}0000001`, base: '5839F001' },
    since: 1000 + index,
  }))
  const [, second, third] = devices

  it('counts the devices that had missing records, and those that have none any more', () => {
    const { shown, progress } = setup()
    progress.showFilling(NO_PROBLEMS, devices)
    progress.filled = 16_000
    progress.showFilling(NO_PROBLEMS, [
      { ...second, since: 900 },
      { ...third, since: 1001 },
    ] as typeof devices)
    progress.showFilling(NO_PROBLEMS, [])
    const filling = { kind: 'filling', total: 3, problems: NO_PROBLEMS }
    assert.deepEqual(shown, [
      { ...filling, done: 0, name: 'A0000001', records: 0, since: 1002 },
      { ...filling, done: 1, name: 'Freezer 2', records: 16_000, since: 1001 },
    ])
    assert.equal(progress.isFilling, false)
  })
})
