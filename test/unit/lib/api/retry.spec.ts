import assert from 'node:assert/strict'
import { retryDelayMs } from '../../../../src/lib/api/retry'
import { EnvlogError } from '../../../../src/lib/errors'
import {
  brokenOff,
  connectionBroken,
  json,
  refusal,
  type Script,
  silence,
  streamed,
  text,
} from '../../../support/fake-transport'
import { alertResponse, context } from '../responses'
import { clientOf, ok, useFakeTimers, watch } from './setup'

const broken: Script = () => {
  throw connectionBroken()
}

/** Kind of failure → number of retries if three are allowed. */
const tries: readonly (readonly [string, Script, number])[] = [
  ['no connection', broken, 3],
  ['a connection that breaks within a response', () => streamed(brokenOff()), 3],
  ['silence', silence, 3],
  ['500', () => refusal(500), 3],
  ['502', () => refusal(502), 3],
  ['503', () => refusal(503), 3],
  ['504', () => refusal(504), 3],
  ['501', () => refusal(501), 0],
  ['400', () => refusal(400), 0],
  ['401', () => refusal(401), 0],
  ['403', () => refusal(403), 0],
  ['415', () => refusal(415), 0],
  // The quota retries, not the client: twice, each after a window.
  ['429', () => refusal(429), 2],
  ['a redirect', () => refusal(302), 0],
  [
    'a certificate that is not accepted',
    () => {
      throw new EnvlogError('no-certificate', { detail: 'SELF_SIGNED_CERT_IN_CHAIN' })
    },
    0,
  ],
  [
    'a certificate that is not valid at this time',
    () => {
      throw new EnvlogError('certificate-time', {
        detail: 'CERT_NOT_YET_VALID',
        time: '1970-01-01 00:03 UTC',
      })
    },
    0,
  ],
  ['a whole response that is not JSON', () => text('{"devices":['), 0],
  ['a whole response that cannot be read', () => json({ devices: 1 }), 0],
  ['an empty answer', () => text(''), 0],
]

describe('retries', () => {
  const timers = useFakeTimers()

  for (const [title, script, expected] of tries) {
    it(`after ${title} are ${expected || 'none'}`, async () => {
      const { client, transport } = clientOf(script)
      const read = watch(client.read('current', {}, context))
      await timers().tickAsync(3_600_000)
      assert.equal(transport.sent.length, 1 + expected)
      assert.notEqual(read.state, 'waits')
      assert.equal(read.error?.cause.endpoint, 'current')
    })
  }

  it('are as many as the account allows, possibly none', async () => {
    const { client, transport } = clientOf(broken, { retries: 5 })
    const read = watch(client.read('current', {}, { ...context, maxRetries: 1 }))
    await timers().tickAsync(3_600_000)
    assert.deepEqual([transport.sent.length, read.state === 'waits'], [2, false], 'a request may allow fewer')
    for (const retries of [0, 1, 5]) {
      const { client, transport } = clientOf(broken, { retries })
      watch(client.read('current', {}, context))
      await timers().tickAsync(3_600_000)
      assert.equal(transport.sent.length, 1 + retries)
    }
  })

  it('are as many as one of the callers allows', async () => {
    const { client, transport } = clientOf(broken, { retries: 5 })
    for (const maxRetries of [1, 3]) watch(client.read('current', {}, { ...context, maxRetries }))
    await timers().tickAsync(3_600_000)
    assert.equal(transport.sent.length, 4)
  })

  it('end as soon as the callers that allow them have left', async () => {
    const { client, transport } = clientOf(broken, { retries: 5 })
    const left = new AbortController()
    const names = watch(client.read('current', {}, { ...context, maxRetries: 0 }))
    watch(client.read('current', {}, { ...context, signal: left.signal }))
    await timers().tickAsync(0)
    left.abort()
    await timers().tickAsync(3_600_000)
    assert.equal(transport.sent.length, 1)
    assert.equal(names.error?.code, 'ENVLOG_NETWORK')
  })

  it('for alerts are at most one, even if the account allows more', async () => {
    const device = { 'remote-serial': '5212A1B2', 'base-serial': '5839F001' }
    for (const [retries, expected] of [
      [10, 2],
      [1, 2],
      [0, 1],
    ] as const) {
      const { client, transport } = clientOf(broken, { retries })
      watch(client.read('alert', device, context))
      await timers().tickAsync(3_600_000)
      assert.equal(transport.sent.length, expected)
    }
  })

  it('send the same request again until there is a valid response', async () => {
    const { client, transport } = clientOf((_request, index) => (index < 2 ? refusal(503) : ok()))
    const read = client.read('current', {}, context)
    await timers().runAllAsync()
    assert.equal((await read).body.devices.length, 1)
    assert.equal(new Set(transport.sent.map(({ body, url }) => body + url)).size, 1)
    assert.equal(transport.sent.length, 3)
  })

  it('end as soon as a failure is not retryable', async () => {
    const { client, transport } = clientOf((_, index) => refusal(index === 0 ? 503 : 401))
    const read = watch(client.read('current', {}, context))
    await timers().runAllAsync()
    assert.equal(read.state, 'login-refused')
    assert.equal(transport.sent.length, 2)
  })

  it('are delayed by 1, 2, 4 … 30 seconds, half as long to half as long again', () => {
    const delays = [0, 1, 2, 4, 5, 20].map((retry) =>
      [0, 0.5, 1].map((random) => retryDelayMs(retry, random)),
    )
    const around = (ms: number) => [ms / 2, ms, 1.5 * ms]
    assert.deepEqual(delays, [1000, 2000, 4000, 16_000, 30_000, 30_000].map(around))
  })

  it('have increasing delays', async () => {
    const sentAt: number[] = []
    const { client } = clientOf(() => {
      sentAt.push(Date.now())
      throw connectionBroken()
    })
    watch(client.read('current', {}, context))
    await timers().runAllAsync()
    const waits = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0))
    assert.equal(waits.length, 3)
    assert.ok(
      waits.every((wait, index) => wait > (waits[index - 1] ?? 0)),
      String(waits),
    )
  })

  it('do not block other requests while they are delayed', async () => {
    const { client, transport } = clientOf(
      ({ url }) => (/alert/.test(url) ? json(alertResponse()) : refusal(503)),
      {
        concurrency: 1,
      },
    )
    watch(client.read('current', {}, context))
    const other = watch(client.read('alert', { 'remote-serial': 'a', 'base-serial': 'b' }, context))
    await timers().tickAsync(10)
    assert.equal(other.state, 'done')
    assert.equal(transport.sent.length, 2)
  })

  it('are counted for all callers together, even if some of them leave', async () => {
    const { client, transport } = clientOf(broken, { retries: 1 })
    const first = new AbortController()
    const left = watch(client.read('current', {}, { ...context, signal: first.signal }))
    const stays = watch(client.read('current', {}, context))
    await timers().tickAsync(10)
    assert.equal(transport.sent.length, 1)
    first.abort()
    await timers().tickAsync(600_000)
    assert.deepEqual([transport.sent.length, left.state, stays.state], [2, 'closed', 'connection-broken'])
  })
})
