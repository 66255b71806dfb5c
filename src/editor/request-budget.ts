import { type ActionType, MAX_ALIGNED_SECONDS, MAX_SECONDS, nameOfType } from '../shared/action'
import type { ListedDevice } from '../shared/admin'
import { NODE_ENDPOINTS } from '../shared/node-endpoints'
import { OUTPUT_TRAITS, type Output } from '../shared/outputs'
import { isEnvVariable } from '../shared/schema'
import { type LimitedEndpoint, type LimitsTable, limitRow } from '../shared/service-limits'
import { type Chosen, isDevice } from './picker/choice'
import { findIncluded, findUnlisted } from './picker/device-tree'
import { type Form, listOf } from './red'

/** The settings of an action node, from its form or as saved. */
export type ActionConfig = Pick<Form, 'type'> & Record<string, unknown>

/** The devices of the account; `undefined` if they are unknown. */
type Devices = readonly ListedDevice[] | undefined

/** How the devices are selected. If this is an environment variable, they are as unknown as those of a message. */
export const selectOf = ({ select }: ActionConfig): unknown => (isEnvVariable(select) ? 'msg' : select)

/** The devices that a node requests; `undefined` if they are unknown. */
export function requestedDevices(
  node: ActionConfig,
  devices: Devices,
): { standalone: boolean }[] | undefined {
  const select = selectOf(node)
  const excluded = new Set(listOf(node.exclude))
  const chosen: Chosen[] = [
    ...(select === 'list' ? listOf<Chosen>(node.devices) : []),
    ...(select === 'list' || select === 'base' ? listOf<string>(node.bases).map((unit) => ({ unit })) : []),
    ...(select === 'group' ? listOf<string>(node.groups).map((group) => ({ group })) : []),
  ].filter((item) => !isDevice(item) || !excluded.has(item.serial))
  const isKnown = devices ? select !== 'msg' : select === 'list' && chosen.every(isDevice)
  if (!isKnown) return undefined
  const included = select === 'all' ? devices : findIncluded(devices ?? [], chosen)
  const listed = (included ?? []).filter(({ serial }) => !excluded.has(serial))
  const unlisted = findUnlisted(devices ?? [], chosen).filter(isDevice)
  return [...listed, ...unlisted.map(({ serial, base }) => ({ standalone: base === serial }))]
}

/**
 * Requests of one round, without further pages of a long period and backfills, by endpoint; `undefined` if the number
 * is unknown.
 */
function requestsOf(node: ActionConfig, devices: Devices): Map<LimitedEndpoint, number> | undefined {
  const endpoints = NODE_ENDPOINTS[nameOfType(node.type as ActionType)]
  if (!endpoints) return new Map([['current', 1]])
  const requests = new Map<LimitedEndpoint, number>()
  const requested = requestedDevices(node, devices)
  for (const { standalone } of requested ?? []) {
    const endpoint = standalone ? endpoints.standalone : endpoints.relay
    requests.set(endpoint, (requests.get(endpoint) ?? 0) + 1)
  }
  return requested && requests
}

const intervalOf = ({ repeat }: ActionConfig): number => Number(repeat) || 0

/** What the parameters of a node's request for current readings depend on. */
function requestOf(node: ActionConfig): string {
  const { format } = OUTPUT_TRAITS[(node.output ?? 'readings') as Output]
  const select = selectOf(node)
  // Devices that are known only at run time may be others for each node.
  if (select === 'msg') return String(node.id)
  const isFiltered = select === 'list' || select === 'base'
  return JSON.stringify([format, isFiltered && [node.devices, node.bases, node.exclude]])
}

/** Without the nodes that get each response from another one, because they run at the same times (docs/quota.md). */
function withoutSharing(nodes: readonly ActionConfig[]): ActionConfig[] {
  const sharing = nodes.filter(
    (node) =>
      node.type === 'envlog-current' && intervalOf(node) > 0 && intervalOf(node) <= MAX_ALIGNED_SECONDS,
  )
  const isServed = (node: ActionConfig) =>
    sharing.some((other) => {
      const isEarlier = sharing.indexOf(other) < sharing.indexOf(node)
      const isFirst =
        intervalOf(other) < intervalOf(node) || (intervalOf(other) === intervalOf(node) && isEarlier)
      return isFirst && intervalOf(node) % intervalOf(other) === 0 && requestOf(other) === requestOf(node)
    })
  return nodes.filter((node) => !(sharing.includes(node) && isServed(node)))
}

/** An interval that is easy to read, at least as long: seconds below 10 minutes, minutes below 10 hours, and so on. */
export function roundUp(seconds: number): number {
  for (const unit of [86_400, 3600, 60]) {
    const rounded = Math.ceil(seconds / unit) * unit
    if (seconds >= 10 * unit && rounded <= MAX_SECONDS) return rounded
  }
  return seconds
}

/** The share of the quota that a node needs. */
export interface Budget {
  /** Requests per round. */
  requests: number
  /** Minimum duration of a round, in seconds, because of the limits. */
  seconds: number
  /** Of the endpoints that this node needs, the one whose limit is used most by all nodes of the account together. */
  endpoint: LimitedEndpoint
  /** The share of its limit used by the node's own triggers; 0 if it does not repeat. */
  own: number
  /** The share of its limit used by the other nodes of the account. */
  others: number
  /** The share used by all nodes together. Those that get the response of another node use nothing. */
  together: number
  /**
   * The shortest interval in whole seconds at which all nodes together stay within the limits; `undefined` if the other
   * nodes use them up.
   */
  fittingRepeat: number | undefined
}

/**
 * @param others the other nodes of the account
 * @returns `undefined` if the number of requests is unknown
 */
export function toBudget(
  node: ActionConfig,
  others: readonly ActionConfig[],
  devices: Devices,
  limits: LimitsTable = {},
): Budget | undefined {
  const requests = requestsOf(node, devices)
  if (!requests) return undefined
  const budget: Budget = {
    requests: 0,
    seconds: 0,
    endpoint: 'current',
    own: 0,
    others: 0,
    together: 0,
    fittingRepeat: 0,
  }
  let repeat = 0
  for (const [endpoint, count] of requests) {
    const { limit, window } = limitRow(endpoint, limits)
    const secondsFor = (amount: number) => (amount * window) / limit
    const shareOf = (config: ActionConfig) => {
      const interval = intervalOf(config)
      return interval > 0 ? secondsFor(requestsOf(config, devices)?.get(endpoint) ?? 0) / interval : 0
    }
    const own = shareOf(node)
    const sumOf = (nodes: readonly ActionConfig[]) =>
      withoutSharing(nodes).reduce((sum, config) => sum + shareOf(config), 0)
    const rest = sumOf(others)
    const together = sumOf([node, ...others])
    if (together > budget.together) Object.assign(budget, { endpoint, own, others: rest, together })
    budget.requests += count
    if (count > limit) budget.seconds = Math.max(budget.seconds, Math.ceil(secondsFor(count)))
    repeat = Math.max(repeat, rest < 1 ? secondsFor(count) / (1 - rest) : Number.POSITIVE_INFINITY)
  }
  // Shares are sums of fractions, so a rounding error could turn 60 seconds into 61.
  const fittingRepeat = Math.ceil(Number(repeat.toPrecision(12)))
  return { ...budget, fittingRepeat: fittingRepeat <= MAX_SECONDS ? fittingRepeat : undefined }
}
