import assert from 'node:assert/strict'
import { type Simulator, startSimulator } from '../../../simulator'
import { type Account, createAccount } from '../../../src/lib/account'
import { type TransportOptions, UndiciTransport } from '../../../src/lib/api/transport'
import { systemClock } from '../../../src/lib/clock'
import { EnvlogError } from '../../../src/lib/errors'
import { Registry } from '../../../src/lib/registry'
import { authority, type Listener, startTls } from '../../support/network'
import { until } from '../../support/wait'
import { type Peer, type PeerBehaviour, proxyWithoutTarget, silent, startPeer } from './peers'

/** The account's timeout, in seconds. */
const TIMEOUT = 0.3
/** For busy machines; without it, the limit would be the test's own. */
const SLACK_MS = 20_000
/** Until the system has closed a connection, even on a busy machine. */
const CLOSED_MS = 10_000

/** A service with TLS that is reached through a peer, directly or as a proxy. */
const ways = {
  'accepts a connection and never finishes TLS': { behaviour: silent, isProxy: false },
  'is a proxy that never answers': { behaviour: silent, isProxy: true },
  'is a proxy that opens the way and is silent then': { behaviour: proxyWithoutTarget, isProxy: true },
} satisfies Record<string, { behaviour: PeerBehaviour; isProxy: boolean }>

describe('a peer that never reaches HTTP', () => {
  let simulator: Simulator
  let service: Listener
  let peer: Peer
  let account: Account

  before(async () => {
    simulator = await startSimulator({ limits: 'off' })
    service = await startTls(simulator.port)
  })
  after(() => Promise.all([simulator.close(), service.close()]))
  afterEach(async () => {
    await account.close()
    await peer.close()
  })

  async function open({ behaviour, isProxy }: (typeof ways)[keyof typeof ways]): Promise<void> {
    peer = await startPeer(behaviour)
    const options: TransportOptions = { timeoutMs: TIMEOUT * 1000, tls: { ca: authority } }
    if (isProxy) options.proxy = { url: `http://127.0.0.1:${peer.port}`, noProxy: [] }
    account = createAccount(
      {
        name: '',
        baseUrl: `https://${isProxy ? 'service.test' : `localhost:${peer.port}`}`,
        relaySuffix: 'relay',
        credentials: simulator.account,
        timeout: TIMEOUT,
        concurrency: 2,
        retries: 0,
        series1Models: [],
      },
      {
        transport: new UndiciTransport(options),
        clock: systemClock,
        random: () => 0.5,
        registry: new Registry(systemClock),
      },
    )
  }

  const request = (line = 'test', stop = new AbortController()) =>
    account.client.read('current', {}, { signal: stop.signal, queueKey: line, maxWaitMs: null })

  async function fails(promise: Promise<unknown>): Promise<EnvlogError> {
    const start = performance.now()
    const error = await promise.then(
      () => assert.fail('it was answered'),
      (failure: unknown) => failure,
    )
    assert.ok(error instanceof EnvlogError, String(error))
    assert.ok(performance.now() - start < 2 * TIMEOUT * 1000 + SLACK_MS)
    return error
  }

  for (const [title, way] of Object.entries(ways)) {
    it(`lets requests end in time, and the next one succeed after the repair: ${title}`, async () => {
      await open(way)
      // More than the concurrency: waiting requests are not blocked forever.
      const errors = await Promise.all(['a', 'b', 'c'].map((line) => fails(request(line))))
      for (const { code } of errors) assert.equal(code, 'ENVLOG_TIMEOUT')
      assert.equal(account.quota.counts().running, 0)
      await until('all connections are closed', () => peer.open() === 0, CLOSED_MS)
      peer.mend(service.port)
      if (way.isProxy) return
      const { body } = await request()
      assert.ok(body.devices.length > 0)
    })

    it(`lets an aborted request end immediately: ${title}`, async () => {
      await open(way)
      const stop = new AbortController()
      const outcome = fails(request('test', stop))
      await until('connected', () => peer.open() > 0)
      stop.abort()
      assert.equal((await outcome).code, 'ENVLOG_CLOSED')
      await until('the connection is closed', () => peer.open() === 0, CLOSED_MS)
    })
  }
})
