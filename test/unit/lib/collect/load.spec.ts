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
