import { Client } from '../../../../src/lib/api/client'
import type { HttpRequest, HttpResponse, Transport } from '../../../../src/lib/api/transport'
import type { EndpointName } from '../../../../src/lib/endpoints'
import { EnvlogError } from '../../../../src/lib/errors'
import { limitsWith } from '../../../../src/lib/quota/account-limits'
import { Quota } from '../../../../src/lib/quota/quota'
import type { RequestContext } from '../../../../src/lib/request'
import type { LimitsTable } from '../../../../src/shared/service-limits'
import { createVirtualClock } from '../../../support/clock'
import { fakeTransport, json } from '../../../support/fake-transport'
import { SETTINGS } from '../../../support/quota/simulation'

/** For the endpoint `current`: a window of two minutes and a margin, ms. */
export const HELD_MS = 121_000

export type Headers = { limit?: number; remaining?: number; window?: number; records?: number }

/** A response with the rate-limit headers. */
export function withHeaders(
  response: HttpResponse,
  { limit, remaining, window, records }: Headers,
): HttpResponse {
  const headers: Record<string, string> = {}
  if (limit !== undefined) headers['x-ratelimit-limit'] = `${limit}`
  if (remaining !== undefined) headers['x-ratelimit-remaining'] = `${remaining}`
  if (window !== undefined) headers['x-ratelimit-reset'] = `${window}`
  if (records !== undefined) headers['x-ratelimit-remaining-datacount'] = `${records}`
  return { ...response, headers }
}

export const fine = (headers: Headers = {}) => withHeaders(json({ devices: [], data: [] }), headers)

/** This many raw records. */
export const records = (count: number, headers: Headers = {}) =>
  withHeaders(json({ data: Array(count).fill(0) }), headers)

/** A result that has, or has not, arrived. */
export interface Seen {
  state: 'waiting' | 'done' | 'failed'
  value?: unknown
  error?: EnvlogError
}

/** A request that was sent; `response` ends it. */
export interface Sent {
  params: Record<string, unknown>
  answer(response: HttpResponse | EnvlogError): void
}

interface Asked {
  endpoint?: EndpointName
  number?: number
  params?: object
  /** Called just when the response arrives. */
  onResponse?(): void
}

/** One Node-RED with one account, and a service controlled by the test. */
export class Station {
  readonly clock = createVirtualClock()
  readonly quota = new Quota(this.clock)
  /** Requests that were sent and have no response yet. */
  readonly sent: Sent[] = []
  /** False while no connection can be made. */
  isReachable = true
  /** Removes the account node. */
  readonly leave: () => void
  readonly #client: Client

  constructor(limits: LimitsTable = {}, concurrency = 100) {
    this.leave = this.join(limits, concurrency)
    const service = fakeTransport((request) => this.#receive(request))
    const transport: Transport = {
      send: (request, read) =>
        this.isReachable
          ? service.send(request, read)
          : { result: Promise.reject(new EnvlogError('no-connection')), abandon() {} },
      close: () => service.close(),
    }
    const ports = { transport, clock: this.clock, quota: this.quota, random: () => 0.5 }
    this.#client = new Client({ ...SETTINGS, retries: 0 }, ports)
  }

  /** Adds an account node with the same API key. @returns a function that removes it */
  join(limits: LimitsTable = {}, concurrency = 100): () => void {
    return this.quota.join({ concurrency, limits: limitsWith(limits) })
  }

  #receive({ body }: HttpRequest): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const sent: Sent = {
        params: JSON.parse(body),
        answer: (response) => {
          this.sent.splice(this.sent.indexOf(sent), 1)
          if (response instanceof Error) reject(response)
          else resolve(response)
        },
      }
      this.sent.push(sent)
    })
  }

  /** Sends a request for a device. */
  request(
    serial: string,
    {
      endpoint = 'current',
      number,
      params: more = {},
      onResponse = () => {},
      ...context
    }: Partial<RequestContext> & Asked = {},
  ): Seen {
    const signal = new AbortController().signal
    const whole: RequestContext = { signal, queueKey: 'node', maxWaitMs: null, ...context }
    const params = endpoint === 'current' ? { 'remote-serial': [serial] } : { 'remote-serial': serial }
    const period = number === undefined ? {} : { number }
    const seen: Seen = { state: 'waiting' }
    this.#client.readRaw(endpoint, { ...params, ...period, ...more } as never, whole).then(
      ({ body }) => {
        Object.assign(seen, { state: 'done', value: body })
        onResponse()
      },
      (error) => Object.assign(seen, { state: 'failed', error }),
    )
    return seen
  }

  /** Sends a request, and returns its state after the work that follows immediately. */
  async settled(serial: string, asked: Parameters<Station['request']>[1]): Promise<Seen> {
    const seen = this.request(serial, asked)
    await this.clock.settle()
    return seen
  }

  /** The devices of the requests that were sent and have no response yet. */
  async serials(): Promise<string[]> {
    await this.clock.settle()
    return this.sent.map(({ params }) => String(params['remote-serial']))
  }

  /** Responds to the oldest request. */
  async answer(response: HttpResponse | EnvlogError = fine()): Promise<void> {
    await this.clock.settle()
    this.sent[0]?.answer(response)
    await this.clock.settle()
  }

  /** Sends a request and responds to it. */
  async exchange(response: HttpResponse | EnvlogError = fine(), serial = 'first'): Promise<Seen> {
    const seen = this.request(serial)
    await this.answer(response)
    return seen
  }

  /** Responds to one request to the endpoint, so that it is known, and waits until that is forgotten. */
  async begin(endpoint: EndpointName = 'current'): Promise<this> {
    this.request('begin', { endpoint })
    await this.answer(fine())
    await this.clock.pass(2 * 3_700_000)
    return this
  }
}
