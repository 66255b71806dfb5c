import assert from 'node:assert/strict'
import { HolePages } from '../../../../src/lib/collect/hole-pages'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Lets the pages of a hole fail as soon as they are requested. @returns their sizes and the pauses, minutes */
function failUntilHopeless(pages: HolePages, restart = (one: HolePages) => one) {
  const failures: [number, number][] = []
  for (let now = 0; !pages.isHopeless(now); now += pages.left(now)) {
    const { number } = pages
    pages.failed(number, now)
    assert.equal(pages.left(now + pages.left(now)), 0)
    failures.push([number, pages.left(now) / MINUTE])
    pages = restart(pages)
  }
  return failures
}

const HALVED = [16_000, 8000, 4000, 2000, 1000, 500].map((number) => [number, 10])
const SMALLEST = [10, 20, 40, 80, 160, 320, 640, 1280].map((minutes) => [300, minutes])

describe('a page of missing records that does not arrive', () => {
  it('has half the records after 10 minutes, then 20, 40 … minutes of pause, and is hopeless after a day', () => {
    assert.deepEqual(failUntilHopeless(new HolePages()), [...HALVED, ...SMALLEST])
  })

  it('is not hopeless because a database does not confirm it, even if the service fails once after a long pause', () => {
    const pages = new HolePages()
    let now = 0
    const pass = () => {
      now += pages.left(now)
    }
    for (let count = 0; count < 12; count++, pass()) pages.failed(300, now, 'unconfirmed')
    assert.ok(pages.isRefused)
    pages.failed(300, now)
    assert.equal(pages.left(now), DAY)
    assert.deepEqual([pages.isRefused, pages.isHopeless(now)], [false, false])
  })

  it('does not begin anew after a restart', () => {
    const restart = (pages: HolePages) => new HolePages(JSON.parse(JSON.stringify(pages.toSave())))
    assert.deepEqual(failUntilHopeless(new HolePages(), restart), failUntilHopeless(new HolePages()))
  })

  it('is requested at once after a deploy, and after its next failures with the same pauses as at first', () => {
    const pages = new HolePages()
    for (const now of [0, 1, 2]) pages.failed(300, now)
    pages.endPause()
    const pauses = [pages.left(2)]
    for (const now of [3, 4]) {
      pages.failed(300, now)
      pauses.push(pages.left(now) / MINUTE)
    }
    assert.deepEqual(pauses, [0, 10, 20])
  })

  it('is not hopeless before the third failure of the smallest one, however long that takes', () => {
    const pages = new HolePages()
    const hopeless = [600, 300, 300, 300].map((records, day) => {
      pages.failed(records, 2 * day * DAY)
      return pages.isHopeless(2 * day * DAY)
    })
    assert.deepEqual(hopeless, [false, false, false, true])
  })

  it('is hopeless only after three failures of the service in a row: one that is sent, but not confirmed, ends them', () => {
    const pages = new HolePages()
    const causes = [undefined, undefined, 'unconfirmed', undefined, undefined, undefined] as const
    const hopeless = causes.map((cause, day) => {
      pages.failed(300, day * DAY, cause)
      return pages.isHopeless(day * DAY)
    })
    assert.deepEqual(hopeless, [false, false, false, false, false, true])
  })

  it('has half the records that it had', () => {
    const pages = new HolePages()
    pages.failed(901, 0)
    assert.equal(pages.number, 450)
  })

  it('is doubled by ten in a row that arrive, and then nothing is saved', () => {
    const pages = new HolePages()
    pages.failed(16_000, 0)
    const arrive = (count: number) => {
      for (let index = 0; index < count; index++) pages.arrived()
      return pages.number
    }
    assert.deepEqual([arrive(9), arrive(1), pages.toSave()], [8000, 16_000, undefined])
    for (let failures = 0; failures < 2; failures++) pages.failed(pages.number, 0)
    arrive(9)
    pages.failed(4000, 0)
    assert.deepEqual([arrive(9), arrive(1)], [2000, 4000])
  })

  it('waits no longer than its pause if the clock was ahead', () => {
    const pages = new HolePages()
    pages.failed(16_000, 365 * DAY)
    assert.equal(pages.left(0), 10 * MINUTE)
  })
})

describe('the smallest page of missing records', () => {
  it('warns users after it was not confirmed three times in a row', () => {
    const pages = new HolePages()
    const warns = [1, 2, 3].map(() => {
      pages.failed(300, 0, 'unconfirmed')
      return pages.isRefused
    })
    assert.deepEqual(warns, [false, false, true])
  })

  it('is not given up within a day, however often it fails', () => {
    const pages = new HolePages()
    const hopeless = [0, 0.3, 0.6, 0.9, 1].map((day) => {
      pages.failed(300, (10 + day) * DAY)
      return pages.isHopeless((10 + day) * DAY)
    })
    assert.deepEqual(hopeless, [false, false, false, false, true])
  })

  it('is given up after a day, also if the clock was set back meanwhile', () => {
    const pages = new HolePages()
    for (const day of [10, 0, 1]) pages.failed(300, day * DAY)
    assert.equal(pages.isHopeless(DAY), true)
  })
})

describe('a page of missing records that contradicts its neighbour', () => {
  it('is accepted at the third such failure in a row', () => {
    const pages = new HolePages()
    const accepts = [true, false, true, true].map((isContradicted) => {
      pages.failed(300, 0, isContradicted ? 'contradicted' : undefined)
      return pages.acceptsContradiction
    })
    assert.deepEqual(accepts, [false, false, false, true])
  })
})
