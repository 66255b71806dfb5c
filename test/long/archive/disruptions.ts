/** Random disruptions during a run: of the service, of Node-RED and of the archive. */
import type { Fault, Simulator } from '../../../simulator'
import type { Random } from '../../support/chance'
import type { FlowNode } from '../../support/node-red'
import type { Restarting } from '../../support/restarting'
import { until } from '../../support/wait'
import type { Archive } from './archive'
import type { FastClock } from './clock'

const HOUR = 3_600_000
const WAITING_MS = 600_000
/** In succession, without a new row in between. */
const MAX_CHECKS = 60

/** Permanently, for any request. */
const always: Fault[] = [
  { kind: 'drop', probability: 0.02 },
  { kind: 'dropMidBody', probability: 0.01 },
  { kind: 'status', status: 500, probability: 0.01 },
  { kind: 'status', status: 503, probability: 0.02 },
  { kind: 'status', status: 429, probability: 0.01 },
  { kind: 'brokenJson', probability: 0.02 },
  { kind: 'truncatedJson', probability: 0.01 },
  { kind: 'html', probability: 0.005 },
  { kind: 'errorWith200', probability: 0.005 },
]

export const disruptionKinds = ['silence', 'outage', 'deploy', 'kill', 'hidden', 'disturbed'] as const
export type DisruptionKind = (typeof disruptionKinds)[number]

interface Run {
  simulator: Simulator
  clock: FastClock
  archive: Archive
  nodeRed: Restarting
  flow: readonly FlowNode[]
  random: Random
  /** ms of simulated time */
  longestSilence: number
  /** Deploys and kills happen only after everything sent was stored. */
  settled: boolean
}

/**
 * Draws them in a different order each time, until the time is over and each has occurred; returns how often each
 * occurred.
 */
export async function disrupt(run: Run, wanted: readonly DisruptionKind[]): Promise<Record<string, number>> {
  const { simulator, clock, random } = run
  const counts: Record<string, number> = {}
  do {
    for (const kind of random.shuffled(wanted)) {
      simulator.set({ faults: random.shuffled(always) })
      await pass(clock, random.between(4 * HOUR, 16 * HOUR))
      await disruptions[kind](run)
      counts[kind] = (counts[kind] ?? 0) + 1
    }
  } while (!clock.isOver())
  // A deploy resets the poll interval.
  await disruptions.deploy(run)
  simulator.set({ faults: [] })
  return counts
}

const disruptions: Record<DisruptionKind, (run: Run) => Promise<void>> = {
  /** Requests are accepted but not answered. */
  async silence({ simulator, clock, random, longestSilence }) {
    simulator.set({ faults: [{ kind: 'silence' }] })
    await pass(clock, random.between(HOUR, longestSilence))
  },
  /** Requests are answered with a failure. */
  async outage({ simulator, clock, random }) {
    const kind = random.next() < 0.5 ? 'drop' : 'status'
    simulator.set({ faults: [{ kind, ...(kind === 'status' && { status: 503 }) }] })
    await pass(clock, random.between(HOUR, 12 * HOUR))
  },
  async deploy(run) {
    await settle(run)
    await run.nodeRed.deploy(run.flow)
  },
  async kill(run) {
    await settle(run)
    await run.nodeRed.kill()
    await run.nodeRed.start()
  },
  async hidden({ archive, clock, random }) {
    archive.state = 'hidden'
    await pass(clock, random.between(HOUR, 10 * HOUR))
    archive.state = 'calm'
  },
  async disturbed({ archive, clock, random }) {
    archive.state = 'disturbed'
    await pass(clock, random.between(HOUR, 10 * HOUR))
    archive.state = 'calm'
  },
}

function pass(clock: FastClock, ms: number): Promise<unknown> {
  const end = clock.now() + ms
  return until('simulated time has passed', () => clock.isOver() || clock.now() >= end, WAITING_MS)
}

/**
 * Waits until nothing is in transit to the archive, even during requests. Counts checks, each after a response from
 * Node-RED, so that it takes longer on a slow machine.
 */
async function settle({ simulator, archive, nodeRed, settled }: Run): Promise<void> {
  if (!settled) return
  simulator.set({ faults: [{ kind: 'silence' }] })
  let size = -1
  let checks = 0
  const isStill = async () => {
    await (await fetch(`${nodeRed.url()}/settings`)).text()
    const now = archive.size()
    checks = now === size ? checks + 1 : 0
    size = now
    return checks >= MAX_CHECKS
  }
  await until('the archive does not grow', isStill, WAITING_MS)
}
