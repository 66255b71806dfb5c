/** Usage that a store does not contain: after a restart without persistence, and of another account. */
import assert from 'node:assert/strict'
import type { Simulator } from '../../../simulator'
import { accountId, quotaFlow } from '../../support/quota-flow'
import type { QuotaHarness } from '../../support/quota-harness'
import { until } from '../../support/wait'

const RUN_MS = 60_000
const WINDOW = 5
/** Longer than Node-RED takes to start, also on a busy machine. */
const LONG_WINDOW = 15
const LIMITS = {
  'latest-data': { limit: 6, window: WINDOW },
  'latest-data-relay': { limit: 6, window: WINDOW },
  alert: { limit: 2, window: LONG_WINDOW },
}

export function unknownUsageTests(harness: QuotaHarness): void {
  let simulator: Simulator

  it('is refused at most once per endpoint after a restart without a persistent store', async function () {
    this.timeout(RUN_MS)
    simulator = await harness.simulate({ devices: 60, limits: LIMITS, windows: 'sliding' })
    const devices = simulator.truth.devices().map(({ serial, base }) => ({ serial, base }))
    const standalone = devices.filter(({ serial, base }) => serial === base)
    const remote = devices.filter(({ serial, base }) => serial !== base)
    const ids = ['oblivious-1', 'oblivious-2', 'oblivious-3']
    await harness.deploy(
      quotaFlow({
        ...{
          simulator,
          collector: harness.collector,
          account: { store: '', limits: JSON.stringify(LIMITS) },
        },
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
    const requestsOf = (name: keyof typeof LIMITS) => simulator.counts()[name].total
    await harness.trigger(...ids)
    await until('all limits are used up', () =>
      endpoints.every(({ name, limit }) => requestsOf(name) >= limit),
    )
    const used = Object.fromEntries(endpoints.map(({ name }) => [name, requestsOf(name)]))
    await harness.restart()
    await harness.trigger(...ids)
    await until('requests exceed the limit', () =>
      endpoints.every(({ name, limit }) => requestsOf(name) > Number(used[name]) + limit),
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
    const errors = harness.collector.box('errors').filter(({ error }) => error.code === 'ENVLOG_QUOTA')
    assert.deepEqual(
      errors.filter(({ error }) => ids.includes(error.source.id)),
      [],
    )
  })
  it('adopts no usage of another account if the node was changed to a new one', async function () {
    this.timeout(RUN_MS)
    const limits = { current: { limit: 1, window: 600 } }
    const [before, after] = [await harness.simulate({ limits }), await harness.simulate({ limits })]
    const flow = (simulator: Simulator, id: string) =>
      quotaFlow({
        ...{ simulator, collector: harness.collector },
        nodes: [{ id, action: 'current', settings: { wait: 0 } }],
      })
    await harness.deploy(flow(before, 'of-one'))
    await harness.trigger('of-one')
    await until('it is answered', () => harness.collector.box('of-one').length > 0)
    // The same node with the address of another service.
    const renamed = JSON.stringify(flow(after, 'of-another')).replaceAll(accountId(after), accountId(before))
    await harness.deploy(JSON.parse(renamed))
    await harness.trigger('of-another')
    const reportedError = () =>
      harness.collector.box('errors').find(({ error }) => error.source.id === 'of-another')
    await until(
      'it has ended',
      () => harness.collector.box('of-another').length > 0 || reportedError() !== undefined,
    )
    assert.equal(reportedError(), undefined)
  })
}
