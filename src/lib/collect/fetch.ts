import type { ActionName } from '../../shared/action'
import { NODE_ENDPOINTS } from '../../shared/node-endpoints'
import type { Client } from '../api/client'
import type { AlertEnvelope, GraphEnvelope, Group } from '../decode/envelopes'
import type { TimeStyle } from '../decode/time'
import type { DeviceParams } from '../endpoints'
import { EnvlogError } from '../errors'
import { readLogEntries, toAlertLog } from '../readings/alerts'
import type { Content } from '../readings/content'
import { mergeSeries, readSeriesPart, type Series } from '../readings/series'
import type { RequestContext, ServiceResponse } from '../request'
import type { AccountDevices } from './account-devices'
import { type DeviceFailure, isStandalone, type ResolvedDevice } from './devices'

/** The parts of the account that this folder needs. */
export interface AccountAccess {
  readonly client: Pick<Client, 'read' | 'readRaw'>
  readonly devices: Pick<
    AccountDevices,
    'update' | 'utcOffset' | 'isRemote' | 'nameOf' | 'groupOf' | 'awaitNames'
  >
  readonly series1Models: readonly string[]
}

/** The requested form of a response: `read` is decoded, the others are passed on unchanged. */
export type ResponseFormat = 'read' | 'json' | 'csv' | 'csv2'

/** Data collected from one device or, with `current`, from several. */
export interface Collected {
  /** The last response received, without its body. */
  response: Omit<ServiceResponse<unknown>, 'body'>
  content: Content
  /** The device's group; `null` if it has none or the account's list is not known. */
  group: Group | null
  /** Devices, or parts of the response, that could not be read and are to be reported. */
  failed?: readonly DeviceFailure[]
}

/** What a node delivers at once: collected data, with what its messages say about it. */
export interface Delivery extends Collected {
  /** Older records or alerts were lost or could not be fetched. */
  overflow?: boolean
  /** Records that were missing when newer ones were sent. */
  backfill?: boolean
  /** Receivers return it once they have stored the data. */
  receipt?: string
  /** The requested period, ISO 8601 in UTC; from inclusive, to exclusive. */
  range?: { from: string; to: string }
  /** There are older records in the period, which were not requested. */
  isPartial?: boolean
}

/**
 * The newest 300 records of a device (`latest-data`, `latest-data-relay`).
 * @throws EnvlogError `response-other-device`, or if the request or decoding fails
 */
export async function collectLatest(
  account: AccountAccess,
  target: ResolvedDevice,
  { time, format }: { time: TimeStyle; format: ResponseFormat },
  context: RequestContext,
): Promise<Collected> {
  if (format !== 'read') {
    // `latest-data` has no `csv2`, because its `csv` already has header rows.
    const type = format === 'csv2' && isStandalone(target) ? 'csv' : format
    return collectRaw(account, { kind: 'latest', target, params: { type } }, context)
  }
  const { response, series, failed } = await fetchLatest(account, target, time, context)
  return { ...toCollected(account, target, response, { kind: 'series', series }), failed }
}

/** The newest records of a device, once names do not have to be awaited. @throws EnvlogError as `fetchDecoded` */
export async function fetchLatest(
  account: AccountAccess,
  target: ResolvedDevice,
  time: TimeStyle,
  context: RequestContext,
): Promise<{ response: Collected['response']; series: Series; failed: DeviceFailure[] }> {
  const read = (body: GraphEnvelope) => readSeriesPart(body, time)
  const { response, part, failed } = await fetchDecoded(account, { kind: 'latest', target }, context, read)
  await account.devices.awaitNames(target, context)
  return { response, series: mergeSeries([part]), failed }
}

/**
 * The newest 20 alert log entries of a device (`alert`).
 * @throws EnvlogError `response-other-device`, or if the request or decoding fails
 */
export async function collectAlerts(
  account: AccountAccess,
  target: ResolvedDevice,
  { time, format }: { time: TimeStyle; format: ResponseFormat },
  context: RequestContext,
): Promise<Collected> {
  if (format !== 'read') return collectRaw(account, { kind: 'alerts', target }, context)
  const { response, body, entries, failed } = await fetchAlerts(account, target, context)
  const log = toAlertLog(body, entries, time)
  return { ...toCollected(account, target, response, { kind: 'alerts', ...log }), failed }
}

/** A device's response, undecoded. @throws EnvlogError if the request fails */
export async function collectRaw(
  account: AccountAccess,
  request: DeviceRequest,
  context: RequestContext,
): Promise<Collected> {
  const { target } = request
  const response = await account.client.readRaw(endpointOf(request), paramsOf(request), context)
  await account.devices.awaitNames(target, context)
  return toCollected(account, target, response, toRawContent(account, target, response.body))
}

