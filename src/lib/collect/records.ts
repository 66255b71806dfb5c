import type { Account } from '../account'
import type { Answer } from '../api/client'
import type { DeviceParams, EndpointName } from '../api/endpoints'
import type { AlertEnvelope, GraphEnvelope } from '../api/envelopes'
import type { Identity } from '../api/fields'
import { EnvlogError } from '../errors'
import type { Content } from '../output/content'
import { gently } from '../pace'
import type { Asker } from '../quota/asker'
import { type AlertLog, readAlerts } from '../readings/alerts'
import { type SeriesPart, stepsOfPart } from '../readings/series'
import type { TimeStyle } from '../readings/time'
import { type DeviceFailure, isStandalone, type Target } from './devices'

/** How an answer is wanted: read, or as it came. */
export type Form = 'read' | 'json' | 'csv' | 'csv2'

/** What was collected of a device, and the answer that came last. */
export interface Collected {
  answer: Omit<Answer<unknown>, 'body'>
  content: Content
  /** Name of the device's group; blank for none, and where nobody asked for it. */
  group: string
  /** What is to be reported beside it: devices, or parts of the answer, that could not be read. */
  failed?: readonly DeviceFailure[]
}

/** What was collected of a target. */
export function collectedOf(
  { group = '' }: Target,
  answer: Collected['answer'],
  content: Content,
): Collected {
  return { answer, content, group }
}

/** Endpoints of records: for standalone devices, for remote units (description, *Endpoint availability*). */
const recordEndpoints = {
  latest: ['latest-data', 'latest-data-relay'],
  range: ['data', 'data-relay'],
} as const satisfies Record<string, readonly [EndpointName, EndpointName]>

function recordsRequest(kind: keyof typeof recordEndpoints, target: Target, more: Partial<DeviceParams>) {
  const [standalone, relay] = recordEndpoints[kind]
  const { serial, base } = target
  return isStandalone(target)
    ? { endpoint: standalone, params: { 'remote-serial': serial, ...more } }
    : { endpoint: relay, params: { 'remote-serial': serial, 'base-serial': base, ...more } }
}

/**
 * An answer about the device that was asked for; one that does not tell the base unit is of the one that was asked for.
 * @throws EnvlogError `reply-other-device`
 */
function ofTarget<E extends { device: Identity; base: Identity | null }>(envelope: E, target: Target): E {
  const { device, base } = envelope
  // Of a standalone device it is not described what stands for its base unit.
  const isOfOtherBase = base !== null && !isStandalone(target) && !isSame(base.serial, target.base)
  if (isOfOtherBase || !isSame(device.serial, target.serial)) {
    const found = base ? `${base.serial}/${device.serial}` : device.serial
    throw new EnvlogError('reply-other-device', { found, serial: target.serial })
  }
  if (base || isStandalone(target)) return envelope
  return { ...envelope, base: { serial: target.base, model: '', name: '' } }
}

const isSame = (one: string, other: string) => one.trim().toUpperCase() === other.trim().toUpperCase()

/** Of an answer's reading: failures tell the endpoint, as those of requests do. @throws EnvlogError */
async function telling<T>(endpoint: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof EnvlogError ? error.with({ endpoint }) : error
  }
}

/** What is to be reported of an answer of which something was left out. */
function leftOut({ serial, base }: Target, endpoint: string, unread: readonly string[]): DeviceFailure[] {
  if (unread.length === 0) return []
  const part = [...unread.slice(0, MOST_TOLD), ...(unread.length > MOST_TOLD ? ['…'] : [])].join(', ')
  const error = new EnvlogError('reply-left-out', { part }, { endpoint, serial, base })
  return [{ device: { serial, base }, error }]
}

const MOST_TOLD = 3

/**
 * The records of an answer, without those that cannot be read: they are told beside them.
 * @param offset of the device's clock, minutes, where another answer has told it for all
 * @throws EnvlogError `reply-unreadable` where there are records and none can be read
 */
export async function readPart(
  target: Target,
  { endpoint, body }: { endpoint: string; body: GraphEnvelope },
  { time, offset }: { time: TimeStyle; offset?: number | undefined },
  signal: AbortSignal,
): Promise<{ part: SeriesPart; failed: DeviceFailure[] }> {
  const read = () => gently(stepsOfPart(body, time, offset), signal)
  const { part, unread } = await telling(endpoint, read)
  return { part, failed: leftOut(target, endpoint, unread) }
}

/** The same of an alert log. @throws EnvlogError `reply-unreadable` where there are entries and none can be read */
export async function readLog(
  target: Target,
  { endpoint, body }: { endpoint: string; body: AlertEnvelope },
  time: TimeStyle,
  choose?: Parameters<typeof readAlerts>[2],
): Promise<{ log: AlertLog; failed: DeviceFailure[] }> {
  const { unread, ...log } = await telling(endpoint, () => readAlerts(body, time, choose))
  return { log, failed: leftOut(target, endpoint, unread) }
}

export const alertParams = ({ serial, base }: Target) => ({ 'remote-serial': serial, 'base-serial': base })

/** Alert log entries of a device (endpoint 6). @throws EnvlogError */
export async function readEntries(
  account: Account,
  target: Target,
  asker: Asker,
): Promise<Answer<AlertEnvelope>> {
  const answer = await account.client.read('alert', alertParams(target), asker)
  return { ...answer, body: await telling(answer.endpoint, () => ofTarget(answer.body, target)) }
}

/** Records of a device from the endpoint that serves it. @throws EnvlogError */
export async function readRecords(
  account: Account,
  kind: keyof typeof recordEndpoints,
  target: Target,
  more: Partial<DeviceParams>,
  asker: Asker,
): Promise<Answer<GraphEnvelope>> {
  const { endpoint, params } = recordsRequest(kind, target, more)
  const answer: Answer<GraphEnvelope> = await account.client.read(endpoint, params, asker)
  return { ...answer, body: await telling(endpoint, () => ofTarget(answer.body, target)) }
}

/** The same as it came, in one request. @throws EnvlogError */
export async function collectRaw(
  account: Account,
  kind: keyof typeof recordEndpoints,
  target: Target,
  more: Partial<DeviceParams>,
  asker: Asker,
): Promise<Collected> {
  const { endpoint, params } = recordsRequest(kind, target, more)
  const answer = await account.client.readRaw(endpoint, params, asker)
  return collectedOf(target, answer, rawContent(target, answer.body))
}

/** A raw answer goes as it came; only its name is looked for. */
export function rawContent({ serial, base, name, group = '' }: Target, payload: unknown): Content {
  return { kind: 'raw', payload, device: { serial, name: name ?? nameIn(payload), base, group } }
}

function nameIn(payload: unknown): string {
  if (typeof payload !== 'object' || payload === null) return ''
  const told = payload as Record<string, unknown>
  const name = told['remote-name'] ?? told.name
  return typeof name === 'string' ? name : ''
}
