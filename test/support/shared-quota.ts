/** Two whole Node-REDs that share the quota of one account over a Redis. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { LogEntry, Simulator } from '../../simulator'
import type { Message } from './collector'
import { root } from './package'
import { type AskingNode, accountId, quotaFlow } from './quota-flow'
import type { QuotaHall } from './quota-hall'
import { until } from './wait'

/** As `npm install redis` in its user directory; not fetched anew. */
export function installClient({ nodeRed }: QuotaHall): void {
  const modules = join(nodeRed.userDir, 'node_modules')
  mkdirSync(modules, { recursive: true })
  symlinkSync(join(root, 'node_modules', 'redis'), join(modules, 'redis'))
}

export interface Sharing {
  simulator: Simulator
  address: string
  password?: string
  nodes: readonly AskingNode[]
}

/** The same flow in each of them. */
export async function deployShared(halls: readonly QuotaHall[], sharing: Sharing): Promise<void> {
  await Promise.all(halls.map((hall) => hall.deploy(sharedFlow(hall, sharing))))
}

export function sharedFlow({ collector }: QuotaHall, { simulator, address, password, nodes }: Sharing) {
  const secret = password === undefined ? {} : { sharedQuotaPassword: password }
  // A refusal closes for the configured window at least: here it is the simulated one.
  const account = { sharedQuota: address, limits: JSON.stringify(simulator.options.limits) }
  return quotaFlow({ simulator, collector, nodes, account, ...secret })
}

/** What the account showed, oldest first: true while its shared store was disconnected. */
export function awayIn({ collector }: QuotaHall, simulator: Simulator): boolean[] {
  const own = collector
    .box('statuses')
    .filter(({ status }: Message) => status.source.id === accountId(simulator))
  return own.map(({ status }) => status.text !== undefined)
}

/** Waits until each shows that the shared store is disconnected, or connected. */
export async function showsAway(halls: readonly QuotaHall[], simulator: Simulator, away: boolean) {
  for (const hall of halls) {
    await until(`away: ${away}`, () => (awayIn(hall, simulator).at(-1) ?? false) === away)
  }
}

/** How long a permit is occupied after the response (docs/quota.md), ms. */
export const released = (window: number) => window * 1000 + Math.min(1000, (window * 1000) / 50)

export interface Row {
  limit: number
  window: number
}

/**
 * Lets so many windows' requests come: the share of those that could have come meanwhile. Each permit is used
 * again a window and a margin after its last use, at the earliest.
 */
export async function throughput(
  simulator: Simulator,
  { limit, window }: Row,
  windows: number,
): Promise<number> {
  const first = simulator.log.length
  const last = first + windows * limit
  await until(`${last} requests`, () => simulator.log.length > last)
  const [from, to] = [simulator.log[first], simulator.log[last]] as [LogEntry, LogEntry]
  return (windows * released(window)) / (to.time - from.time)
}
