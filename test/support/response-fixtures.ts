import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Account, createAccount } from '../../src/lib/account'
import type { HttpResponse } from '../../src/lib/api/transport'
import type { Clock } from '../../src/lib/clock'
import { collectCurrent } from '../../src/lib/collect/current'
import type { Collected, ResponseFormat } from '../../src/lib/collect/fetch'
import { collectAlerts, collectLatest } from '../../src/lib/collect/fetch'
import { collectRange } from '../../src/lib/collect/range'
import type { TimeStyle } from '../../src/lib/decode/time'
import { buildPath, type EndpointName } from '../../src/lib/endpoints'
import type { Cause, ErrorCode, ErrorParams, Reason } from '../../src/lib/errors'
import { planMessages } from '../../src/lib/output/plan'
import type { QuotaHeaders } from '../../src/lib/quota-headers'
import { Registry } from '../../src/lib/registry'
import { OFFERED } from '../../src/shared/outputs'
import { chunksOf, fakeTransport, json } from './fake-transport'
import { messagesOf } from './messages'

/**
 * Response fixtures, two files per case: `<endpoint>--<what-is-odd>.<json|txt>` is the body, byte by byte;
 * `<same>.expected.json` is the expected message, written by hand from docs/messages.md. What a reading, a series or an
 * alert leaves out there is as in the first one of `<endpoint>--as-described`.
 */
const FOLDER = join(__dirname, '../fixtures/responses')

/** Request and metadata of a response; the defaults are below. */
interface Request {
  /** The requested device. */
  serial: string
  base: string
  time: TimeStyle
  series1Models: string[]
  staleAfter: number | null
  /** ISO 8601; 42 s after the first measurement of most fixtures. */
  receivedAt: string
  status: number
  headers: HttpResponse['headers']
  /** `csv` and `csv2` are those outputs, `json` is *raw*, `read` is *readings*. */
  form: ResponseFormat
  from: string
  to: string
  number: number | null
}

export interface Expected {
  why: string
  request?: Partial<Request>
  payload?: unknown
  /** Devices of the same response that are reported individually: serial and part. */
  failed?: [serial: string, part: string][]
  /** Only the given keys of `params` and `cause` are compared. */
  error?: { code: ErrorCode; reason: Reason; params?: ErrorParams; cause?: Cause }
  quota?: QuotaHeaders
}

export interface Fixture {
  name: string
  endpoint: EndpointName
  /** The path of the body. */
  file: string
}

const EXPECTED = '.expected.json'

export const fixtures = readdirSync(FOLDER)
  .filter((file) => file.includes('--') && !file.endsWith(EXPECTED))
  .map((file): Fixture => {
    const name = file.replace(/\.[^.]*$/, '')
    return { name, endpoint: name.split('--')[0] as EndpointName, file: join(FOLDER, file) }
  })

export const bodyOf = ({ file }: Fixture): Buffer => readFileSync(file)

const written = (name: string): Expected => JSON.parse(readFileSync(join(FOLDER, name + EXPECTED), 'utf8'))

export function expectedOf({ name, endpoint }: Fixture): Expected {
  const expected = written(name)
  const { payload, request: { form = 'read' } = {} } = expected
  if (payload === undefined || form !== 'read') return expected
  const [usual] = [written(`${endpoint}--as-described`).payload].flat() as object[]
  const whole = (part: unknown) => ({ ...usual, ...(part as object) })
  return { ...expected, payload: Array.isArray(payload) ? payload.map(whole) : whole(payload) }
}

const nodeOf = {
  current: 'envlog-current',
  'latest-data': 'envlog-latest',
  'latest-data-relay': 'envlog-latest',
  data: 'envlog-range',
  'data-relay': 'envlog-range',
  alert: 'envlog-alerts',
} as const satisfies Record<EndpointName, keyof typeof OFFERED>

/** A clock that stands still; nothing waits. */
function stillClock(now: number): Clock {
  return { now: () => now, monotonic: () => 0, after: () => () => {} }
}

/** Makes a short page count as the last one. */
const RECORDS_LEFT = { 'x-ratelimit-remaining-datacount': '160000' }

/** The result of one response: the message of the default output, and the quota in its headers. */
interface Outcome {
  payload: unknown
  failed: [serial: string, part: string][]
  quota: QuotaHeaders
}

/** Passes a body through client, collection and output, in the same way as the endpoint's node. @throws EnvlogError */
export async function receive(
  endpoint: EndpointName,
  body: Uint8Array,
  over: Partial<Request> = {},
): Promise<Outcome> {
  const standalone = endpoint === 'latest-data' || endpoint === 'data'
  const request: Request = {
    serial: standalone ? '52A10001' : '5212A1B2',
    base: standalone ? '52A10001' : '5839F001',
    time: 'utc',
    series1Models: [],
    staleAfter: null,
    receivedAt: '2026-11-20T08:00:42.000Z',
    status: 200,
    headers: {},
    form: 'read',
    from: '2001-01-01T00:00:00Z',
    to: '2101-01-01T00:00:00Z',
    number: null,
    ...over,
  }
  const path = buildPath(endpoint, 'relay')
  const transport = fakeTransport(({ url }) =>
    url.endsWith(path)
      ? { status: request.status, headers: { ...RECORDS_LEFT, ...request.headers }, chunks: chunksOf([body]) }
      : json({ devices: [] }),
  )
  const clock = stillClock(Date.parse(request.receivedAt))
  const account = createAccount(
    {
      name: 'Plant A',
      baseUrl: 'https://service.example',
      relaySuffix: 'relay',
      credentials: { apiKey: `${'k'.repeat(44)}1`, loginId: 'user0001', loginPass: 'pa/ss"1' },
      timeout: 30,
      concurrency: 2,
      retries: 0,
      series1Models: request.series1Models,
    },
    { transport, clock, random: () => 0.5, registry: new Registry(clock) },
  )
  const { response, content, failed = [] } = await collect(account, endpoint, request)
  const node = nodeOf[endpoint]
  const [send] = OFFERED[node].readings ?? []
  if (send === undefined) throw new Error(`${node} offers no readings`)
  const how = {
    output: 'readings',
    send,
    time: 'utc',
    chunk: 1000,
    measurement: 'm',
    fieldNames: 'channel',
    group: null,
  } as const
  const messages = await messagesOf(await planMessages(content, how))
  if (messages.length !== 1) throw new Error(`${messages.length} messages of one response`)
  return {
    payload: messages[0]?.payload,
    failed: failed.map(({ device, error }) => [
      'serial' in device ? device.serial : '',
      String(error.params.part),
    ]),
    quota: response.quota,
  }
}

async function collect(account: Account, endpoint: EndpointName, request: Request): Promise<Collected> {
  const { serial, base, time, form, staleAfter, number } = request
  const context = { signal: new AbortController().signal, queueKey: 'fixture', maxWaitMs: 0 }
  const target = { serial, base }
  switch (nodeOf[endpoint]) {
    case 'envlog-current': {
      const query = {
        selection: 'all',
        exclude: [],
        time,
        staleAfter,
        format: form,
        property: 'devices',
      } as const
      const collected = await collectCurrent(account, query, context)
      if (!collected) throw new Error('nothing was requested')
      return collected
    }
    case 'envlog-latest':
      return collectLatest(account, target, { time, format: form }, context)
    case 'envlog-range': {
      const period = {
        from: { instant: Date.parse(request.from) },
        to: { instant: Date.parse(request.to) },
      }
      return collectRange(account, target, { period, number, time, format: form }, context)
    }
    case 'envlog-alerts':
      return collectAlerts(account, target, { time, format: form }, context)
  }
}
