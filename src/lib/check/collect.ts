import type { Account } from '../account'
import { type CurrentDevice, readCurrentDevice } from '../decode/envelopes'
import { type Fields, readElements } from '../decode/fields'
import { readNumber } from '../decode/value'
import type { EndpointName, ParamsOf } from '../endpoints'
import { EnvlogError } from '../errors'
import { isRemoteUnit } from '../readings/device'
import type { RequestContext } from '../request'
import { type Exchange, isSuccessful, objectsIn } from './exchange'

/**
 * Maximum number of requests of a check. If the service refuses the first request to a *latest* endpoint, there is a
 * second one, for a device of another model.
 */
export const MAX_REQUESTS: Readonly<Record<EndpointName, number>> = {
  current: 1,
  'latest-data': 2,
  data: 1,
  'latest-data-relay': 2,
  'data-relay': 1,
  alert: 1,
}

/**
 * Number of records in a requested period. The first and the last one are at its bounds, which shows whether bounds are
 * included.
 */
const PERIOD_RECORDS = 5
/** Fewer records than the period contains, to check that the service chooses the newest. */
const FEW_RECORDS = 2

/**
 * Sends a request to each endpoint for which the account has devices. A failure is a result too. If `current` fails,
 * there are no further requests.
 */
export async function collectExchanges(
  account: Account,
  context: RequestContext,
  maxRequests: Partial<typeof MAX_REQUESTS> = MAX_REQUESTS,
): Promise<Exchange[]> {
  const exchanges: Exchange[] = []
  const request: SendRequest = async (endpoint, params) => {
    const count = exchanges.filter((exchange) => exchange.endpoint === endpoint).length
    if (count >= (maxRequests[endpoint] ?? 0)) return undefined
    const start = account.monotonic()
    const result = await account.client.readRaw(endpoint, params, context).then(
      ({ body, quota }) => ({ body: body as Fields, quota }),
      (error) => {
        if (!(error instanceof EnvlogError)) throw error
        return { error }
      },
    )
    const durationMs = Math.round(account.monotonic() - start)
    const exchange: Exchange = { endpoint, params: { ...params }, durationMs, ...result }
    exchanges.push(exchange)
    return exchange
  }

  const current = await request('current', {})
  if (!current || !isSuccessful(current)) return exchanges
  const devices = listDevices(current.body)
  // A device that has records probably has alerts too.
  const standalone = await requestRecords(request, devices, 'latest-data')
  const remote = await requestRecords(request, devices, 'latest-data-relay')
  const device = remote ?? standalone ?? devices[0]
  if (device) await request('alert', deviceParams(device, true))
  return exchanges
}

/** @returns `undefined` if the maximum for the endpoint has been reached */
type SendRequest = <E extends EndpointName>(endpoint: E, params: ParamsOf<E>) => Promise<Exchange | undefined>

/**
 * Requests the latest records of a device, and then a period.
 * @returns the device; `undefined` if the service has refused all of this kind, or there are none
 */
async function requestRecords(
  request: SendRequest,
  devices: readonly CurrentDevice[],
  latest: 'latest-data' | 'latest-data-relay',
): Promise<CurrentDevice | undefined> {
  const isRelay = latest === 'latest-data-relay'
  for (const device of chooseDevices(devices.filter((one) => isRemoteUnit(one) === isRelay))) {
    const params = deviceParams(device, isRelay)
    const exchange = await request(latest, params)
    if (!exchange) return undefined
    const period = isSuccessful(exchange) ? choosePeriod(exchange.body) : undefined
    // `data` is requested without `number` and shows whether the bounds are included; `data-relay` is requested with a
    // small number and shows which records are chosen.
    if (period && isRelay) await request('data-relay', { ...params, ...period, number: FEW_RECORDS })
    else if (period) await request('data', { ...params, ...period })
    if (isSuccessful(exchange) || exchange.error.reason !== 'device-refused') return device
  }
  return undefined
}

/** The devices in a response of `current` that can be decoded. */
function listDevices({ devices }: Fields): CurrentDevice[] {
  const decoded = (readElements(devices) ?? []).map(readCurrentDevice)
  return decoded.filter((device): device is CurrentDevice => !('part' in device))
}

/** The most recently measured device, and one of another model, because the service does not serve all models. */
function chooseDevices(devices: readonly CurrentDevice[]): CurrentDevice[] {
  const sorted = devices.toSorted((a, b) => Number(b.timestamp) - Number(a.timestamp))
  const other = sorted.find(({ model }) => model !== sorted[0]?.model)
  return [sorted[0], other].filter((device) => device !== undefined)
}

const deviceParams = ({ serial, baseunit }: CurrentDevice, hasBase: boolean) => ({
  'remote-serial': serial,
  ...(hasBase ? { 'base-serial': baseunit?.serial ?? serial } : {}),
})

/** A period that starts and ends at a record; `undefined` if there are too few records. */
function choosePeriod({ data }: Fields) {
  const times = objectsIn(data).map(({ unixtime }) => readNumber(unixtime) ?? 0)
  const sorted = [...new Set(times)]
    .filter((time) => Number.isInteger(time) && time > 0)
    .sort((a, b) => a - b)
  const [from, to] = [sorted.at(-PERIOD_RECORDS), sorted.at(-1)]
  return from && to ? { 'unixtime-from': from, 'unixtime-to': to } : undefined
}
