import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import {
  type PersistedLimiter,
  readPersistedLimiter,
  readPersistedQuota,
  toPersistedLimiter,
  toPersistedQuota,
} from '../../../../src/lib/quota/limiter-state'
import { createWindowLimiter } from '../../../../src/lib/quota/window-limiter'

const ROW = { limit: 10, windowSeconds: 60 }
const OCCUPIED_MS = 61_000
/** Offset from monotonic to wall time in the first process and in the next. */
const BEFORE = 1_795_000_000_000
const AFTER = 1_795_000_500_000

type WindowLimiter = ReturnType<typeof createWindowLimiter>

function use(limiter: WindowLimiter, at: number, amount = 1): void {
  limiter.reserve(`at ${at}`, amount, 0)
  limiter.commit(`at ${at}`, amount, at)
}

/** The state as it is written to a store. */
function save(limiter: WindowLimiter, now: number, toWallMs: number): PersistedLimiter | null {
  const state = limiter.getState(now)
  return state && toPersistedLimiter(state, toWallMs)
}

function load(limiter: WindowLimiter, saved: unknown, now: number, toWallMs: number): void {
  const state = readPersistedLimiter(saved, now, toWallMs)
  assert.ok(state)
  limiter.restore(state, now)
}

/** The next process: its monotonic clock started 500 s after that of the first. */
function next(saved: PersistedLimiter | null, now: number): WindowLimiter {
  const limiter = createWindowLimiter(ROW)
  assert.ok(saved)
  load(limiter, JSON.parse(JSON.stringify(saved)), now, AFTER)
  return limiter
}

describe('a limiter that is saved', () => {
  it('is nothing if nothing is known', () => {
    const limiter = createWindowLimiter(ROW)
    assert.equal(save(limiter, 0, BEFORE), null)
    use(limiter, 0)
    assert.notEqual(save(limiter, OCCUPIED_MS - 1, BEFORE), null)
    assert.equal(save(limiter, OCCUPIED_MS, BEFORE), null)
  })

  it('releases each entry in the next process when it would have been released', () => {
    const limiter = createWindowLimiter(ROW)
    use(limiter, 490_000)
    use(limiter, 500_000, 3)
    limiter.updateRemaining(4, 500_000, 0)
    const later = next(save(limiter, 501_000, BEFORE), 2000)
    assert.deepEqual(later.usage(2000), { own: 4, byOthers: 2 })
    assert.deepEqual(
      [51_000 - 1, 51_000, OCCUPIED_MS - 1, OCCUPIED_MS].map((at) => later.available(at)),
      [4, 5, 5, 10],
    )
  })

  it('counts what was in flight as used when the next process begins', () => {
    const limiter = createWindowLimiter(ROW)
    limiter.reserve('flying', 2, 0)
    const later = next(save(limiter, 400_000, BEFORE), 7000)
    assert.deepEqual(
      [later.inFlight(), later.available(7000 + OCCUPIED_MS - 1), later.available(7000 + OCCUPIED_MS)],
      [0, 8, 10],
    )
  })

  it('counts what lies in the future as used now: the clock was set back', () => {
    const limiter = createWindowLimiter(ROW)
    use(limiter, 500_000)
    limiter.updateRemaining(8, 500_000, 0)
    const saved = save(limiter, 500_000, BEFORE + 86_400_000)
    const later = next(saved, 7000)
    assert.deepEqual(
      [7000, 7000 + OCCUPIED_MS - 1, 7000 + OCCUPIED_MS].map((at) => later.available(at)),
      [8, 8, 10],
    )
  })

  it('stays in its cooldown, as long as it would have been', () => {
    const limiter = createWindowLimiter(ROW)
    limiter.throttle(500_000)
    const later = next(save(limiter, 500_100, BEFORE), 300)
    assert.deepEqual(
      [later.available(300), later.available(OCCUPIED_MS - 1), later.available(OCCUPIED_MS)],
      [0, 0, 10],
    )
  })

  it('keeps the limit that responses reported, whatever the table says', () => {
    const limiter = createWindowLimiter(ROW)
    for (let times = 0; times < 2; times++) limiter.updateLimit({ limit: 4, windowSeconds: 30 }, 0)
    assert.deepEqual(next(save(limiter, 0, BEFORE), 0).rateLimit(), { limit: 4, windowSeconds: 30 })
  })

  it('adds nothing that is known already, by its id', () => {
    const limiter = createWindowLimiter(ROW)
    use(limiter, 500_000)
    use(limiter, 500_500)
    limiter.reserve('flying', 3, 500_600)
    const saved = save(limiter, 500_600, BEFORE) as PersistedLimiter
    const later = createWindowLimiter(ROW)
    use(later, 1000)
    for (let count = 0; count < 3; count++) load(later, saved, 1000, AFTER)
    assert.equal(later.usage(1000).own, 1 + 2 + 3)
  })

  it('has no more available than before, whatever was used and however clocks were set back', () => {
    const instants = fc.array(fc.integer({ min: 0, max: 60_000 }), { maxLength: 12 })
    fc.assert(
      fc.property(instants, fc.nat(3), fc.nat(3), fc.nat(100_000), (at, flying, others, back) => {
        const limiter = createWindowLimiter({ limit: 20, windowSeconds: 60 })
        for (const one of [...at].sort((a, b) => a - b)) use(limiter, 500_000 + one)
        limiter.reserve('flying', flying, 0)
        const { own } = limiter.usage(560_000)
        limiter.updateRemaining(20 - own - others, 560_000, 0)
        const left = limiter.available(560_000)
        const later = createWindowLimiter({ limit: 20, windowSeconds: 60 })
        load(later, save(limiter, 560_000, BEFORE + back) ?? empty, 60_000, AFTER)
        assert.equal(later.available(60_000), left)
        for (const ms of [1000, 30_000, 59_999]) {
          assert.ok(later.available(60_000 + ms) <= limiter.available(560_000 + ms) + flying)
        }
      }),
    )
  })
})

