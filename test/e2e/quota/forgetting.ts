/** What a store does not know: after a restart with one that forgets, and of another account. */
import assert from 'node:assert/strict'
import type { Simulator } from '../../../simulator'
import { accountId, quotaFlow } from '../../support/quota-flow'
import type { QuotaHall } from '../../support/quota-hall'
import { until } from '../../support/wait'

const RUN_MS = 60_000
const WINDOW = 5
/** Longer than Node-RED takes to start, on a busy machine too. */
const LONG_WINDOW = 15
const LIMITS = {
  'latest-data': { limit: 6, window: WINDOW },
  'latest-data-relay': { limit: 6, window: WINDOW },
  alert: { limit: 2, window: LONG_WINDOW },
}

export function forgettingTests(hall: QuotaHall): void {
  let simulator: Simulator

  it('is refused once at most by an endpoint after a restart with a store that forgets', async function () {
    this.timeout(RUN_MS)
    simulator = await hall.simulate({ devices: 60, limits: LIMITS, windows: 'sliding' })
    const devices = simulator.truth.devices().map(({ serial, base }) => ({ serial, base }))
    const standalone = devices.filter(({ serial, base }) => serial === base)
    const remote = devices.filter(({ serial, base }) => serial !== base)
    const ids = ['oblivious-1', 'oblivious-2', 'oblivious-3']
    await hall.deploy(
      quotaFlow({
        ...{ simulator, collector: hall.collector, account: { store: '', limits: JSON.stringify(LIMITS) } },
        nodes: [
          { id: 'oblivious-1', action: 'latest', devices: standalone },
          { id: 'oblivious-2', action: 'latest', devices: remote },
          { id: 'oblivious-3', action: 'alerts', devices: remote },
        ],
      }),
    )
    const endpoints = Object.entries(LIMITS).map(([name, { limit }]) => ({
      name: name as keyof typeof LIMITS,
      limit,
    }))
    const asked = (name: keyof typeof LIMITS) => simulator.counts()[name].total
    await hall.ask(...ids)
    await until('all limits are used up', () => endpoints.every(({ name, limit }) => asked(name) >= limit))
    const used = Object.fromEntries(endpoints.map(({ name }) => [name, asked(name)]))
    await hall.restart()
    await hall.ask(...ids)
    await until('it asks again', () =>
      endpoints.every(({ name, limit }) => asked(name) > Number(used[name]) + limit),
    )
    const { log } = simulator
    const refused = endpoints.map(
      ({ name }) => log.filter((entry) => entry.endpoint === name && entry.over).length,
    )
    assert.ok(
      refused.every((count) => count <= 1),
      `${refused}`,
    )
    assert.ok(refused.includes(1), 'it forgot nothing')
    const told = hall.collector.box('errors').filter(({ error }) => error.code === 'ENVLOG_QUOTA')
    assert.deepEqual(
      told.filter(({ error }) => ids.includes(error.source.id)),
      [],
    )
  })
  it('takes over nothing that another account spent, where a node stands for a new one', async function () {
    this.timeout(RUN_MS)
    const limits = { current: { limit: 1, window: 600 } }
    const [before, after] = [await hall.simulate({ limits }), await hall.simulate({ limits })]
    const flow = (simulator: Simulator, id: string) =>
      quotaFlow({
        ...{ simulator, collector: hall.collector },
        nodes: [{ id, action: 'current', settings: { wait: 0 } }],
      })
    await hall.deploy(flow(before, 'of-one'))
    await hall.ask('of-one')
    await until('it is answered', () => hall.collector.box('of-one').length > 0)
    // The same node, with the address of another service.
    const renamed = JSON.stringify(flow(after, 'of-another')).replaceAll(accountId(after), accountId(before))
    await hall.deploy(JSON.parse(renamed))
    await hall.ask('of-another')
    const told = () => hall.collector.box('errors').find(({ error }) => error.source.id === 'of-another')
    await until('it has ended', () => hall.collector.box('of-another').length > 0 || told() !== undefined)
    assert.equal(told(), undefined)
  })
}
