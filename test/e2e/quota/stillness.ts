/** Moments at which a test may do something: nothing is on its way, everything is written. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Simulator } from '../../../simulator'
import type { PersistedQuota } from '../../../src/lib/quota/limiter-state'
import { accountId } from '../../support/quota-flow'
import type { QuotaHarness } from '../../support/quota-harness'
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

/** Resolves when the store has written what was spent last: it does so in its own time. */
export async function onTheDisk({ nodeRed }: QuotaHarness, simulator: Simulator): Promise<void> {
  await until('what was spent is on the disk', () => {
    const saved = savedIn(join(nodeRed.userDir, 'context', accountId(simulator), 'flow.json'))
    return saved && missing(saved, simulator) === 0
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
