import { MAX_SECONDS } from '../shared/action'
import type { ListedDevice } from '../shared/admin'
import { LIMITS, type LimitedEndpoint, type LimitsTable } from '../shared/service-limits'

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

/** The devices of the account; `undefined` if they are unknown. */
type Devices = readonly ListedDevice[] | undefined

/** The number of devices that a node requests; `undefined` if it is unknown. */
export function countDevices(node: ActionConfig, devices: Devices): number | undefined {
  return requestedDevices(node, devices)?.length
}

function requestedDevices(
  { select, ...node }: ActionConfig,
  devices: Devices,
): { standalone: boolean }[] | undefined {
  const excluded = new Set(listOf<string>(node.exclude))
  const bases = new Set(select === 'list' || select === 'base' ? listOf<string>(node.bases) : [])
  const groups = new Set(select === 'group' ? listOf<string>(node.groups) : [])
  const named = (select === 'list' ? listOf<NamedDevice>(node.devices) : []).filter(
    ({ serial }) => !excluded.has(serial),
  )
  const isKnown = devices ? select !== 'msg' : select === 'list' && bases.size === 0
  if (!isKnown) return undefined
  const listed = (devices ?? []).filter(
    (device) =>
      !excluded.has(device.serial) &&
      (select === 'all' ||
        bases.has(device.base.serial) ||
        groups.has(device.group?.name ?? '') ||
        named.some((wanted) => isSame(wanted, device))),
  )
  const unlisted = named.filter(
    (wanted) => !bases.has(wanted.base ?? '') && !devices?.some((device) => isSame(wanted, device)),
  )
  return [...listed, ...unlisted.map(({ serial, base }) => ({ standalone: base === serial }))]
}

/** A saved list; empty if the saved value is not a list. */
export function listOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? value : []
}

/** A device as specified by a user; without `base`, the device under each base unit that has the serial. */
interface NamedDevice {
  serial: string
  base?: string
}

function isSame({ serial, base }: NamedDevice, device: ListedDevice): boolean {
  return serial === device.serial && (base ?? device.base.serial) === device.base.serial
}

const ENDPOINTS: Record<string, { standalone: LimitedEndpoint; relay: LimitedEndpoint }> = {
  'envlog-latest': { standalone: 'latest-data', relay: 'latest-data-relay' },
  'envlog-range': { standalone: 'data', relay: 'data-relay' },
  'envlog-alerts': { standalone: 'alert', relay: 'alert' },
}

/**
 * Requests of one round, without further pages of a long period and backfills, by endpoint; `undefined` if the number
 * is unknown.
 */
function requestsOf(node: ActionConfig, devices: Devices): Map<LimitedEndpoint, number> | undefined {
  const endpoints = ENDPOINTS[node.type]
  if (!endpoints) return new Map([['current', 1]])
  const requested = requestedDevices(node, devices)
  const requests = new Map<LimitedEndpoint, number>()
  for (const { standalone } of requested ?? []) {
    const endpoint = standalone ? endpoints.standalone : endpoints.relay
    requests.set(endpoint, (requests.get(endpoint) ?? 0) + 1)
  }
  return requested && requests
}

/** Above this share of the quota, the form warns. */
const MAX_SHARE = 1

/** The highest share of a limit, and the endpoint that it is about. */
interface Share {
  share: number
  endpoint: LimitedEndpoint
}

/** The share of the quota that a node needs. */
export interface Budget {
  /** Requests per round. */
  requests: number
  /** Minimum duration of a round, in seconds, because of the limits. */
  seconds: number
  /** The share used by the node's own triggers; 0 if it does not repeat. */
  own: Share
  /** The share used by all nodes of the account together, at the endpoints that this node needs. */
  together: Share
  isTooMuch: boolean
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
  const loads = [...requests].map(([endpoint, count]) => {
    const { limit, window } = { ...LIMITS[endpoint], ...limits[endpoint] }
    const secondsFor = (amount: number) => (amount * window) / limit
    const shareOf = (config: ActionConfig) => {
      const repeat = Number(config.repeat) || 0
      return repeat > 0 ? secondsFor(requestsOf(config, devices)?.get(endpoint) ?? 0) / repeat : 0
    }
    const [own, rest] = [shareOf(node), others.map(shareOf).reduce((sum, share) => sum + share, 0)]
    return {
      seconds: count > limit ? Math.ceil(secondsFor(count)) : 0,
      own: { endpoint, share: own },
      together: { endpoint, share: own + rest },
      repeat: rest < 1 ? secondsFor(count) / (1 - rest) : Number.POSITIVE_INFINITY,
    }
  })
  // Shares are sums of fractions, so a rounding error could turn 60 seconds into 61.
  const repeat = Math.ceil(Number(Math.max(0, ...loads.map((load) => load.repeat)).toPrecision(12)))
  const together = highest(loads.map((load) => load.together))
  return {
    requests: [...requests.values()].reduce((sum, count) => sum + count, 0),
    seconds: Math.max(0, ...loads.map(({ seconds }) => seconds)),
    own: highest(loads.map(({ own }) => own)),
    together,
    isTooMuch: together.share > MAX_SHARE,
    fittingRepeat: repeat <= MAX_SECONDS ? repeat : undefined,
  }
}

function highest(shares: readonly Share[]): Share {
  const none: Share = { share: 0, endpoint: 'current' }
  return shares.reduce((most, share) => (share.share > most.share ? share : most), none)
}
