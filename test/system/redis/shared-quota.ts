/** Two complete Node-REDs that share the quota of one account through a Redis. */

import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { LogEntry, Simulator } from '../../../simulator'
import type { Message } from '../../support/flow-types'
import { root } from '../../support/package'
import { expectedOccupiedMs } from '../../support/quota/ideal-client'
import { accountId, type QuotaNode, quotaFlow } from '../../support/quota-flow'
import { until } from '../../support/wait'
import type { QuotaHarness } from './quota-harness'

/** Links the redis package into its user directory, instead of `npm install redis`. */
export function installClient({ nodeRed }: QuotaHarness): void {
  const modules = join(nodeRed.userDir, 'node_modules')
  mkdirSync(modules, { recursive: true })
  symlinkSync(join(root, 'node_modules', 'redis'), join(modules, 'redis'))
}

export interface SharedFlowOptions {
  simulator: Simulator
  address: string
  password?: string
  nodes: readonly QuotaNode[]
}

/** The same flow in each of them. */
export async function deployShared(
  harnesses: readonly QuotaHarness[],
  sharing: SharedFlowOptions,
): Promise<void> {
  await Promise.all(harnesses.map((harness) => harness.deploy(sharedFlow(harness, sharing))))
}

export function sharedFlow(
  { collector }: QuotaHarness,
  { simulator, address, password, nodes }: SharedFlowOptions,
) {
  const secret = password === undefined ? {} : { sharedQuotaPassword: password }
  // A refusal closes for at least the configured window: here it is the simulated one.
  const account = { sharedQuota: address, limits: JSON.stringify(simulator.options.limits) }
  return quotaFlow({ simulator, collector, nodes, account, ...secret })
}

/** The statuses of the account, oldest first: true if its shared store was disconnected. */
export function disconnections({ collector }: QuotaHarness, simulator: Simulator): boolean[] {
  const own = collector
    .box('statuses')
    .filter(({ status }: Message) => status.source.id === accountId(simulator))
  return own.map(({ status }) => status.text !== undefined)
}

/** Waits until each shows that the shared store is disconnected, or connected. */
export async function untilConnection(
  harnesses: readonly QuotaHarness[],
  simulator: Simulator,
  isDisconnected: boolean,
) {
  for (const harness of harnesses) {
    await until(
      `disconnected: ${isDisconnected}`,
      () => (disconnections(harness, simulator).at(-1) ?? false) === isDisconnected,
    )
  }
}

export interface LimitOfWindow {
  limit: number
  window: number
}

/**
 * Waits for the requests of several windows, and returns their share of the possible requests. Each permit can be used
 * again a window and a margin after its last use.
 */
export async function throughput(
  simulator: Simulator,
  { limit, window }: LimitOfWindow,
  windows: number,
): Promise<number> {
  const first = simulator.log.length
  const last = first + windows * limit
  await until(`${last} requests`, () => simulator.log.length > last)
  const [from, to] = [simulator.log[first], simulator.log[last]] as [LogEntry, LogEntry]
  return (windows * expectedOccupiedMs(window)) / (to.time - from.time)
}
