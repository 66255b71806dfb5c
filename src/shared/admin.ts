/** What the editor's forms and the runtime's admin routes tell each other. */

import type { LimitedEndpoint } from './limits'

/** What the editor sends in place of a secret that it does not have (Node-RED's own mark). */
export const STORED_SECRET = '__PWRD__'

/** An account as it stands in the editor, deployed or not. */
export interface AccountDraft {
  /** Of its node: whose stored secrets `STORED_SECRET` stands for. */
  id: string
  baseUrl: string
  relaySuffix: string
  timeout: number | string
  concurrency: number | string
  retries: number | string
  limits: string
  series1Models: string
  tls: string
  proxy: string
  credentials: { apiKey: string; loginId: string; loginPass: string }
}

/** A device as the picker shows it, so that a person recognises it. */
export interface ListedDevice {
  serial: string
  name: string
  model: string
  base: { serial: string; name: string; model: string }
  standalone: boolean
  /** Of the measurement, ms since 1970 UTC. */
  timestamp: number | null
  /** Name of its group; blank for none. */
  group: string
  battery: string | null
  values: {
    name: string
    unit: string
    quantity: string | null
    value: number | null
    error: string | null
  }[]
}

export interface DeviceList {
  devices: ListedDevice[]
  /** When the list was asked for, ms since 1970 UTC. */
  receivedAt: number
  /** What asking anew would cost: requests of `current` that are left, and when more can be had. */
  left: number
  freeAt: number | null
}

/** Of one endpoint: what is allowed, and what of it is spent. */
export interface EndpointCounts {
  limit: number
  windowSeconds: number
  /** Spent by this process and not yet released, on their way included. */
  own: number
  /** Spent by others, as far as the service has told. */
  foreign: number
  /** How many could go now. */
  left: number
  /** When the next one can go, ms since 1970 UTC; `null` where one could go now. */
  freeAt: number | null
  /** Requests that wait. */
  waiting: number
}

/** Of one device's records of one endpoint. */
export interface RecordCounts {
  endpoint: LimitedEndpoint
  /** `base/serial`. */
  device: string
  limit: number
  left: number
}

export interface QuotaCounts {
  /** Requests that are on their way, and those that wait. */
  running: number
  waiting: number
  /** `null` where the account is not shared with other processes. */
  ledgerHere: boolean | null
  endpoints: Record<LimitedEndpoint, EndpointCounts>
  /** Devices that have the least of their records left, of those whose records were asked for lately. */
  records: RecordCounts[]
}

/** What a test of an account found. */
export interface AccountTestResult {
  /** Devices that `current` told. */
  devices: number
  /** Of the relay paths: `null` where there is no remote unit to ask with. */
  relay: { works: boolean; reason?: string; params?: object } | null
  quota: QuotaCounts
}

/** A context store of Node-RED. */
export interface ContextStore {
  name: string
  /** What it holds is there after a restart. */
  persistent: boolean
}

/** Why something could not be done: a key of the catalogs (`errors.<reason>`). */
export interface AdminFailure {
  code?: string
  reason: string
  params?: Record<string, unknown>
  /** ISO 8601. */
  retryAt?: string
}
