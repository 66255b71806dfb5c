/** Peers with valid HTTP and invalid contents. */
import type { HostilePeer } from './peer'
import {
  head,
  JSON_HEADERS,
  type ReceivedRequest,
  respondWith,
  response,
  type WorkingService,
  writeAll,
} from './wire'

const OK = ['ok'] as const
const REPLY = ['ENVLOG_REPLY'] as const

/** Rate headers that a gateway might send. */
const NOTHING_LEFT = {
  'X-RateLimit-Limit': '1',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': '86400',
  'X-RateLimit-Remaining-DataCount': '0',
  'Retry-After': '86400',
}

const LEVELS = 20_000
const DEEP = `${'['.repeat(LEVELS)}${']'.repeat(LEVELS)}`
const KEYS = 5000
const MB = 1024 * 1024
const LIMIT = 64 * MB
const ITEMS = 1_000_000
/** Written in one piece. */
const SOME = 10_000

type Change = (answer: string, received: ReceivedRequest) => string

const changed = (change: Change) => (service: WorkingService) =>
  respondWith(async (socket, received) => {
    const { status, headers, body } = await service.answer(received)
    socket.write(response(change(String(body), received), headers, status))
  })

const LIST = /"(devices|data|alert-logs)":\[/

/** An answer with a Content-Length that is sent in pieces: `before`, one text repeated, `after`. */
const long =
  (
    split: (
      answer: string,
      received: ReceivedRequest,
    ) => [before: string, again: string, count: number, after: string],
  ) =>
  (service: WorkingService) =>
    respondWith(async (socket, received) => {
      const [before, again, count, after] = split(String((await service.answer(received)).body), received)
      const length = Buffer.byteLength(before) + again.length * count + Buffer.byteLength(after)
      const block = Buffer.from(again.repeat(Math.min(SOME, count)))
      function* pieces() {
        yield before
        for (let left = count; left > 0; left -= SOME)
          yield block.subarray(0, again.length * Math.min(SOME, left))
        yield after
      }
      socket.write(head(200, { ...JSON_HEADERS, 'Content-Length': length }))
      await writeAll(socket, pieces())
    })

/** The answer with a field that is so long that the whole answer has this many bytes. */
const padded = (size: number) =>
  long((answer) => {
    const before = '{"more":"'
    const after = `",${answer.slice(1)}`
    return [before, 'x', size - before.length - Buffer.byteLength(after), after]
  })

const ITEM: Record<string, string> = {
  devices: '{"num":"0","serial":"52A19999"},',
  data: '{"unixtime":1795139739,"data-id":1,"ch1":-17.1,"ch2":"E1"},',
  'alert-logs': '{"unixtime":"1795265741","ch1":"Upper Limit"},',
}

const manyItems = long((answer) => {
  const { index, 0: found, 1: list = '' } = LIST.exec(answer) as RegExpExecArray
  const start = index + found.length
  return [answer.slice(0, start), ITEM[list] as string, ITEMS, answer.slice(start)]
})

/** Keys that are something else in an object of JavaScript's. */
const KEYED =
  '"__proto__":{"polluted":1,"ch1":7},"constructor":{"prototype":{"polluted":1}},"toString":1,"hasOwnProperty":null,"valueOf":[],'

const keyed =
  (key: RegExp): Change =>
  (answer) =>
    answer.replace(key, (found) => `${found}${KEYED}`)

function keys(count: number): string {
  return Array.from({ length: count }, (_, index) => `"ch${index + 1000}":${index},"key${index}":"x",`).join(
    '',
  )
}

/** The readings of one device, with the serial of another. */
const renamed: Change = (answer) => answer.replaceAll(/("(?:remote-|base-)?serial":")[^"]+/g, '$15FFFFFFF')

export const answerPeers: HostilePeer[] = [
  {
    title: 'answers with 63.9 MB',
    behaviour: padded(LIMIT - 1000),
    ends: ['ok', ...REPLY],
    kind: 'huge',
    maxOpen: 2,
  },
  { title: 'answers with 74 MB', behaviour: padded(LIMIT + 10 * MB), ends: REPLY, kind: 'huge' },
  {
    title: 'never ends its answer',
    behaviour: () =>
      respondWith(async (socket) => {
        socket.write(`${head(200, { ...JSON_HEADERS, 'Transfer-Encoding': 'chunked' })}ffffffff\r\n{"data":[`)
        const block = Buffer.from('{},'.repeat(20_000))
        await writeAll(socket, {
          *[Symbol.iterator]() {
            for (;;) yield block
          },
        })
      }),
    ends: REPLY,
    kind: 'huge',
  },
  { title: 'answers with 1,000,000 elements', behaviour: manyItems, ends: REPLY, kind: 'huge', maxOpen: 2 },
  {
    title: 'nests a field of its answer 20,000 levels deep',
    behaviour: changed((answer) => `{"more":${DEEP},${answer.slice(1)}`),
    ends: REPLY,
    maxOpen: 2,
  },
  {
    title: 'nests an element of its list 20,000 levels deep',
    behaviour: changed((answer) => answer.replace(LIST, (found) => `${found}${DEEP},`)),
    ends: REPLY,
    maxOpen: 2,
  },
  {
    title: 'answers with nothing but 20,000 levels',
    behaviour: changed(() => `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`),
    ends: REPLY,
    maxOpen: 2,
  },
  {
    title: 'has 10,000 keys in each of its first records',
    behaviour: changed((answer) =>
      answer.replace(LIST, (found) => `${found}{${keys(KEYS)}"unixtime":"1795265741"},`),
    ),
    ends: ['ok', ...REPLY],
    maxOpen: 2,
  },
  {
    title: 'has keys like __proto__ in its answer',
    behaviour: changed(keyed(/^\{/)),
    ends: OK,
    maxOpen: 2,
  },
  {
    title: 'has keys like __proto__ in each record',
    behaviour: changed(keyed(/\{(?="(?:unixtime|num|name)")/g)),
    ends: OK,
    maxOpen: 2,
  },
  {
    title: 'is a gateway that claims that no quota is left',
    behaviour: () => respondWith((socket) => socket.write(response('<h1>Bad</h1>', NOTHING_LEFT, 502))),
    ends: ['ENVLOG_SERVICE', 'ENVLOG_NETWORK'],
    maxOpen: 2,
  },
  {
    title: 'is a page that claims that no quota is left',
    behaviour: () => respondWith((socket) => socket.write(response('<h1>Log in</h1>', NOTHING_LEFT))),
    ends: REPLY,
    maxOpen: 2,
  },
  {
    title: 'answers about another device',
    behaviour: changed(renamed),
    ends: {
      // It leaves out unknown ones.
      current: ['ok', 'ENVLOG_INPUT', ...REPLY],
      latest: REPLY,
      range: REPLY,
      alerts: REPLY,
    },
    maxOpen: 2,
  },
  {
    title: 'answers with a NUL and broken UTF-8',
    behaviour: changed(() => '\0\ud800{"devices":['),
    ends: REPLY,
    maxOpen: 2,
  },
]
