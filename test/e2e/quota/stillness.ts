/** Moments at which a test may do something: nothing is on its way, everything is written. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Simulator } from '../../../simulator'
import type { PersistedQuota } from '../../../src/lib/quota/limiter-state'
import { accountId } from '../../support/quota-flow'
import type { QuotaHall } from '../../support/quota-hall'
import { until } from '../../support/wait'

/** So long nothing comes where all wait for quota. */
const LULL_MS = 150

export async function lull(simulator: Simulator): Promise<void> {
  let seen = simulator.log.length
  let since = performance.now()
  await until('nothing comes', () => {
    if (simulator.log.length !== seen) since = performance.now()
    seen = simulator.log.length
    return performance.now() - since > LULL_MS
  })
}

/**
 * Stops the process of Node-RED (SIGSTOP) when the store has written all that was spent: a power cut after that loses
 * nothing that was sent.
 */
export async function freezeWhenSaved({ nodeRed }: QuotaHall, simulator: Simulator): Promise<void> {
  const file = join(nodeRed.userDir, 'context', accountId(simulator), 'flow.json')
  const isSaved = () => {
    const saved = savedIn(file)
    return saved !== undefined && missing(saved, simulator) === 0
  }
  await until('what was spent is on the disk', async () => {
    if (!isSaved()) return false
    process.kill(nodeRed.pid, 'SIGSTOP')
    // What was sent just before arrives.
    await lull(simulator)
    if (isSaved()) return true
    process.kill(nodeRed.pid, 'SIGCONT')
    return false
  })
}

/** Requests of the window that are not in the file. */
function missing({ endpoints }: PersistedQuota, { log, clock, options: { limits } }: Simulator): number {
  const counts = Object.entries(limits).map(([name, { window }]) => {
    const since = clock.now() - window * 1000
    const sent = log.filter(({ endpoint, time }) => endpoint === name && time > since).length
    const { own = [], inFlight = [] } = endpoints[name as keyof typeof endpoints] ?? {}
    return Math.max(
      0,
      [...own, ...inFlight].reduce((rest, { amount }) => rest - amount, sent),
    )
  })
  return counts.reduce((sum, count) => sum + count, 0)
}

function savedIn(file: string): PersistedQuota | undefined {
  return existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { quota?: PersistedQuota }).quota
    : undefined
}
