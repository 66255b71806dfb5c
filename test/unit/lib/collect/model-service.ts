import type { Account } from '../../../../src/lib/account'
import { readEnvelope } from '../../../../src/lib/decode/envelopes'
import type { EndpointName } from '../../../../src/lib/endpoints'
import { EnvlogError } from '../../../../src/lib/errors'
import type { RequestContext } from '../../../../src/lib/request'
import { type RecordOrder, selectRecords, sortRecords } from '../../../support/collect/selection'
import { graph, type Json, NO_LIST } from '../responses'

export interface ModelRecord {
  unixtime: number
  id: number
  value: number
}

export interface Behaviour {
  /** Whether records at the bounds are included. */
  inclusive: boolean
  order: RecordOrder
}

export interface Query {
  'unixtime-from': number
  'unixtime-to': number
  number: number
}

/** Selection as in the API description: the newest `number` of the records between the bounds. */
export function select(
  records: readonly ModelRecord[],
  query: Query,
  { inclusive, order }: Behaviour,
): Json[] {
  const { 'unixtime-from': from, 'unixtime-to': to, number } = query
  const byId = records.toSorted((a, b) => a.id - b.id)
  const taken = selectRecords(byId, { from, to, number: Math.min(number, 65_535) }, inclusive)
  return sortRecords(taken, order).map(
    ({ unixtime, id, value }): Json => ({
      unixtime,
      'data-id': id,
      ch1: value,
    }),
  )
}

export interface ModelRequest {
  endpoint: EndpointName
  params: Json
}

/** An account whose requests are answered by `reply` and recorded. */
export function modelAccount(
  reply: (request: ModelRequest, index: number) => Json,
  offset: number | null = 0,
  recordsRemaining: number | null = 1,
) {
  const requests: ModelRequest[] = []
  const account = {
    name: 'Plant A',
    concurrency: 2,
    series1Models: [],
    now: () => 1_795_161_600_000,
    devices: { ...NO_LIST, utcOffset: async () => offset },
    client: {
      async read(endpoint: EndpointName, params: Json, context: RequestContext) {
        if (context.signal.aborted) throw new EnvlogError('closed')
        requests.push({ endpoint, params })
        const body = readEnvelope(endpoint, JSON.stringify(reply({ endpoint, params }, requests.length - 1)))
        return { endpoint, body, receivedAt: 1_795_161_605_000, quota: { recordsRemaining } }
      },
    },
  } as unknown as Account
  return { account, requests: requests }
}

/** An account with one device with these records. */
export const modelService = (records: readonly ModelRecord[], behaviour: Behaviour, offset = 0) =>
  modelAccount(({ params }) => graph({ data: select(records, params as never, behaviour) }), offset)