/** The newest alert log entries of a device, once names do not have to be awaited. @throws EnvlogError as `fetchDecoded` */
export async function fetchAlerts(account: AccountAccess, target: ResolvedDevice, context: RequestContext) {
  const fetched = await fetchDecoded(account, { kind: 'alerts', target }, context, readLogEntries)
  await account.devices.awaitNames(target, context)
  return fetched
}

/** Collected data of a device, with its group if the account's list is known by now. */
export function toCollected<C extends Content>(
  { devices }: AccountAccess,
  target: ResolvedDevice,
  response: Collected['response'],
  content: C,
): Collected & { content: C } {
  return { response, content, group: devices.groupOf(target) }
}

/** A request for data of a single device. */
interface DeviceRequest<K extends Kind = Kind> {
  kind: K
  target: ResolvedDevice
  params?: Partial<DeviceParams>
}
type Kind = Exclude<ActionName, 'current'>
type EnvelopeOf<K extends Kind> = K extends 'alerts' ? AlertEnvelope : GraphEnvelope

const endpointOf = ({ kind, target }: DeviceRequest) =>
  NODE_ENDPOINTS[kind][isStandalone(target) ? 'standalone' : 'relay']

function paramsOf({ kind, target, params }: DeviceRequest): DeviceParams {
  const { serial, base } = target
  const hasBase = kind === 'alerts' || !isStandalone(target)
  return { 'remote-serial': serial, ...(hasBase && { 'base-serial': base }), ...params }
}

/**
 * Requests data of a device from the endpoint that serves it.
 * @param read decodes the body; `unreadable` has the paths of the parts that it leaves out
 * @returns the result of `read`, the response without its body, and the failure to report if parts were left out
 * @throws EnvlogError `response-other-device`, `response-unreadable` if no part can be read, or if the request fails
 */
export async function fetchDecoded<K extends Kind, R extends { unreadable: readonly string[] }>(
  account: AccountAccess,
  request: DeviceRequest<K>,
  context: RequestContext,
  read: (body: EnvelopeOf<K>) => R | Promise<R>,
): Promise<R & { response: Collected['response']; body: EnvelopeOf<K>; failed: DeviceFailure[] }> {
  const { target } = request
  const endpoint = endpointOf(request)
  const checked = checkDevice(await account.client.read(endpoint, paramsOf(request), context), target)
  const { body, ...response } = checked as ServiceResponse<EnvelopeOf<K>>
  try {
    const result = await read(body)
    return { ...result, response, body, failed: toLeftOut(target, endpoint, result.unreadable) }
  } catch (error) {
    throw error instanceof EnvlogError ? error.with({ endpoint }) : error
  }
}

/** Maximum number of parts of a response that an error message lists. */
const MAX_NAMED_PARTS = 3

/** The failure to report if parts of a response were left out; empty if there are none. */
function toLeftOut(
  { serial, base }: ResolvedDevice,
  endpoint: string,
  unreadable: readonly string[],
): DeviceFailure[] {
  if (unreadable.length === 0) return []
  const more = unreadable.length > MAX_NAMED_PARTS ? ['…'] : []
  const part = [...unreadable.slice(0, MAX_NAMED_PARTS), ...more].join(', ')
  return [
    {
      device: { serial, base },
      error: new EnvlogError('response-left-out', { part }, { endpoint, serial, base }),
    },
  ]
}

/**
 * Checks that a response is for the requested device, and adds the device's base unit if it is missing.
 * @throws EnvlogError `response-other-device`
 */
function checkDevice(
  response: ServiceResponse<AlertEnvelope | GraphEnvelope>,
  target: ResolvedDevice,
): ServiceResponse<AlertEnvelope | GraphEnvelope> {
  const { body, endpoint } = response
  const { device, base } = body
  // The service does not document what it sends as the base unit of a standalone device.
  const isOfOtherBase = base !== null && !isStandalone(target) && !isSameSerial(base.serial, target.base)
  if (isOfOtherBase || !isSameSerial(device.serial, target.serial)) {
    const found = base ? `${base.serial}/${device.serial}` : device.serial
    throw new EnvlogError('response-other-device', { found, serial: target.serial }, { endpoint })
  }
  if (base || isStandalone(target)) return response
  return { ...response, body: { ...body, base: { serial: target.base, model: '', name: '' } } }
}

const isSameSerial = (a: string, b: string) => a.trim().toUpperCase() === b.trim().toUpperCase()

/** A response that is passed on unchanged; only the device's name is read from it, which CSV does not contain. */
function toRawContent({ devices }: AccountAccess, target: ResolvedDevice, payload: unknown): Content {
  const { serial, base } = target
  const name = devices.nameOf(target) ?? findName(payload)
  return { kind: 'raw', payload, device: { serial, name, base, group: devices.groupOf(target)?.name ?? '' } }
}

function findName(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null) return ''
  const fields = payload as Record<string, unknown>
  const name = fields['remote-name'] ?? fields.name
  return typeof name === 'string' ? name : ''
}
