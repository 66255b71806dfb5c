/** Many nodes on many devices of one account, with deploys and a power cut. */
import assert from 'node:assert/strict'
import type { EndpointName, Simulator } from '../../../simulator'
import { type DeviceMessage, quotaFlow } from '../../support/quota-flow'
import type { QuotaHarness } from '../../support/quota-harness'
import { until } from '../../support/wait'
import {
  type BusyAccount,
  createBusyAccount,
  createTally,
  gapsIn,
  SHORT_LIMITS,
  timesFull,
} from './busy-account'
import { freezeWhenSaved } from './idle'

const RUN_MS = 90_000
/** Requests between two disruptions. */
const A_FEW = 80

export function loadTests(harness: QuotaHarness, windows: 'fixed' | 'sliding'): void {
  let simulator: Simulator
  let crowd: BusyAccount
  /** Positions of deploys and power cuts in the log of the service. */
  const parts: number[] = []

  before('starts a service with 80 devices', async () => {
    const limits = { limits: SHORT_LIMITS, windows, windowPhase: 0.7 }
    simulator = await harness.simulate({ devices: 80, seed: windows, logSize: 10_000, ...limits })
    crowd = createBusyAccount(simulator)
  })

  const flow = (change: Record<string, unknown> = {}) =>
    quotaFlow({
      ...{ simulator, collector: harness.collector, account: { store: 'file', concurrency: 4 } },
      nodes: crowd.nodes.map((node) => (node.id === 'latest-1' ? { ...node, settings: change } : node)),
    })
  const go = async () => {
    parts.push(simulator.log.length)
    await harness.trigger(...crowd.ids)
  }
  const more = () => {
    const from = simulator.log.length
    return until(`${A_FEW} requests`, () => simulator.log.length - from >= A_FEW)
  }

  it('serves every device of every node, across deploys and a power cut', async function () {
    this.timeout(RUN_MS)
    const { pid } = harness.nodeRed
    await harness.deploy(flow())
    await go()
    await more()
    await harness.deploy(flow())
    await go()
    await more()
    await freezeWhenSaved(harness, simulator)
    await harness.restart()
    assert.notEqual(harness.nodeRed.pid, pid)
    const unserved = createTally(harness, crowd)
    await go()
    await more()
    await harness.deploy(flow({ time: 'local' }))
    await go()
    await until('all devices are served', () => unserved().length === 0, RUN_MS / 2).catch(() => {
      assert.deepEqual(unserved(), [])
    })
  })

  it('sends no request over a limit, even if limits are used up again and again', () => {
    const { log } = simulator
    assert.deepEqual(
      log.filter(({ over, status }) => over || status === 429),
      [],
    )
    for (const [endpoint, { limit, window }] of Object.entries(SHORT_LIMITS)) {
      assert.ok(timesFull(log, endpoint, window, limit) > 1, `${endpoint} was never used up`)
    }
  })

  it('let no node wait more than twice its fair share', () => {
    const gaps = parts.flatMap((from, at) => gapsIn(simulator.log.slice(from, parts[at + 1]), crowd))
    assert.ok(gaps.length > 30, `${gaps.length}`)
    const waited = gaps.filter(({ others }) => others > 0)
    assert.ok(waited.length > gaps.length / 2, 'they took turns')
    for (const { waiting, others, node } of gaps) {
      assert.ok(others <= 2 * waiting - 1, `${node}: ${others} others between two of its own, of ${waiting}`)
    }
  })

  it('reports the quota of the service with each message', () => {
    const messages = crowd.ids.flatMap((id) => harness.collector.box(id) as DeviceMessage[])
    assert.ok(messages.length > 300, `${messages.length}`)
    for (const { envlog } of messages) {
      const { limit, window } = SHORT_LIMITS[envlog.endpoint as EndpointName]
      const { remaining, recordsRemaining, ...limits } = envlog.quota
      assert.deepEqual(limits, { limit, windowSeconds: window })
      assert.ok(Number.isInteger(remaining) && Number(remaining) >= 0 && Number(remaining) < limit)
      assert.equal(recordsRemaining !== null, envlog.endpoint.startsWith('data'))
    }
  })

  it('reports no failures except for devices that have no such data', () => {
    const errors = harness.collector.box('errors').map(({ error }) => error)
    const unexpected = errors.filter(({ code, cause, source }) =>
      code === 'ENVLOG_SERVICE' ? crowd.hasData(source.id, cause.serial) : code !== 'ENVLOG_CLOSED',
    )
    assert.deepEqual(unexpected, [])
  })
}
