import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runs } from '../../../support/chance'
import { knownAlerts, missingAlerts } from '../../../support/collect/alert-oracle'
import {
  type AlertAct,
  type AlertSimulation,
  createAlertSimulation,
  LOG_SIZE,
} from '../../../support/collect/alert-simulation'

const TIMEOUT = 600_000
/** Changes are written after this time. */
const WRITE_MS = 30_000
const numRuns = runs(2400)
const raise = fc.record({
  act: fc.constant('raise' as const),
  count: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 6 }) }, fc.integer({ min: 15, max: 45 })),
  apart: fc.constantFrom(0, 0, 1, 60),
})
const receipts: AlertAct[] = [0, 0, 1, 3].map((back) => ({ act: 'receipt', back }))
const quiet: AlertAct[] = [
  { act: 'deploy' },
  { act: 'pass', ms: WRITE_MS },
  { act: 'pass', ms: TIMEOUT },
  { act: 'pass', ms: TIMEOUT / 2 },
]
const forget: AlertAct = { act: 'forget' }
const plain: AlertAct = { act: 'trigger', fails: null, dies: false, lag: 0, meanwhile: [] }

/** The history of a node. */
function acts(more: AlertAct[], ends: readonly ('no-connection' | 'dies')[] = ['no-connection']) {
  // A request fails when its node has been deployed or its process has crashed.
  const during = more.filter(({ act }) => act !== 'deploy' && act !== 'crash')
  const trigger = fc.record({
    act: fc.constant('trigger' as const),
    fails: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.constantFrom(...ends)),
    dies: ends.includes('dies') ? fc.boolean() : fc.constant(false),
    lag: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: LOG_SIZE - 1 })),
    meanwhile: fc.array(fc.oneof(raise, fc.constantFrom(...during)), { maxLength: 2 }),
  })
  return fc.array(fc.oneof(raise, trigger, trigger, fc.constantFrom(...more)), {
    minLength: 2,
    maxLength: 25,
    size: 'max',
  })
}

const order = fc.constantFrom('newest first' as const, 'oldest first' as const)
const start = fc.constantFrom('now' as const, 'all' as const)

async function play(simulation: AlertSimulation, life: readonly AlertAct[]): Promise<AlertSimulation> {
  for (const act of life) await simulation.perform(act)
  return simulation
}

/** @throws if an alert is sent twice, missed, or lost without a report */
function check(simulation: AlertSimulation, begin: 'now' | 'all'): void {
  const known = knownAlerts(simulation, begin, false)
  for (const [index, entry] of simulation.journal.entries()) {
    const before = known(index - 1)
    if (entry.kind === 'completed') assert.deepEqual(missingAlerts(known(index)), [], 'overlooked')
    if (entry.kind !== 'delivered') continue
    assert.ok(entry.alerts.length > 0, 'no message without new alerts')
    assert.deepEqual(
      entry.alerts.filter((one) => before.delivered.has(one)),
      [],
      'twice',
    )
    assert.equal(new Set(entry.alerts).size, entry.alerts.length, 'twice in one message')
    const times = entry.alerts.map((one) => simulation.log[one]?.unixtime ?? 0)
    assert.deepEqual(times, times.toSorted(byNumber), 'oldest first')
    const isOverflow = before.before !== null && (before.upTo ?? 0) - before.before >= LOG_SIZE
    assert.equal(entry.isOverflow, isOverflow, 'whether older ones were lost')
  }
}

const byNumber = (a: number, b: number) => a - b

describe('new alerts of any log, polled at any time', () => {
  const checkAll = (life: fc.Arbitrary<AlertAct[]>) =>
    fc.assert(
      fc.asyncProperty(order, start, life, async (how, begin, given) => {
        check(await play(createAlertSimulation(how, begin), [...given, plain]), begin)
      }),
      { numRuns },
    )

  it('are sent once, all of the log, with overflow if some were lost', () => checkAll(acts(quiet)))
  it('are sent again after the node has forgotten them', () => checkAll(acts([...quiet, forget])))
  it('are sent twice after a crash only if they were delivered after the last write', () =>
    checkAll(acts([...quiet, { act: 'crash', older: 0 }, { act: 'crash', older: 2 }], ['dies'])))
})

describe('alerts to be acknowledged', () => {
  const storing: AlertAct[] = [{ act: 'pass', ms: TIMEOUT }]
  for (let round = 0; round < 3; round++) storing.push(plain, { act: 'receipt', back: 0 })

  const checkAll = (life: fc.Arbitrary<AlertAct[]>) =>
    fc.assert(
      fc.asyncProperty(order, start, life, async (how, begin, given) => {
        const simulation = await play(createAlertSimulation(how, begin, TIMEOUT), [...given, ...storing])
        const known = knownAlerts(simulation, begin, true)
        assert.deepEqual(missingAlerts(known(simulation.journal.length - 1)), [], 'lost')
      }),
      { numRuns },
    )

  it('are not lost in any order of triggers, receipts, failures and deploys', () =>
    checkAll(acts([...receipts, ...quiet])))
  it('are not lost if the process dies at any step', () =>
    checkAll(acts([...receipts, ...quiet, { act: 'crash', older: 0 }], ['dies'])))
  it('are sent again after they were forgotten, regardless of later receipts', () =>
    checkAll(acts([...receipts, ...quiet, forget])))
})

describe('a log entry without any texts', () => {
  it('causes no message, and no receipt to wait for', async () => {
    const simulation = createAlertSimulation('oldest first', 'all', TIMEOUT)
    simulation.log.push({ unixtime: 1_795_161_600, channels: { ch1: ' ' } })
    await play(simulation, [plain])
    assert.deepEqual(
      simulation.journal.map(({ kind }) => kind),
      ['requested', 'answered', 'completed'],
    )
  })
})
