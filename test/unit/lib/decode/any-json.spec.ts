import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readEnvelope } from '../../../../src/lib/decode/envelopes'
import { type EndpointName, endpoints } from '../../../../src/lib/endpoints'
import { EnvlogError } from '../../../../src/lib/errors'
import { readAlerts } from '../../../../src/lib/readings/alerts'
import { readCurrent } from '../../../../src/lib/readings/current'
import { readSeries } from '../../../../src/lib/readings/series'
import { alertAnswer, currentDevice, graph, type Json, relayGraph } from '../answers'

/** All steps between an answer and the message of a node. */
function digest(endpoint: EndpointName, body: string): unknown {
  const envelope = readEnvelope(endpoint, body)
  if ('devices' in envelope) {
    return readCurrent(envelope, { receivedAt: 1.8e12, time: 'local', series1Models: ['M'], staleAfter: 60 })
  }
  return 'entries' in envelope ? readAlerts(envelope, 'local') : readSeries(envelope, 'local')
}

function understoodOrRefused(endpoint: EndpointName, body: string): void {
  try {
    digest(endpoint, body)
  } catch (error) {
    const known = error instanceof EnvlogError && error.code === 'ENVLOG_REPLY'
    if (!known) assert.fail(`${endpoint} threw ${String(error)} on ${body.slice(0, 300)}`)
  }
}

const samples: Record<EndpointName, Json> = {
  current: { devices: [currentDevice()] },
  'latest-data': graph({ data: [{ unixtime: 1, 'data-id': 1, ch1: 1 }] }),
  'latest-data-relay': relayGraph({ data: [{ unixtime: '1', 'data-id': '1', ch1: '1' }] }),
  data: graph({ data: [{ unixtime: 1, 'data-id': 1, ch1: 1 }] }),
  'data-relay': relayGraph({ data: [{ unixtime: '1', 'data-id': '1', ch1: '1' }] }),
  alert: alertAnswer({ 'alert-logs': [{ unixtime: '1', ch1: 'a' }] }),
}
const names = Object.keys(endpoints) as EndpointName[]
const endpoint = fc.constantFrom(...names)
const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(1e300, -1e300, '1e300', 8.64e12, -1, 1e15, '0', ''),
  fc
    .constantFrom('{"__proto__":1}', '{"constructor":null}', '{"toString":1}')
    .map((text) => JSON.parse(text)),
)

/** Every path of an answer, as keys from the root. */
function pathsOf(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...at]]
  return [[...at], ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...at, key]))]
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === key ? replaced(item, rest, by) : item))
  return { ...(value as Json), [key]: replaced((value as Json)[key], rest, by) }
}

const damaged = endpoint.chain((name) => {
  const change = fc.tuple(fc.constantFrom(...pathsOf(samples[name])), odd)
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => ({
    name,
    answer: changes.reduce<unknown>((answer, [path, by]) => {
      try {
        return replaced(answer, path, by)
      } catch {
        return answer
      }
    }, samples[name]),
  }))
})

describe('any answer of the service', () => {
  it('any text is decoded or ENVLOG_REPLY', () => {
    fc.assert(fc.property(endpoint, fc.oneof(fc.string(), fc.json()), understoodOrRefused), { numRuns: 500 })
  })

  it('an answer with any part replaced by any JSON is decoded or ENVLOG_REPLY', () => {
    fc.assert(
      fc.property(damaged, ({ name, answer }) => understoodOrRefused(name, JSON.stringify(answer))),
      { numRuns: 3000 },
    )
  })

  it('invalid offsets and times are decoded or ENVLOG_REPLY', () => {
    for (const offset of ['1e300', 1e17, -1e17, 8.64e12]) {
      understoodOrRefused('data', JSON.stringify({ ...samples.data, time_diff: offset }))
      understoodOrRefused('alert', JSON.stringify({ ...samples.alert, 'time-diff': offset }))
      understoodOrRefused('current', JSON.stringify({ devices: [currentDevice({ time_diff: offset })] }))
    }
    understoodOrRefused('data', JSON.stringify(graph({ data: [{ unixtime: 8.64e12, ch1: 1 }] })))
  })

  it('a value nested at any depth is decoded or ENVLOG_REPLY', () => {
    const deep = '['.repeat(50_000) + ']'.repeat(50_000)
    understoodOrRefused(
      'data',
      JSON.stringify(graph({ data: [{ unixtime: 1, ch1: 0 }] })).replace('"ch1":0', `"ch1":${deep}`),
    )
    understoodOrRefused('data', deep)
  })

  it('no answer pollutes prototypes', () => {
    const proto = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
    const device = JSON.stringify(currentDevice()).replace('{', `{"__proto__":{"polluted":1},`)
    understoodOrRefused('current', `{"devices":[${device}],"__proto__":{"polluted":1}}`)
    understoodOrRefused('data', JSON.stringify(graph()).replace('"data":[]', `"data":[${proto}]`))
    assert.equal(({} as Json).polluted, undefined)
  })

  for (const name of names) {
    it(`null, an array, text and an error object are ENVLOG_REPLY from ${name}`, () => {
      for (const body of [
        'null',
        '[]',
        '"Array"',
        'Array',
        '7',
        '',
        '<html>',
        '{"error":{"code":400,"message":"no"}}',
        '{}',
      ]) {
        assert.throws(
          () => digest(name, body),
          (error) => error instanceof EnvlogError && error.code === 'ENVLOG_REPLY',
          body,
        )
      }
    })
  }
})
