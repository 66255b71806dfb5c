import type { Answer, Client } from '../api/client'
import type { DeviceParams, EndpointName } from '../api/endpoints'
import type { AlertEnvelope, GraphEnvelope } from '../api/envelopes'
import type { Identity } from '../api/fields'
import { EnvlogError } from '../errors'
import type { Content } from '../output/content'
import { gently } from '../pace'
import type { Asker } from '../quota/asker'
import { type AlertLog, readAlerts } from '../readings/alerts'
import { mergeSeries } from '../readings/merge'
import { type SeriesPart, stepsOfPart } from '../readings/series'
import type { TimeStyle } from '../readings/time'
import { type DeviceFailure, isStandalone, type Target } from './devices'
import type { Directory } from './directory'

/** The account as far as this folder needs it. */
export interface AccountAccess {
  readonly client: Pick<Client, 'read' | 'readRaw'>
  readonly directory: Pick<Directory, 'learn' | 'utcOffset'>
  readonly series1Models: readonly string[]
  /** Milliseconds since some instant. */
  monotonic(): number
}

/** The form in which an answer is wanted: `read` is decoded, the others are passed on as they come. */
export type Form = 'read' | 'json' | 'csv' | 'csv2'

/** What was collected of one device or, by `current`, of several. */
export interface Collected {
  /** The answer that came last, without its body. */
  answer: Omit<Answer<unknown>, 'body'>
  content: Content
  /** Name of the device's group; blank where it has none or nobody asked for it. */
  group: string
  /** Devices, or parts of the answer, that could not be read and are to be reported. */
  failed?: readonly DeviceFailure[]
}

/** The most recent 300 records of a device (endpoints 2 and 3). @throws EnvlogError */
export async function collectLatest(
  account: AccountAccess,
  target: Target,
  { time, form }: { time: TimeStyle; form: Form },
  asker: Asker,
): Promise<Collected> {
  if (form !== 'read') return collectRaw(account, 'latest', target, { type: form }, asker)
  const answer = await readRecords(account, 'latest', target, {}, asker)
  const { part, failed } = await readPart(target, answer, { time }, asker.signal)
  return { ...collectedOf(target, answer, { kind: 'series', series: mergeSeries([part]) }), failed }
}

/** The most recent 20 alert log entries of a device (endpoint 6). @throws EnvlogError */
export async function collectAlerts(
  account: AccountAccess,
  target: Target,
  { time, form }: { time: TimeStyle; form: Form },
  asker: Asker,
): Promise<Collected> {
  if (form !== 'read') {
    const answer = await account.client.readRaw('alert', alertParams(target), asker)
    return collectedOf(target, answer, rawContent(target, answer.body))
  }
  const answer = await readEntries(account, target, asker)
  const { log, failed } = readLog(target, answer, time)
  return { ...collectedOf(target, answer, { kind: 'alerts', ...log }), failed }
}

/** Records of a device in one request, as they come. @throws EnvlogError */
export async function collectRaw(
  account: AccountAccess,
  kind: RecordsKind,
  target: Target,
  more: Partial<DeviceParams>,
  asker: Asker,
): Promise<Collected> {
  const { endpoint, params } = recordsRequest(kind, target, more)
  const answer = await account.client.readRaw(endpoint, params, asker)
  return collectedOf(target, answer, rawContent(target, answer.body))
}

export function collectedOf(
  { group = '' }: Target,
  answer: Collected['answer'],
  content: Content,
): Collected {
  return { answer, content, group }
}

/** Endpoints of records: [of standalone devices, of remote units]. */
const recordEndpoints = {
  latest: ['latest-data', 'latest-data-relay'],
  range: ['data', 'data-relay'],
} as const satisfies Record<string, readonly [EndpointName, EndpointName]>
type RecordsKind = keyof typeof recordEndpoints

function recordsRequest(kind: RecordsKind, target: Target, more: Partial<DeviceParams>) {
  const [standalone, relay] = recordEndpoints[kind]
  const { serial, base } = target
  return isStandalone(target)
    ? { endpoint: standalone, params: { 'remote-serial': serial, ...more } }
    : { endpoint: relay, params: { 'remote-serial': serial, 'base-serial': base, ...more } }
}

const alertParams = ({ serial, base }: Target) => ({ 'remote-serial': serial, 'base-serial': base })

/**
 * Requests records of a device from the endpoint that serves it.
 * @throws EnvlogError those of the request; `reply-other-device`
 */
