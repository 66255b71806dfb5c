import type { Account } from '../account'
import { type CurrentDevice, readCurrentDevice } from '../decode/current-device'
import { readElements } from '../decode/fields'
import { readNumber } from '../decode/number'
import type { EndpointName, ParamsOf } from '../endpoints'
import { EnvlogError } from '../errors'
import type { RequestContext } from '../quota/types'
import { isRemoteUnit } from '../readings/device'
import { type Answered, type Exchange, isAnswered } from './exchange'

/**
 * The most requests of a check: one of each endpoint, and one more of each *latest* endpoint for a device of another
 * model, where the service refuses the first.
 */
export const MAX_REQUESTS: Readonly<Record<EndpointName, number>> = {
  current: 1,
  'latest-data': 2,
  data: 1,
  'latest-data-relay': 2,
  'data-relay': 1,
  alert: 1,
}

export interface CheckOptions {
  account: Account
  context: RequestContext
  /** The most requests of each endpoint; by default `MAX_REQUESTS`. */
  maxRequests?: Partial<Record<EndpointName, number>>
  /** Headers of the last response, with names in lower case, where they are known. */
  lastHeaders?(): Readonly<Record<string, string | string[] | undefined>> | undefined
}

/** Records whose times are the bounds of a period: strict or inclusive bounds give another number of records. */
const PERIOD_RECORDS = 5
/** Fewer records than the period has: the service has to choose the newest. */
const FEW_RECORDS = 2

/**
 * Requests each endpoint that the account's devices allow, at most `MAX_REQUESTS`. A failure is a result as well; the
 * check ends where `current` fails.
 */
export async function collectExchanges(options: CheckOptions): Promise<Exchange[]> {
  const { maxRequests = MAX_REQUESTS } = options
  const exchanges: Exchange[] = []
  const isAllowed = (name: EndpointName) =>
    exchanges.filter(({ endpoint }) => endpoint === name).length < (maxRequests[name] ?? 0)
  const request = async <E extends EndpointName>(endpoint: E, params: ParamsOf<E>): Promise<Exchange> => {
    const exchange = await requestOnce(options, endpoint, params)
    exchanges.push(exchange)
    return exchange
  }

  const current = await request('current', {})
  if (!isAnswered(current)) return exchanges
  const devices = listDevices(current)
  const answering: CurrentDevice[] = []
  for (const [kind, latest, period] of [
    ['standalone', 'latest-data', 'data'],
    ['remote', 'latest-data-relay', 'data-relay'],
  ] as const) {
    for (const device of chooseDevices(devices, kind)) {
      if (!isAllowed(latest)) break
      const exchange = await request(latest, deviceParams(device, kind))
      if (isRefused(exchange)) continue
      answering.unshift(device)
      const bounds = isAnswered(exchange) && isAllowed(period) ? choosePeriod(exchange) : undefined
      if (bounds) {
        // Both questions, strict bounds and the newest records, cannot be answered by one request.
        const number = kind === 'remote' ? { number: FEW_RECORDS } : {}
        await request(period, { ...deviceParams(device, kind), ...bounds, ...number })
      }
      break
    }
  }
  // Devices whose records are served mostly have alerts too; remote units before standalone devices.
  const [ofAlerts = devices[0]] = answering
  if (ofAlerts && isAllowed('alert')) await request('alert', deviceParams(ofAlerts, 'remote'))
  return exchanges
}

async function requestOnce<E extends EndpointName>(
  { account, context, lastHeaders }: CheckOptions,
  endpoint: E,
  params: ParamsOf<E>,
): Promise<Exchange> {
  const start = account.monotonic()
  const about = { endpoint, params: { ...params } as Readonly<Record<string, unknown>> }
  try {
    const { body, quota } = await account.client.readRaw(endpoint, params, context)
    const contentType = lastHeaders?.()?.['content-type']
    const result = {
      isAnswered: true,
      body: body as object,
      quota,
      ...(contentType === undefined ? {} : { contentType: String(contentType) }),
    } as const
    return { ...about, durationMs: Math.round(account.monotonic() - start), result }
  } catch (error) {
    if (!(error instanceof EnvlogError)) throw error
    const result = { isAnswered: false, error } as const
    return { ...about, durationMs: Math.round(account.monotonic() - start), result }
  }
}

const isRefused = ({ result }: Exchange) => !result.isAnswered && result.error.reason === 'device-refused'

/** The devices of `current` that can be decoded. */
export function listDevices({ result: { body } }: Answered): CurrentDevice[] {
  const elements = readElements((body as { devices?: unknown }).devices) ?? []
  return elements.map(readCurrentDevice).filter((device): device is CurrentDevice => !('part' in device))
}

/** The device of each kind that was measured last, and one of another model: not every model is served. */
function chooseDevices(devices: readonly CurrentDevice[], kind: 'standalone' | 'remote'): CurrentDevice[] {
  const measuredAt = ({ unixtime }: CurrentDevice) => readNumber(unixtime) ?? 0
  const sorted = devices
    .filter((device) => isRemoteUnit(device) === (kind === 'remote'))
    .sort((one, other) => measuredAt(other) - measuredAt(one))
  const [first] = sorted
  const second = sorted.find(({ model }) => model !== first?.model)
  return [first, second].filter((device) => device !== undefined)
}

function deviceParams({ serial, baseunit }: CurrentDevice, kind: 'standalone' | 'remote') {
  return kind === 'standalone'
    ? { 'remote-serial': serial }
    : { 'remote-serial': serial, 'base-serial': baseunit?.serial ?? serial }
}

/** A period that begins and ends with a record; `undefined` where there are too few records. */
function choosePeriod({ result: { body } }: Answered) {
  const records = readElements((body as { data?: unknown }).data) ?? []
  const times = records.map((record) => readNumber((record as { unixtime?: unknown } | null)?.unixtime) ?? 0)
  const newest = [...new Set(times.filter((time) => Number.isInteger(time) && time > 0))]
    .sort((one, other) => one - other)
    .slice(-PERIOD_RECORDS)
  const [from] = newest
  const to = newest.at(-1)
  if (newest.length < PERIOD_RECORDS || from === undefined || to === undefined) return undefined
  return { 'unixtime-from': from, 'unixtime-to': to }
}
