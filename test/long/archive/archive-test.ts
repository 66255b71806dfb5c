import assert from 'node:assert/strict'
import { type Simulator, startSimulator } from '../../../simulator'
import { createRandom, seed } from '../../support/chance'
import { startNodeRed } from '../../support/node-red'
import { firstRuntime } from '../../support/runtimes'
import { startArchive, whenCollected } from './archive'
import { fastClock } from './clock'
import { type DisruptionKind, disrupt } from './disruptions'
import { archiveFleet, type Lines, sizeOf, trueAlertLines, trueRecordLines } from './fleet'
import { archiveFlow } from './flow'

/** Simulated days; LONG_RUN_DAYS=30 takes a quarter of an hour. */
const days = Number(process.env.LONG_RUN_DAYS ?? 3)
/** One second of real time is two simulated hours. */
const SPEED = 7200
const DEVICES = 20
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Most records fetched from the range endpoints per stored row. Outages of the archive make nodes fetch again. */
const MAX_FETCHED = 4
const STARTING_MS = 300_000
const COLLECTED_MS = 600_000

type Advance = 'sent' | 'acknowledged'

/**
 * A test of some days with random faults, after which the archive must be complete.
 * @param wanted what happens besides single faults of the service
 */
export function testArchive(title: string, advance: Advance, wanted: readonly DisruptionKind[]): void {
  describe(`a run of ${days} days with ${DEVICES} devices and random faults`, function () {
    this.timeout(STARTING_MS + ((days * DAY) / SPEED) * 5 + COLLECTED_MS)
    const opened: (() => Promise<unknown>)[] = []

    afterEach(async () => {
      for (const close of opened.splice(0).reverse()) await close()
    })

    it(title, () => run(advance, wanted, opened))
  })
}

/** Runs an archive flow for some days, and compares the archive with what the devices have recorded. */
async function run(
  advance: Advance,
  wanted: readonly DisruptionKind[],
  opened: (() => Promise<unknown>)[],
): Promise<void> {
  const own = `${seed} ${advance}`
  const random = createRandom(own)
  // The end is in the past: records in the future are not part of this test.
  const end = Math.floor(Date.now() / 1000) * 1000 - DAY
  const from = end - days * DAY
  const clock = fastClock({ from, until: end, speed: SPEED })
  const fleet = archiveFleet(DEVICES, from, end)
  const faults: Record<string, number> = {}
  const onRequest = (request: { faults: readonly string[] }) => {
    for (const kind of request.faults) faults[kind] = (faults[kind] ?? 0) + 1
  }
  const simulator = await startSimulator({ clock, seed: own, limits: 'off', fleet, onRequest })
  opened.push(() => simulator.close())
  const nodeRed = await startNodeRed(firstRuntime)
  opened.push(() => nodeRed.stop('SIGKILL'))
  const archive = await startArchive(random)
  opened.push(() => archive.close())

  const flow = archiveFlow({ simulator, archive, since: from, advance })
  await nodeRed.deploy(flow)
  clock.begin()
  const longestSilence = Math.min(3 * DAY, (days * DAY) / 5)
  const settlesFirst = advance === 'sent'
  const parts = { simulator, clock, archive, nodeRed, flow, random, longestSilence, settlesFirst }
  const disruptions = await disrupt(parts, wanted)

  const expected = { records: trueRecordLines(simulator), alerts: trueAlertLines(fleet, clock.now()) }
  const size = sizeOf(expected.records) + sizeOf(expected.alerts)
  await whenCollected(archive, size, COLLECTED_MS)
  const fetched = fetchedFrom(simulator)
  console.log(`      ${advance}: ${JSON.stringify({ size, fetched, disruptions, faults })}`)
  // After an outage, the newest records come first.
  assertComplete(sorted(expected.records), sorted(archive.linesOf('records')))
  assertComplete(expected.alerts, archive.linesOf('alerts'))
  assert.ok(fetched > 0, 'no holes were filled')
  const most = MAX_FETCHED * size
  assert.ok(fetched < most, `${fetched} fetched for ${size} rows: stored records are fetched again`)
}

/** Records in responses of the range endpoints, delivered or not. */
function fetchedFrom(simulator: Simulator): number {
  const counts = simulator.counts()
  return counts.data.records + counts['data-relay'].records
}

const sorted = (lines: Lines): Lines =>
  Object.fromEntries(Object.entries(lines).map(([device, list]) => [device, list.toSorted()]))

/** Each line once and in the same order; a failure shows the first difference of each device. */
function assertComplete(expected: Lines, found: Lines): void {
  const differences = Object.entries(expected).flatMap(([device, lines]) => {
    const actual = found[device] ?? []
    const at = lines.findIndex((line, index) => line !== actual[index])
    return at < 0 ? [] : [`${device}: ${actual.slice(at, at + 2)} instead of ${lines.slice(at, at + 2)}`]
  })
  assert.deepEqual(differences, [])
  assert.equal(sizeOf(found), sizeOf(expected))
}
