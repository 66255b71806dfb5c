/** Responses, also of proxies and gateways, in which a secret can be echoed. */
import fc from 'fast-check'
import { alertAnswer, currentDevice, graph, type Json, relayGraph } from '../../lib/answers'
import { head, JSON_HEADERS, type ReceivedRequest, response } from '../hostile-peers/wire'

/** A remote unit and a standalone device. */
export const REMOTE_DEVICE = { serial: '5212A1B2', base: '5839F001' }
export const STANDALONE_DEVICE = { serial: '52A10001', base: '52A10001' }

const record = { unixtime: '1795161600', 'data-id': '1', ch1: '-18.4' }

/** A right answer to any request. */
export function goodAnswer({ path, body }: ReceivedRequest): Json | string {
  const { type } = JSON.parse(body.toString() || '{}') as { type?: string }
  if (type === 'csv' || type === 'csv2') return CSV
  if (path.endsWith('/current'))
    return { devices: [currentDevice(), currentDevice({ ...alone, name: 'Freezer 1' })] }
  if (path.endsWith('/alert'))
    return alertAnswer({ 'alert-logs': [{ unixtime: '1795161600', ch1: 'Upper Limit' }] })
  if (path.endsWith('-relay')) return relayGraph({ data: [record, { ...record, 'data-id': '2', ch1: 'E1' }] })
  return graph({ serial: STANDALONE_DEVICE.serial, data: [record] })
}
const alone = { serial: STANDALONE_DEVICE.serial, baseunit: [] }

const CSV = `"Date/Time","Date/Time","No.1"
"","","Inside"
"","","C"
"2026-11-20 17:00:00","46346.7083333333","-18.4"
"2026-11-20 17:10:00","46346.7152777778","E1"
`

/** What is answered to a request, byte for byte. */
export type EchoResponse = (echo: string, received: ReceivedRequest) => Buffer | string

const object =
  (change: (good: Json, echo: string) => unknown): EchoResponse =>
  (echo, received) => {
    const good = goodAnswer(received)
    if (typeof good === 'string') return response(good.replace('Inside', echo.replaceAll('"', '""')))
    return response(JSON.stringify(change(good, echo)))
  }

/** Replaces one of the texts of an answer, counted in their order at any depth. */
function withText(good: Json, wanted: number, echo: string): unknown {
  const count = textsIn(good)
  let left = wanted % count
  const copy = (value: unknown): unknown => {
    if (typeof value === 'object' && value !== null) {
      const parts = Object.entries(value).map(([key, part]) => [key, copy(part)] as const)
      return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts)
    }
    return left-- === 0 ? echo : value
  }
  return copy(good)
}
const textsIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, part) => sum + textsIn(part), 0)
    : 1

const cells = (table: string, wanted: number, echo: string): string => {
  const found = table.match(/"[^"]*"/g) ?? []
  let left = wanted % found.length
  return table.replace(/"[^"]*"/g, (cell) => (left-- === 0 ? `"${echo.replaceAll('"', '""')}"` : cell))
}

export const inText =
  (wanted: number): EchoResponse =>
  (echo, received) => {
    const good = goodAnswer(received)
    if (typeof good === 'string') return response(cells(good, wanted, echo))
    return response(JSON.stringify(withText(good, wanted, echo)))
  }

const LISTS = ['devices', 'data', 'alert-logs']
const inElement = (good: Json, change: (element: Json) => Json): Json =>
  Object.fromEntries(
    Object.entries(good).map(([key, value]) => [
      key,
      LISTS.includes(key) && Array.isArray(value) ? value.map(change) : value,
    ]),
  )

/** A refusal with a status and an error object. */
export const refusalWith =
  (status: number, error: (echo: string) => unknown): EchoResponse =>
  (echo) =>
    response(JSON.stringify({ error: error(echo) }), {}, status)
const page =
  (status: number, body: (echo: string) => string, type = 'text/html'): EchoResponse =>
  (echo) =>
    response(body(echo), { 'Content-Type': type }, status)
const headed =
  (status: number, headers: (echo: string) => Record<string, string>): EchoResponse =>
  (echo, received) =>
    response(JSON.stringify(status === 200 ? goodAnswer(received) : {}), headers(echo), status)
/** Invalid HTTP, which ends the connection. */
const broken =
  (bytes: (echo: string) => string): EchoResponse =>
  (echo) =>
    Buffer.from(bytes(echo), 'latin1')

/** An error message with the complete request. */
export const requestInWords: EchoResponse = (_, { head: received, body }) =>
  response(JSON.stringify({ error: { code: 1, message: `${body} ${received}` } }), {}, 400)
export const requestInField: EchoResponse = (_, received) => {
  const good = goodAnswer(received)
  const more = { got: `${received.body}`, head: received.head }
  return response(
    typeof good === 'string' ? `${good}"${received.head}"` : JSON.stringify({ ...good, ...more }),
  )
}

