/** Statuses and errors of nodes that wait for quota, and which nodes wait for others. */

import assert from 'node:assert/strict'
import type { Simulator } from '../../../simulator'
import { catalogOf } from '../../support/built'
import type { Message } from '../../support/flow-types'
import { type DeviceMessage, quotaFlow } from '../../support/quota-flow'
import type { QuotaHarness } from '../../support/quota-harness'
import { until } from '../../support/wait'
import { untilIdle } from './idle'

const RUN_MS = 40_000
const ALERT = { limit: 4, window: 2 }
const RELAY = { limit: 10, window: 2 }

export function waitTests(harness: QuotaHarness): void {
  let simulator: Simulator
  let remotes: { serial: string; base: string }[]

  before('starts a service with 600 devices', async () => {
    const limits = { alert: ALERT, 'latest-data-relay': RELAY }
    simulator = await harness.simulate({ devices: 600, limits })
    remotes = simulator.truth
      .devices()
      .filter(({ endpoints }) => endpoints.includes('latest-data-relay') && endpoints.includes('alert'))
      .map(({ serial, base }) => ({ serial, base }))
  })

  const deploy = (...asking: Parameters<typeof quotaFlow>[0]['nodes'][number][]) =>
    harness.deploy(quotaFlow({ simulator, collector: harness.collector, nodes: asking }))
  const statusesOf = (id: string) =>
    harness.collector
      .box('statuses')
      .flatMap(({ status }: Message) => (status.source.id === id ? [status] : []))

  it('shows its progress and when it will be done, while it waits', async function () {
    this.timeout(RUN_MS)
    const six = remotes.slice(0, 6)
    await deploy({ id: 'shown', action: 'alerts', devices: six })
    const from = Date.now()
    await harness.trigger('shown')
    await until('it is done', () => harness.collector.box('done-shown').length > 0)
    const to = Date.now() + ALERT.window * 1000
    const words = catalogOf(harness.runtime.lang).get('status.waiting-round')
    const pattern = new RegExp(`^${String(words).replace(/__(\w+)__/g, '(?<$1>[\\d:]+)')}$`)
    const endOf = (text: string) => {
      assert.match(text, pattern)
      return pattern.exec(text)?.groups ?? {}
    }
    const waiting = statusesOf('shown').filter(({ fill }) => fill === 'yellow')
    assert.ok(waiting.length > 0)
    for (const { text, shape } of waiting) {
      assert.equal(shape, 'ring')
      const { done, total, time } = endOf(text)
      assert.ok(Number(done) <= ALERT.limit && Number(total) === 6, text)
      const [hour, minute] = String(time).split(':').map(Number)
      assert.ok(minutesBetween(from, to).includes(`${hour}:${minute}`), text)
    }
    assert.equal(endOf(waiting.at(-1)?.text).done, '4')
    assert.equal(statusesOf('shown').at(-1)?.fill, 'green')
  })

  it('reports to a Catch node when to try again, if it may not wait', async function () {
    this.timeout(RUN_MS)
    const five = remotes.slice(0, ALERT.limit + 1)
    simulator.set({ faults: [{ kind: 'delay', delay: 100 }] })
    await deploy({ id: 'hasty', action: 'alerts', devices: five, settings: { wait: 0 } })
    const failure = () =>
      harness.collector.box('errors').find(({ error }) => error.source.id === 'hasty')?.error
    await harness.trigger('hasty')
    const error = await until('an error', failure)
    assert.equal(error.code, 'ENVLOG_QUOTA')
    assert.equal(error.cause.endpoint, 'alert')
    const inMs = Date.parse(error.cause.retryAt) - Date.now()
    assert.ok(inMs > -1000 && inMs <= ALERT.window * 1020, error.cause.retryAt)
    assert.match(error.message, /^ENVLOG_QUOTA: .*\d\d:\d\d/)
    assert.deepEqual([statusesOf('hasty').at(-1)?.fill, statusesOf('hasty').at(-1)?.shape], ['red', 'ring'])
    // The reported time is right: the request is sent then.
    await until('the time of the retry', () => Date.now() >= Date.parse(error.cause.retryAt))
    const before = harness.collector.box('hasty').length
    await harness.trigger('hasty')
    await until('its message arrives', () => harness.collector.box('hasty').length > before)
    assert.equal(simulator.counts().alert.over, 0)
  })

  it('does not delay a node with one device for another with 300', async function () {
    this.timeout(RUN_MS)
    simulator.set({ faults: [] })
    const [one, ...others] = remotes.slice(0, 301)
    assert.equal(others.length, 300)
    await deploy(
      { id: 'many', action: 'latest', devices: others },
      { id: 'single', action: 'latest', devices: one ? [one] : [] },
    )
    const relay = () => simulator.log.filter(({ endpoint }) => endpoint === 'latest-data-relay')
    await harness.trigger('many')
    await until('the limit is used up', () => relay().length >= RELAY.limit)
    await untilIdle(simulator)
    const before = relay().length
    await harness.trigger('single')
    await until('the single device is served', () => harness.collector.box('single').length > 0)
    const turn = relay().findIndex(({ params }) => params['remote-serial'] === one?.serial)
    assert.ok(turn - before <= 3, `${turn - before} of the other node went first`)
    assert.deepEqual(
      (harness.collector.box('single') as DeviceMessage[]).map(({ serials }) => serials),
      [[one?.serial]],
    )
    const { total, over } = simulator.counts()['latest-data-relay']
    assert.ok(total < 50, 'the other node was not done')
    assert.equal(over, 0)
  })
}

/** All times `hour:minute` from one time to another, UTC. */
function minutesBetween(from: number, to: number): string[] {
  const minutes: string[] = []
  for (let at = Math.floor(from / 60_000); at <= to / 60_000; at++) {
    const date = new Date(at * 60_000)
    minutes.push(`${date.getUTCHours()}:${date.getUTCMinutes()}`)
  }
  return minutes
}