export async function readRecords(
  account: AccountAccess,
  kind: RecordsKind,
  target: Target,
  more: Partial<DeviceParams>,
  asker: Asker,
): Promise<Answer<GraphEnvelope>> {
  const { endpoint, params } = recordsRequest(kind, target, more)
  const answer: Answer<GraphEnvelope> = await account.client.read(endpoint, params, asker)
  return { ...answer, body: ofTarget(answer.body, target, endpoint) }
}

/**
 * Requests the alert log of a device.
 * @throws EnvlogError those of the request; `reply-other-device`
 */
export async function readEntries(
  account: AccountAccess,
  target: Target,
  asker: Asker,
): Promise<Answer<AlertEnvelope>> {
  const answer = await account.client.read('alert', alertParams(target), asker)
  return { ...answer, body: ofTarget(answer.body, target, answer.endpoint) }
}

/**
 * Decodes the records of an answer; those that cannot be read are left out and reported.
 * @param offset minutes that the device's clock is ahead of UTC, where an earlier page has set it for all
 * @throws EnvlogError `reply-unreadable` where there are records and none can be read
 */
export async function readPart(
  target: Target,
  { endpoint, body }: { endpoint: string; body: GraphEnvelope },
  { time, offset }: { time: TimeStyle; offset?: number | undefined },
  signal: AbortSignal,
): Promise<{ part: SeriesPart; failed: DeviceFailure[] }> {
  try {
    const { part, unread } = await gently(stepsOfPart(body, time, offset), signal)
    return { part, failed: leftOut(target, endpoint, unread) }
  } catch (error) {
    throw withEndpoint(error, endpoint)
  }
}

/**
 * Decodes an alert log; entries that cannot be read are left out and reported.
 * @param choose which entries are wanted, of all, the oldest first
 * @throws EnvlogError `reply-unreadable` where there are entries and none can be read
 */
export function readLog(
  target: Target,
  { endpoint, body }: { endpoint: string; body: AlertEnvelope },
  time: TimeStyle,
  choose?: Parameters<typeof readAlerts>[2],
): { log: AlertLog; failed: DeviceFailure[] } {
  try {
    const { unread, ...log } = readAlerts(body, time, choose)
    return { log, failed: leftOut(target, endpoint, unread) }
  } catch (error) {
    throw withEndpoint(error, endpoint)
  }
}

/**
 * Checks that an answer is of the device that was asked for. One without a base unit is taken for that device's.
 * @throws EnvlogError `reply-other-device`
 */
function ofTarget<E extends { device: Identity; base: Identity | null }>(
  envelope: E,
  target: Target,
  endpoint: string,
): E {
  const { device, base } = envelope
  // The service does not say what stands in place of a standalone device's base unit.
  const isOfOtherBase = base !== null && !isStandalone(target) && !isSame(base.serial, target.base)
  if (isOfOtherBase || !isSame(device.serial, target.serial)) {
    const found = base ? `${base.serial}/${device.serial}` : device.serial
    throw new EnvlogError('reply-other-device', { found, serial: target.serial }, { endpoint })
  }
  if (base || isStandalone(target)) return envelope
  return { ...envelope, base: { serial: target.base, model: '', name: '' } }
}

const isSame = (one: string, other: string) => one.trim().toUpperCase() === other.trim().toUpperCase()

/** Errors of decoding name the endpoint, as those of requests do. */
function withEndpoint(error: unknown, endpoint: string): unknown {
  return error instanceof EnvlogError ? error.with({ endpoint }) : error
}

/** Parts of an answer that an error message names. */
const MOST_TOLD = 3

/** The report of what was left out of an answer; empty where nothing was. */
function leftOut({ serial, base }: Target, endpoint: string, unread: readonly string[]): DeviceFailure[] {
  if (unread.length === 0) return []
  const part = [...unread.slice(0, MOST_TOLD), ...(unread.length > MOST_TOLD ? ['…'] : [])].join(', ')
  const error = new EnvlogError('reply-left-out', { part }, { endpoint, serial, base })
  return [{ device: { serial, base }, error }]
}

/** An answer that is passed on as it came; only the device's name is looked for in it. */
function rawContent({ serial, base, name, group = '' }: Target, payload: unknown): Content {
  return { kind: 'raw', payload, device: { serial, name: name ?? nameIn(payload), base, group } }
}

function nameIn(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null) return ''
  const fields = payload as Record<string, unknown>
  const name = fields['remote-name'] ?? fields.name
  return typeof name === 'string' ? name : ''
}