/** Parts of the request in a debug message. */
const shown = (echo: string) => ({ received: { 'api-key': echo, body: `{"login-pass":"${echo}"}` } })
const line = (echo: string) => echo.replace(/[\r\n]+/g, ' ')

/** 429 closes an endpoint for a while. */
const REFUSALS = [400, 401, 403, 404, 415, 418, 500, 502, 503, 504] as const

export const anyEchoResponse: fc.Arbitrary<{ title: string; respond: EchoResponse }> = fc.oneof(
  { weight: 4, arbitrary: fc.nat(60).map((at) => ({ title: `text ${at}`, respond: inText(at) })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...REFUSALS),
        fc.constantFrom<[string, (echo: string) => unknown]>(
          ['message', (message) => ({ code: 400, message })],
          ['code', (code) => ({ code, message: 'Bad request' })],
          ['number', (code) => ({ code: Number(code) || 1, message: '' })],
          ['both', (echo) => ({ code: echo, message: echo })],
          [
            'details',
            (echo) => ({ code: 400, message: 'Bad request', [echo]: echo, details: [shown(echo)] }),
          ],
          ['message of lines', (echo) => ({ code: 400, message: echo.replaceAll(' ', '\n') })],
          ['message as object', (echo) => ({ code: 400, message: shown(echo) })],
        ),
      )
      .map(([status, [name, error]]) => ({
        title: `${status}, ${name}`,
        respond: refusalWith(status, error),
      })),
  },
  fc
    .tuple(
      fc.constantFrom(200, 302, ...REFUSALS),
      fc.constantFrom<[string, (echo: string) => string, string?]>(
        ['page', (echo) => `<h1>Error</h1><pre>${echo}</pre>`],
        ['text', (echo) => echo, 'text/plain'],
        ['no JSON', (echo) => `{"error": ${echo}`, 'application/json'],
        ['JSON text', (echo) => JSON.stringify(echo), 'application/json'],
        ['list', (echo) => JSON.stringify([echo]), 'application/json'],
        ['error object', (message) => JSON.stringify({ error: { code: 1, message } }), 'application/json'],
        ['other object', (echo) => JSON.stringify(shown(echo)), 'application/json'],
      ),
    )
    .map(([status, [name, body, type]]) => ({
      title: `${status}, ${name}`,
      respond: page(status, body, type),
    })),
  fc
    .tuple(
      fc.constantFrom(200, 302, 401, 404, 500),
      fc.constantFrom('Location', 'WWW-Authenticate', 'Set-Cookie', 'X-Echo', 'Content-Type', 'Retry-After'),
    )
    .map(([status, name]) => ({
      title: `${status}, header ${name}`,
      respond: headed(status, (echo) => ({
        [name]: line(name === 'Location' ? `https://x.test/?k=${echo}` : echo),
      })),
    })),
  fc
    .constantFrom<[string, EchoResponse]>(
      ['the request in words', requestInWords],
      ['the request in a field', requestInField],
      [
        'other fields',
        object((good, echo) => ({ ...good, [echo]: echo, echo: shown(echo), list: [[echo]] })),
      ],
      ['keys of elements', object((good, echo) => inElement(good, (one) => ({ ...one, [echo]: echo })))],
      [
        'an error text for a value',
        object((good, echo) => inElement(good, (one) => ({ ...one, ch1: echo, value: echo }))),
      ],
      ['an element that is none', object((good, echo) => inElement(good, () => [echo] as never))],
      [
        'an answer about another device',
        object((good, echo) => ({ ...good, serial: echo, 'remote-serial': echo })),
      ],
      [
        'a list that is none',
        object((_, echo) => ({ devices: echo, data: { [echo]: 1 }, 'alert-logs': echo, serial: echo })),
      ],
      ['a status line', broken((echo) => `${head(`404 ${line(echo)}`, { 'Content-Length': 0 })}`)],
      ['no status line', broken((echo) => `${line(echo)}\r\n\r\n`)],
      ['no header', broken((echo) => `HTTP/1.1 200 OK\r\n${line(echo)}\r\n\r\n`)],
      ['a length', broken((echo) => head(200, { 'Content-Length': line(echo) }))],
      ['an encoding', broken((echo) => `${head(200, { 'Transfer-Encoding': line(echo) })}${echo}`)],
      ['a chunk', broken((echo) => `${head(200, { 'Transfer-Encoding': 'chunked' })}${line(echo)}\r\n`)],
      [
        'early hints',
        broken((echo) => `${head('103 Early', { Link: line(echo) })}${response('{}', {}, 404)}`),
      ],
      [
        'a body that breaks off',
        broken((echo) => `${head(200, { 'Content-Length': 9999 })}{"devices":["${echo}`),
      ],
      [
        'a body that is not compressed',
        broken(
          (echo) =>
            `${head(200, { ...JSON_HEADERS, 'Content-Encoding': 'gzip', 'Content-Length': 5 })}${echo}`,
        ),
      ],
      ['too long a header', broken((echo) => head(200, { 'X-Long': line(echo).padEnd(20_000, 'x') }))],
    )
    .map(([title, respond]) => ({ title, respond })),
)
