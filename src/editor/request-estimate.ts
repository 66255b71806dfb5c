import { MAX_SECONDS } from '../shared/action'
import type { ListedDevice } from '../shared/admin'
import { LIMITS, type LimitedEndpoint, type LimitRow, type LimitsTable } from '../shared/service-limits'

/** The settings of an action node that determine its requests. */
export interface ActionConfig {
  type: string
  select?: unknown
  devices?: unknown
  bases?: unknown
  groups?: unknown
  exclude?: unknown
  repeat?: unknown
}

/** Requests of one round over the chosen devices, by endpoint; `null` if the number is unknown. */
export type RequestEstimate = Partial<Record<LimitedEndpoint, number>> | null

const ENDPOINTS: Record<string, { standalone: LimitedEndpoint; relay: LimitedEndpoint }> = {
  'envlog-latest': { standalone: 'latest-data', relay: 'latest-data-relay' },
  'envlog-range': { standalone: 'data', relay: 'data-relay' },
  'envlog-alerts': { standalone: 'alert', relay: 'alert' },
}

/** Estimates the requests of one round, without further pages of a long period and backfills. */
export function estimateRequests(
  node: ActionConfig,
  devices: readonly ListedDevice[] | undefined,
): RequestEstimate {
  const endpoints = ENDPOINTS[node.type]
  if (!endpoints) return { current: 1 }
  const requested = requestedDevices(node, devices)
  if (!requested) return null
  const estimate: Partial<Record<LimitedEndpoint, number>> = {}
  for (const { standalone } of requested) {
    const endpoint = standalone ? endpoints.standalone : endpoints.relay
    estimate[endpoint] = (estimate[endpoint] ?? 0) + 1
  }
  return estimate
}

/** The number of devices that a node requests; `undefined` if it is unknown. */
export function countDevices(
  node: ActionConfig,
  devices: readonly ListedDevice[] | undefined,
): number | undefined {
  return requestedDevices(node, devices)?.length
}

function requestedDevices(
  { select, ...node }: ActionConfig,
  devices: readonly ListedDevice[] | undefined,
): { standalone: boolean }[] | undefined {
  const excluded = new Set(listOf<string>(node.exclude))
  if (select === 'msg') return undefined
  const bases = new Set(select === 'list' || select === 'base' ? listOf<string>(node.bases) : [])
  const groups = new Set(select === 'group' ? listOf<string>(node.groups) : [])
  const chosen = select === 'list' ? listOf<NamedDevice>(node.devices) : []
  const isIncluded = ({ base, group }: ListedDevice) =>
    bases.has(base.serial) || groups.has(group) || select === 'all'
  if (!devices && (select !== 'list' || bases.size > 0)) return undefined
  const included = devices?.filter((device) => !excluded.has(device.serial) && isIncluded(device)) ?? []
  const single = chosen.filter(({ serial, base }) => !excluded.has(serial) && !bases.has(base ?? ''))
  const named = single.flatMap((one) => devicesNamed(one, devices))
  return [...new Set([...included, ...named])]
}

/** A saved list; empty if the saved value is not a list. */
export function listOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? value : []
}

interface NamedDevice {
  serial: string
  base?: string
}

/** Without a base unit, a serial means the device under each of its base units. */
function devicesNamed(
  { serial, base }: NamedDevice,
  devices: readonly ListedDevice[] = [],
): { standalone: boolean }[] {
  const isNamed = (one: ListedDevice) =>
    one.serial === serial && (base ?? one.base.serial) === one.base.serial
  const listed = devices.filter(isNamed)
  return listed.length > 0 ? listed : [{ standalone: base === serial }]
}

/** The limits table for an account with these `limits`. */
export function limitsOf(limits: LimitsTable | undefined): Record<LimitedEndpoint, LimitRow> {
  const rows = Object.entries(LIMITS).map(([name, row]) => [
    name,
    { ...row, ...limits?.[name as LimitedEndpoint] },
  ])
  return Object.fromEntries(rows) as Record<LimitedEndpoint, LimitRow>
}

export interface Budget {
  /** Requests per round. */
  requests: number
  /** Minimum duration of a round, in seconds, because of the service's limits. */
  seconds: number
  /** Share of the limit used by the node's own triggers, for the endpoint that is used most; 0 without own triggers. */
  share: number
  endpoint: LimitedEndpoint
}

/** The cost of an estimate that recurs every `repeat` seconds; `undefined` if it has no requests. */
export function toBudget(
  estimate: RequestEstimate,
  repeat: number,
  rows: Record<LimitedEndpoint, LimitRow>,
): Budget | undefined {
  const costs = Object.entries(estimate ?? {}).map(([name, requests]) => {
    const endpoint = name as LimitedEndpoint
    const { limit, window } = rows[endpoint]
    return {
      ...{ endpoint, requests },
      seconds: requests > limit ? Math.ceil((requests / limit) * window) : 0,
      share: repeat > 0 ? (requests / repeat) * (window / limit) : 0,
    }
  })
  if (costs.length === 0) return undefined
  // With custom limits, the slowest endpoint need not be the most used one.
  const heaviest = costs.reduce((most, one) => (one.share > most.share ? one : most))
  const seconds = Math.max(...costs.map((one) => one.seconds))
  return { ...heaviest, seconds, requests: costs.reduce((sum, { requests }) => sum + requests, 0) }
}

/**
 * The shortest interval in whole seconds at which a node stays within the limits, together with the other nodes of its
 * account; `undefined` if these use them up.
 */
export function fittingRepeat(
  own: RequestEstimate,
  others: readonly ActionConfig[],
  devices: readonly ListedDevice[] | undefined,
  rows: Record<LimitedEndpoint, LimitRow>,
): number | undefined {
  const intervals = Object.entries(own ?? {}).map(([name, requests]) => {
    const endpoint = name as LimitedEndpoint
    const { limit, window } = rows[endpoint]
    const left = 1 - sumShares(endpoint, others, devices, rows)
    return left > 0 ? (requests * window) / limit / left : Number.POSITIVE_INFINITY
  })
  // Shares are sums of fractions: 60 seconds must not become 61 because of a rounding error.
  const seconds = Math.ceil(Number(Math.max(...intervals).toPrecision(12)))
  return seconds <= MAX_SECONDS ? seconds : undefined
}

/** Share of one endpoint's limit that nodes use together. */
function sumShares(
  endpoint: LimitedEndpoint,
  nodes: readonly ActionConfig[],
  devices: readonly ListedDevice[] | undefined,
  rows: Record<LimitedEndpoint, LimitRow>,
): number {
  const shares = nodes.map((node) => {
    const requests = estimateRequests(node, devices)?.[endpoint] ?? 0
    return toBudget({ [endpoint]: requests }, Number(node.repeat) || 0, rows)?.share ?? 0
  })
  return shares.reduce((sum, share) => sum + share, 0)
}

/** The highest share of a limit that the nodes of one account use together, among the endpoints that `own` needs. */
export function combineShares(
  own: RequestEstimate,
  nodes: readonly ActionConfig[],
  devices: readonly ListedDevice[] | undefined,
  rows: Record<LimitedEndpoint, LimitRow>,
): { share: number; endpoint: LimitedEndpoint } | undefined {
  const shares = Object.keys(own ?? {}).map((name) => {
    const endpoint = name as LimitedEndpoint
    return { endpoint, share: sumShares(endpoint, nodes, devices, rows) }
  })
  return shares.sort((one, other) => other.share - one.share)[0]
}
