import type { ActionName } from './action'
import type { LimitedEndpoint } from './service-limits'

interface DeviceEndpoints {
  /** Serves standalone devices. */
  standalone: LimitedEndpoint
  /** Serves remote units. */
  relay: LimitedEndpoint
}

/** The endpoints that a node requests for each of its devices; `null` if one request serves all devices. */
export const NODE_ENDPOINTS = {
  current: null,
  latest: { standalone: 'latest-data', relay: 'latest-data-relay' },
  range: { standalone: 'data', relay: 'data-relay' },
  alerts: { standalone: 'alert', relay: 'alert' },
} as const satisfies Record<ActionName, DeviceEndpoints | null>
