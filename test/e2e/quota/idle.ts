/** Waits until no request is in flight, or until everything is saved. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Simulator } from '../../../simulator'
import type { PersistedQuota } from '../../../src/lib/quota/limiter-state'
import { accountId } from '../../support/quota-flow'
import type { QuotaHarness } from '../../support/quota-harness'
import { until } from '../../support/wait'

/** If no request arrives for this time, all wait for quota. */
const IDLE_MS = 150
/** Difference of the clocks of two processes, rounded. */
const CLOCKS_MS = 10

export async function untilIdle(simulator: Simulator): Promise<void> {
  let seen = simulator.log.length
  let since = performance.now()
  await until('no more requests arrive', () => {
    if (simulator.log.length !== seen) since = performance.now()
    seen = simulator.log.length
    return performance.now() - since > IDLE_MS
  })
}

/**
 * Stops the process of Node-RED (SIGSTOP) when the store has written all that was spent: a power cut after that loses
 * nothing that was sent.
 */
export async function freezeWhenSaved({ nodeRed }: QuotaHarness, simulator: Simulator): Promise<void> {
  const file = join(nodeRed.userDir, 'context', accountId(simulator), 'flow.json')
  const isSaved = () => {
    const saved = savedIn(file)
    return saved !== undefined && areSaved(saved, simulator)
  }
  await until('the usage is saved on disk', async () => {
    if (!isSaved()) return false
    process.kill(nodeRed.pid, 'SIGSTOP')
    // What was sent just before arrives.
    await untilIdle(simulator)
    if (isSaved()) return true
    process.kill(nodeRed.pid, 'SIGCONT')
    return false
  })
}

/** Whether each request of the window has an entry in the file that is not older: what has expired may be there too. */
function areSaved({ endpoints }: PersistedQuota, { log, clock, options: { limits } }: Simulator): boolean {
  return Object.entries(limits).every(([name, { window }]) => {
    const since = clock.now() - window * 1000
    const sent = log.filter(({ endpoint, time }) => endpoint === name && time > since).toReversed()
    const { own = [], inFlight = [] } = endpoints[name as keyof typeof endpoints] ?? {}
    return sent.every(({ time }, newer) => {
      const entries = [...inFlight, ...own.filter(({ at }) => at > time - CLOCKS_MS)]
      return entries.reduce((sum, { amount }) => sum + amount, 0) > newer
    })
  })
}

function savedIn(file: string): PersistedQuota | undefined {
  if (!existsSync(file)) return undefined
  const { quota } = JSON.parse(readFileSync(file, 'utf8')) as { quota?: string }
  return quota === undefined ? undefined : JSON.parse(quota)
}
