/** Requests and responses of the admin routes, by which the editor's forms communicate with the runtime. */

import type { LimitedEndpoint } from './service-limits'

/** Placeholder for a secret that the editor does not have (Node-RED's own placeholder). */
export const STORED_SECRET = '__PWRD__'

const DRAFT_SETTINGS = [
  'name',
  'baseUrl',
  'relaySuffix',
  'timeout',
  'concurrency',
  'limits',
  'timeZone',
  'temperatureUnit',
  'series1Models',
  'tls',
  'proxy',
] as const
const DRAFT_SECRETS = ['apiKey', 'loginId', 'loginPass'] as const

/** An account as it is in the editor, deployed or not. */
export type AccountDraft = Record<(typeof DRAFT_SETTINGS)[number], string> & {
  /** Id of the account node, whose stored secrets `STORED_SECRET` refers to. */
  id: string
  credentials: Record<(typeof DRAFT_SECRETS)[number], string>
}

type Read = (name: string) => unknown

/** Creates the draft of an account from its settings and secrets. Values other than text and numbers become blank. */
export function toAccountDraft(id: unknown, setting: Read, secret: Read): AccountDraft {
  const toText = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
  const texts = (names: readonly string[], read: Read) =>
    Object.fromEntries(names.map((name) => [name, toText(read(name))]))
  const draft = {
    id: toText(id),
    ...texts(DRAFT_SETTINGS, setting),
    credentials: texts(DRAFT_SECRETS, secret),
  }
  return draft as AccountDraft
}

/** A device as the picker shows it, from its current reading. */
export interface ListedDevice {
  serial: string
  name: string
  model: string
  base: { serial: string; name: string; model: string }
  standalone: boolean
  /** Measurement time of its values, ms since 1970 UTC. */
  timestamp: number | null
  group: { name: string } | null
  battery: { level: string }
  channels: readonly {
    unit: string
    quantity: string | null
    value: number | null
    error: string | null
  }[]
}

export interface DeviceList {
  devices: ListedDevice[]
  /** When the list was received from the service, ms since 1970 UTC. */
  receivedAt: number
  /** Number of requests of `current` that are available now. A newer list needs one. */
  left: number
  /** When the next request is available, ms since 1970 UTC; `null` if one is available now. */
  freeAt: number | null
}

/** Limit and usage of one endpoint. */
export interface EndpointCounts {
  limit: number
  windowSeconds: number
  /** Permits used by this process, including requests in flight. */
  own: number
  /** Requests of other clients in the window, according to the service's headers. */
  foreign: number
  /** Requests that are available now. */
  left: number
  /** When the next request is available, ms since 1970 UTC; `null` if one is available now. */
  freeAt: number | null
  /** Requests in the queue. */
  waiting: number
}

/** Limit and usage of the records of one device at one endpoint. */
export interface RecordCounts {
  endpoint: LimitedEndpoint
  /** `base/serial`. */
  device: string
  /** The device's name, if known. */
  name?: string
  limit: number
  left: number
}

export interface QuotaCounts {
  /** Requests in flight, and requests in the queue. */
  running: number
  waiting: number
  /** Whether the shared quota store is connected; `null` if the quota is not shared with other processes. */
  sharedConnected: boolean | null
  endpoints: Record<LimitedEndpoint, EndpointCounts>
  /** Of the devices whose records were requested recently, those with the smallest share of records left. */
  records: RecordCounts[]
}

/** The result of the test of an account. */
export interface AccountTestResult {
  /** Number of devices in the response of `current`. */
  devices: number
  /** Result for the paths of remote units; `null` if the account has no remote unit to test them with. */
  relay: { works: true } | { works: false; reason: string; params: object } | null
  quota: QuotaCounts
}

/** A device, record or alert in the result of *Try now*. */
export interface TrialLine {
  /** The device's name. */
  name: string
  /** ms since 1970 UTC; `null` if it has no time. */
  timestamp: number | null
  channels: readonly { value: number | null; unit: string; error: string | null }[]
  /** The service's wording of an alert. */
  text?: string
}

/** The result of *Try now*. */
export interface Trial {
  /** The first of `lineCount` devices, records or alerts. */
  lines: readonly TrialLine[]
  lineCount: number
  /** The first messages, in which long lists and texts are shortened. */
  messages: readonly object[]
  /** Number of messages that the node would send. */
  count: number
  /** Number of requests that were sent; the one for data was the last. */
  requests: number
  /** Requests for data that are available now; absent if none was sent. */
  left?: number
  /** The device that was tried, of `count` chosen ones; absent if one request is for all of them. */
  device?: { serial: string; name?: string | undefined; count: number }
  /** The period has older records, which were not requested. */
  isPartial: boolean
  /** What a Catch node would get in addition to the messages. */
  failures: readonly AdminFailure[]
}

/** The result of *Preview* in the form of envlog-report. */
export interface ReportPage {
  /** HTML without scripts. */
  page: string
}

/** How often the devices send whose measurements reach a deployed envlog-limits. */
export interface UsualInterval {
  /** The longest interval in minutes; 0 if none is known. */
  minutes: number
}

/** The rules by which Node-RED's Node.js calculates local times. */
export interface TimeZoneRules {
  /** Their version, such as `2026a`; `null` if unknown. */
  rules: string | null
  /** The version of Node.js that contains them. */
  node: string
}

/** A context store of Node-RED. */
export interface ContextStore {
  name: string
  /** Whether its contents survive a restart. */
  persistent: boolean
}

/**
 * An error response. `reason` is a key in the catalogs (`errors.<reason>`), because only the editor knows the user's
 * language.
 */
export interface AdminFailure {
  code?: string
  reason: string
  params?: Record<string, unknown>
  /** The device that the failure is about. */
  subject?: { serial: string; name?: string | undefined }
  /** ISO 8601. */
  retryAt?: string
}
