import assert from 'node:assert/strict'
import { Plant, type PlantOptions } from '../../../support/collect/plant'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A plant that was polled, and whose node was then away. @returns the number of its newest record before that */
async function beginAway(options: PlantOptions, hours: number) {
  const plant = new Plant(options)
  await plant.start()
  await plant.clock.pass(4 * MINUTE)
  plant.kill()
  const last = plant.last
  await plant.clock.pass(hours * HOUR)
  await plant.start()
  return { plant, last }
}

describe('missing records of many units', () => {
  it('are fetched by more than 1,000 pages an hour, even if a round takes longer than the interval', async function () {
    this.timeout(60_000)
    // A round takes more than three minutes.
    const { plant, last } = await beginAway({ units: 200 }, 22)
    await plant.clock.pass(12 * MINUTE)
    assert.deepEqual(
      [plant.pages.length, plant.missing(last + 1), plant.losses, plant.failures],
      [200, 0, 0, []],
    )
  })

  it('are fetched even if no round can poll all devices within Wait at most', async () => {
    const { plant, last } = await beginAway({ units: 70, wait: 0 }, 20)
    await plant.clock.pass(15 * MINUTE)
    assert.deepEqual([plant.pages.length, plant.missing(last + 1), plant.losses], [70, 0, 0])
    assert.ok(plant.failures.length > 5)
  })
})

/** Real numbers of records, a record a minute. */
const REAL = { newest: 300, keeps: 1500, intervalMs: MINUTE }
const STANDALONE = { ...REAL, isStandalone: true, keeps: 80_000 }

describe('a database that takes 500 rows a message', () => {
  it('gets all records after 20 hours, and its newest one is never older than 12 minutes', async () => {
    const { plant, last } = await beginAway({ ...REAL, units: 1, receiptTimeoutMs: MINUTE }, 20)
    plant.sink = (_unit, ids) => ids.length <= 500
    await plant.clock.pass(2 * MINUTE)
    const ages: number[] = []
    for (let minute = 0; minute < 60; minute++) {
      await plant.clock.pass(MINUTE)
      ages.push(plant.last - Math.max(...(plant.delivered[0] as number[])))
    }
    assert.ok(Math.max(...ages) <= 12, String(Math.max(...ages)))
    assert.deepEqual([plant.missing(last + 1), plant.losses], [0, 0])
  })

  it('gets all records even if the node is deployed while a page awaits its receipt', async () => {
    const { plant, last } = await beginAway({ ...REAL, units: 1, receiptTimeoutMs: MINUTE }, 20)
    plant.sink = (_unit, ids) => ids.length <= 500
    await plant.clock.pass(MINUTE / 2)
    await plant.redeploy('')
    await plant.clock.pass(HOUR)
    assert.deepEqual([plant.missing(last + 1), plant.losses], [0, 0])
  })
})

describe('a database that takes no missing records', () => {
  it('gets the new ones, and a warning says so once', async () => {
    const { plant } = await beginAway({ ...REAL, units: 1, receiptTimeoutMs: MINUTE }, 20)
    plant.sink = (_unit, _ids, isPage) => !isPage
    await plant.clock.pass(6 * HOUR)
    plant.kill()
    assert.deepEqual([plant.warnings, plant.losses], [['warnings.refused-page'], 0])
    assert.ok(plant.last - Math.max(...(plant.delivered[0] as number[])) <= 12)
  })
})

describe('a process that ends because of a page of more than 5,000 records', () => {
  it('ends so twice, and delivers all records', async function () {
    this.timeout(60_000)
    const { plant, last } = await beginAway({ ...STANDALONE, units: 1, receiptTimeoutMs: MINUTE }, 330)
    let crashes = 0
    plant.sink = (_unit, ids) => {
      if (ids.length <= 5000) return true
      crashes++
      const { clock } = plant
      clock.after(2000, () => plant.kill())
      clock.after(12_000, () => void plant.start())
      return false
    }
    await plant.clock.pass(HOUR)
    assert.deepEqual([crashes, plant.missing(last + 1)], [2, 0])
  })
})

describe('a kill during the import of many records', () => {
  it('delivers at most one page of each device twice', async function () {
    this.timeout(60_000)
    const responseMs = (isPage: boolean) => (isPage ? 4000 : 300)
    const { plant, last } = await beginAway({ ...STANDALONE, units: 3, responseMs }, 1000)
    await plant.clock.pass(27_000)
    plant.kill()
    const before = plant.delivered.map((ids) => ids.length)
    await plant.start()
    await plant.clock.pass(3 * MINUTE)
    const twice = plant.delivered.map((ids) => ids.length - new Set(ids).size)
    assert.ok(Math.min(...before) > 16_000 && Math.max(...twice) <= 16_000, `${before}, ${twice}`)
    assert.equal(plant.missing(last + 1), 0)
  })
})

describe('the state of a remote unit that is polled each minute', () => {
  it('has at most 200 bytes, so that those of 50 are less than 16 MB a day on the disk', async () => {
    const plant = new Plant({ ...REAL, units: 1 })
    await plant.clock.pass(320 * MINUTE)
    await plant.start()
    await plant.clock.pass(2 * MINUTE)
    const before = plant.disk.written()
    await plant.clock.pass(30 * MINUTE)
    const bytes = (plant.disk.written() - before) / 30
    plant.kill()
    assert.ok(bytes > 100 && bytes <= 200, String(bytes))
    assert.ok(50 * bytes * 1440 <= 16e6)
  })
})
