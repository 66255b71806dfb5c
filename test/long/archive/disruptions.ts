/** Random disruptions during a run: of the service, of Node-RED and of the archive. */
import type { Fault, Simulator } from '../../../simulator'
import type { Random } from '../../support/chance'
import type { FlowNode, NodeRed } from '../../support/node-red'
import { until } from '../../support/wait'
import type { Archive } from './archive'
import type { FastClock } from './clock'

const HOUR = 3_600_000
const WAITING_MS = 600_000
/** Checks in succession without a new row, after which the archive counts as settled. */
const REQUIRED_CHECKS = 60

/** Faults that are always active. */
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

export const disruptionKinds = ['silence', 'outage', 'deploy', 'kill', 'unresponsive', 'lossy'] as const
export type DisruptionKind = (typeof disruptionKinds)[number]

interface Run {
  simulator: Simulator
  clock: FastClock
  archive: Archive
  nodeRed: NodeRed
  flow: readonly FlowNode[]
  random: Random
  /** ms of simulated time */
  longestSilence: number
  /** Deploys and kills happen only after everything sent was stored. */
  settlesFirst: boolean
}

/**
 * Causes the wanted disruptions in a random order, again and again until the time is over; returns how often each
 * occurred.
 */
export async function disrupt(run: Run, wanted: readonly DisruptionKind[]): Promise<Record<string, number>> {
  const { simulator, clock, random } = run
  const counts: Record<string, number> = {}
  do {
    for (const kind of random.shuffled(wanted)) {
      simulator.set({ faults: random.shuffled(always) })
      await passTime(clock, random.between(4 * HOUR, 16 * HOUR))
      await disruptions[kind](run)
      counts[kind] = (counts[kind] ?? 0) + 1
    }
  } while (!clock.isOver())
  // Failures have lengthened the poll interval; a deploy resets it.
  await disruptions.deploy(run)
  simulator.set({ faults: [] })
  return counts
}

const disruptions: Record<DisruptionKind, (run: Run) => Promise<void>> = {
  /** Requests are accepted but not answered. */
  async silence({ simulator, clock, random, longestSilence }) {
    simulator.set({ faults: [{ kind: 'silence' }] })
    await passTime(clock, random.between(HOUR, longestSilence))
  },
  /** Requests are answered with a failure. */
  async outage({ simulator, clock, random }) {
    const kind = random.next() < 0.5 ? 'drop' : 'status'
    simulator.set({ faults: [{ kind, ...(kind === 'status' && { status: 503 }) }] })
    await passTime(clock, random.between(HOUR, 12 * HOUR))
  },
  async deploy(run) {
    await settle(run)
    await run.nodeRed.deploy(run.flow)
  },
  async kill(run) {
    await settle(run)
    await run.nodeRed.stop('SIGKILL')
    await run.nodeRed.start()
  },
  /** The archive stores no rows and does not answer. */
  async unresponsive({ archive, clock, random }) {
    archive.state = 'unresponsive'
    await passTime(clock, random.between(HOUR, 10 * HOUR))
    archive.state = 'calm'
  },
  /** The archive loses some posts and some of its responses. */
  async lossy({ archive, clock, random }) {
    archive.state = 'lossy'
    await passTime(clock, random.between(HOUR, 10 * HOUR))
    archive.state = 'calm'
  },
}

function passTime(clock: FastClock, ms: number): Promise<unknown> {
  const end = clock.now() + ms
  return until('simulated time has passed', () => clock.isOver() || clock.now() >= end, WAITING_MS)
}

/**
 * Silences the service, so that nothing new is sent, and waits until the archive has stopped growing. Counts checks,
 * each after a response from Node-RED, so that it takes longer on a slow machine. The caller resets the faults.
 */
async function settle({ simulator, archive, nodeRed, settlesFirst }: Run): Promise<void> {
  if (!settlesFirst) return
  simulator.set({ faults: [{ kind: 'silence' }] })
  let size = -1
  let checks = 0
  const isStill = async () => {
    await (await fetch(`${nodeRed.url}/settings`)).text()
    const now = archive.size()
    checks = now === size ? checks + 1 : 0
    size = now
    return checks >= REQUIRED_CHECKS
  }
  await until('the archive does not grow', isStill, WAITING_MS)
}