/** Stores have held it since the first version: its names must not change. */
describe('the saved state of an account', () => {
  const at = BEFORE + 1000
  const ofLimiter = {
    own: [{ id: 'a process:0', at, amount: 2 }],
    foreign: [{ at, amount: 1 }],
    inFlight: [{ id: 'a process:1', amount: 1 }],
    refusedAt: at,
    told: { limit: 5, window: 60 },
  }
  const saved = {
    version: 2,
    endpoints: { current: ofLimiter },
    devices: { data: [['base/serial', { ...ofLimiter, refusedAt: null, told: null }]] },
    account: 'an account',
    run: 'a process',
  }
  const owner = { account: 'an account', processId: 'a process' }

  it('is read and written with the same names', () => {
    const read = readPersistedQuota(saved, owner.account, 2000, BEFORE)
    assert.equal(read?.processId, 'a process')
    assert.deepEqual(toPersistedQuota(read.state, owner, BEFORE), saved)
  })

  it('means what its names say', () => {
    const limiter = createWindowLimiter(ROW)
    limiter.restore(readPersistedLimiter(saved.endpoints.current, 2000, BEFORE) ?? assert.fail(), 2000)
    assert.deepEqual(limiter.usage(2000), { own: 3, byOthers: 1 })
    assert.deepEqual(
      [limiter.rateLimit(), limiter.cooldownUntil()],
      [{ limit: 5, windowSeconds: 60 }, 1000 + OCCUPIED_MS],
    )
  })

  it('is of no use to another account, or version', () => {
    assert.equal(readPersistedQuota(saved, 'another', 2000, BEFORE), undefined)
    assert.equal(readPersistedQuota({ ...saved, version: 1 }, owner.account, 2000, BEFORE), undefined)
  })
})

const empty: PersistedLimiter = { own: [], foreign: [], inFlight: [], refusedAt: null, told: null }
