import assert from 'node:assert/strict'
import dns from 'node:dns'
import { createServer as createHttpServer, type Server as HttpServer, type ServerResponse } from 'node:http'
import {
  connect,
  createServer,
  getDefaultAutoSelectFamily,
  type LookupFunction,
  type Server,
  type Socket,
  setDefaultAutoSelectFamily,
} from 'node:net'
import { networkInterfaces } from 'node:os'
import { readBody } from '../../../../src/lib/api/response-body'
import {
  type HttpRequest,
  proxyPasswords,
  type Transport,
  UndiciTransport,
} from '../../../../src/lib/api/transport'
import type { EnvlogError } from '../../../../src/lib/errors'
import { version } from '../../../../src/lib/version'
import { authority, certificates, startProxy, startTls } from '../../../support/network'

const REQUEST = { body: '{}' }
const HEADERS = [
  ...['content-type', 'application/json'],
  ...['x-http-method-override', 'GET'],
  ...['accept-encoding', 'identity'],
  ...['user-agent', `envlog/${version}`],
]
const TIMEOUT_MS = 500

/** Sends a request, and closes the transport. @returns the status of the response, or the reason of the failure */
async function statusOf(transport: Transport, request: HttpRequest): Promise<number | string> {
  const { result } = transport.send(request, async ({ status }) => status)
  const status = await result.catch(({ reason }: EnvlogError) => reason)
  await transport.close()
  return status
}

describe('a request through the network', () => {
  it('has the method and the headers that the service asks for, and names the package', async () => {
    let received: string[] = []
    const server = createHttpServer(({ method = '', rawHeaders }, response) => {
      received = [method, ...rawHeaders]
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const transport = new UndiciTransport({ timeoutMs: TIMEOUT_MS })
    const request = { ...REQUEST, url: `http://127.0.0.1:${port}/current`, onSent: () => {} }
    await transport.send(request, async () => {}).result
    await transport.close()
    await new Promise((resolve) => server.close(resolve))
    const http = ['host', `127.0.0.1:${port}`, 'connection', 'keep-alive', 'content-length', '2']
    assert.deepEqual(received.sort(), ['POST', ...http, ...HEADERS].sort())
  })
})

/** Lets time pass for undici, whose timers start with the first tick. */
const { tick } = require('undici/lib/util/timers') as { tick(ms: number): void }

describe('a slow response', () => {
  const held: ServerResponse[] = []
  let server: HttpServer
  afterEach(() => {
    for (const response of held.splice(0)) response.destroy()
    server.close()
  })

  for (const [title, sent] of [
    ['of which nothing has arrived', ''],
    ['of which a part has arrived', 'half, '],
  ] as const)
    it(`${title} is awaited for as long as the client allows`, async () => {
      let onPart = () => {}
      const part = new Promise<void>((resolve) => {
        onPart = resolve
      })
      server = createHttpServer((_request, response) => {
        held.push(response)
        if (sent === '') onPart()
        else response.write(sent)
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as { port: number }
      const transport = new UndiciTransport({ timeoutMs: TIMEOUT_MS })
      const request = { ...REQUEST, url: `http://127.0.0.1:${port}/current`, onSent: () => {} }
      const { result } = transport.send(request, (response) => readBody(response, onPart))
      await part
      for (const ms of [1000, 3_600_000]) tick(ms)
      for (const response of held) response.end('all')
      assert.equal(await result, `${sent}all`)
      await transport.close()
    })
})

describe('a slow connection', () => {
  it('is awaited for as long as the client allows', async () => {
    const http = createHttpServer((_request, response) => response.end())
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const { port: httpPort } = http.address() as { port: number }
    const service = await startTls(httpPort)
    const slow = createServer((socket) => {
      socket.once('data', (first) => {
        for (const ms of [1000, 30_000]) tick(ms)
        const inner = connect(service.port, '127.0.0.1')
        inner.write(first)
        inner.pipe(socket).pipe(inner)
      })
    })
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    const { port } = slow.address() as { port: number }
    const transport = new UndiciTransport({ timeoutMs: 30_000, tls: { ca: authority } })
    const request = { ...REQUEST, url: `https://127.0.0.1:${port}/current`, onSent: () => {} }
    const status = await statusOf(transport, request)
    await service.close()
    for (const server of [slow, http]) await new Promise((resolve) => server.close(resolve))
    assert.equal(status, 200)
  })
})

describe('the connections of a transport', () => {
  const server = createHttpServer({ keepAliveTimeout: 600_000 }, (_request, response) => response.end())
  after(() => server.close())

  it('are closed with it', async () => {
    const closed = new Promise((resolve) => {
      server.once('connection', (socket) => socket.once('close', resolve))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const transport = new UndiciTransport({ timeoutMs: TIMEOUT_MS })
    const request = { ...REQUEST, url: `http://127.0.0.1:${port}/current`, onSent: () => {} }
    await transport.send(request, async () => {}).result
    await transport.close()
    await closed
  })
})

describe('a request without TLS', () => {
  const { lookup } = dns
  const triesAll = getDefaultAutoSelectFamily()
  afterEach(() => {
    dns.lookup = lookup
    setDefaultAutoSelectFamily(triesAll)
  })
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address))

  for (const [address, isOnlyOne] of [
    ['127.0.0.1', false],
    ['127.0.0.1', true],
    ...(addresses.includes('::1') ? [['::1', false] as const] : []),
  ] as const)
    it(`goes to this machine, whatever a name server says about \`localhost\` (${address}${isOnlyOne ? ' if Node.js tries one address' : ''})`, async () => {
      const server = createHttpServer((_request, response) => response.end())
      await new Promise<void>((resolve) => server.listen(0, address, resolve))
      const { port } = server.address() as { port: number }
      const asked: string[] = []
      dns.lookup = ((name: string, _options: object, done: (error: Error) => void) => {
        asked.push(name)
        done(Object.assign(new Error('not here'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }))
      }) as never
      setDefaultAutoSelectFamily(!isOnlyOne)
      const transport = new UndiciTransport({ timeoutMs: TIMEOUT_MS })
      const request = { ...REQUEST, url: `http://localhost:${port}/current`, onSent: () => {} }
      const status = await statusOf(transport, request)
      await new Promise((resolve) => server.close(resolve))
      assert.deepEqual([status, asked], [200, []])
    })
})

describe('a proxy whose address is unusable', () => {
  it('is reported without the address, which may contain a password', async () => {
    for (const url of ['http://[g4te', 'no address', 'ftp://g4te:o%3Ap3n@proxy.test']) {
      const transport = new UndiciTransport({
        timeoutMs: 1000,
        proxy: { url, noProxy: [], password: 'o:p3n' },
      })
      const request = { ...REQUEST, url: 'https://service.test/current', onSent: () => {} }
      assert.throws(
        () => transport.send(request, async () => {}),
        (error: EnvlogError) => {
          assert.equal(error.reason, 'proxy-invalid', url)
          assert.doesNotMatch(`${error.message} ${error.stack} ${error.cause}`, /g4te|p3n/)
          return true
        },
      )
      await transport.close()
    }
  })
})

describe('a certificate that is not valid at the time of this machine', () => {
  const codes = { expired: 'CERT_HAS_EXPIRED', notYetValid: 'CERT_NOT_YET_VALID' } as const
  for (const name of ['expired', 'notYetValid'] as const) {
    it(`is reported with that time (${codes[name]}), also behind a proxy`, async () => {
      const ca = certificates[name]
      const service = await startTls(0, ca)
      const gate = await startProxy(service.port)
      const proxy = { url: `http://127.0.0.1:${gate.port}`, noProxy: [] }
      const ways = [
        { url: `https://127.0.0.1:${service.port}/current`, options: {} },
        { url: 'https://service.test/current', options: { proxy } },
      ]
      for (const { url, options } of ways) {
        const transport = new UndiciTransport({ timeoutMs: TIMEOUT_MS, tls: { ca }, ...options })
        const { result } = transport.send({ ...REQUEST, url, onSent: () => {} }, async () => {})
        const { reason, params } = await result.then(
          () => assert.fail(),
          (error: EnvlogError) => error,
        )
        const { detail, time } = params
        assert.deepEqual([reason, detail], ['certificate-time', codes[name]])
        assert.match(String(time), /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/)
        assert.ok(Math.abs(Date.parse(String(time)) - Date.now()) < 120_000)
        await transport.close()
      }
      await gate.close()
      await service.close()
    })
  }
})

describe('the passwords of proxies, which no error may repeat', () => {
  it('are those of the account, or of the environment if it has no proxy', () => {
    const env = { HTTPS_PROXY: 'http://gate:k%20ey@proxy.test', http_proxy: 'no address' }
    assert.deepEqual(proxyPasswords({ timeoutMs: TIMEOUT_MS }, env), ['k ey'])
    const proxy = { url: 'http://gate:own@proxy.test', noProxy: [], password: 'typed' }
    assert.deepEqual(proxyPasswords({ timeoutMs: TIMEOUT_MS, proxy }, env), ['typed', 'own'])
  })
})

describe('a request through a failing network', () => {
  let server: Server
  let connections: number

  /** A peer on this host. @param behave gets each connection once its first bytes have arrived */
  async function listen(behave: (socket: Socket) => void): Promise<number> {
    connections = 0
    server = createServer((socket) => {
      connections++
      socket.on('error', () => {})
      socket.once('data', () => behave(socket))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as { port: number }).port
  }

  afterEach(() => new Promise((resolve) => server.close(resolve)))

  /** Sends a request. @returns the reason of its failure, and whether the service may have received it */
  async function send(
    url: string,
    proxy?: string,
    { signal } = new AbortController(),
  ): Promise<{ reason: string; isSent: boolean }> {
    const transport = new UndiciTransport({
      timeoutMs: TIMEOUT_MS,
      ...(proxy && { proxy: { url: proxy, noProxy: [] } }),
    })
    let isSent = false
    const onSent = () => {
      isSent = true
    }
    const { result, abandon } = transport.send({ ...REQUEST, url, onSent }, async () => {})
    signal.addEventListener('abort', abandon)
    const reason = await result.then(
      () => 'none',
      (error: EnvlogError) => error.reason,
    )
    await transport.close()
    return { reason, isSent }
  }

  const endings: [string, (socket: Socket) => void, string][] = [
    ['closes the connection', (socket) => socket.end(), 'connection-broken'],
    ['resets the connection', (socket) => socket.resetAndDestroy(), 'connection-broken'],
    ['answers in plain text', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'), 'no-tls'],
  ]
  for (const [title, behave, expected] of endings) {
    it(`has not been sent if the peer ${title} during the TLS handshake`, async () => {
      const port = await listen(behave)
      const { reason, isSent } = await send(`https://127.0.0.1:${port}/current`)
      assert.deepEqual([reason, isSent, connections], [expected, false, 1])
    })
  }

  const proxies: [string, (socket: Socket) => void, string][] = [
    ['closes the connection', (socket) => socket.end(), 'connection-broken'],
    ['resets the connection', (socket) => socket.resetAndDestroy(), 'connection-broken'],
    ['closes after half a response', (socket) => socket.end('HTTP/1.1 2'), 'connection-broken'],
    ['refuses the connection', (socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'), 'proxy-refused'],
    ['accepts, then closes', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'), 'connection-broken'],
  ]
  for (const [title, behave, expected] of proxies) {
    it(`has not been sent, after a single connection, if in response to CONNECT the proxy ${title}`, async () => {
      const port = await listen(behave)
      const { reason, isSent } = await send('https://service.test/current', `http://127.0.0.1:${port}`)
      assert.deepEqual([reason, isSent, connections], [expected, false, 1])
    })
  }

  const silences: [string, string, (socket: Socket, stop: () => void) => void][] = [
    ['the peer never finishes TLS', '', (_, stop) => stop()],
    ['the proxy never answers', 'http://127.0.0.1', (_, stop) => stop()],
    [
      'the proxy opens the tunnel and then stays silent',
      'http://127.0.0.1',
      (socket, stop) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.once('data', stop)
      },
    ],
  ]
  for (const [title, proxy, behave] of silences) {
    it(`has not been sent, and its connection is closed, if it is abandoned when ${title}`, async () => {
      const stop = new AbortController()
      const port = await listen((socket) => behave(socket, () => stop.abort()))
      const url = proxy ? 'https://service.test' : `https://127.0.0.1:${port}`
      const { isSent } = await send(url, proxy && `${proxy}:${port}`, stop)
      assert.equal(isSent, false)
      await new Promise((closed) => server.close(closed))
    })
  }

  it('accepts a hundred interim responses, and no more', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'
    const reasons: string[] = []
    for (const count of [100, 101]) {
      const port = await listen((socket) =>
        socket.end(`${interim.repeat(count)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`),
      )
      reasons.push((await send(`http://127.0.0.1:${port}/current`)).reason)
      if (count === 100) await new Promise((closed) => server.close(closed))
    }
    assert.deepEqual(reasons, ['none', 'connection-broken'])
  })

  it('has not been sent if nothing listens at any address of the host', async () => {
    const port = await listen(() => {})
    await new Promise((closed) => server.close(closed))
    for (const host of ['127.0.0.1', 'localhost']) {
      const { reason, isSent } = await send(`http://${host}:${port}/current`)
      assert.deepEqual([reason, isSent], ['no-connection', false], host)
    }
  })

  it('has not been sent if a name server does not know the host', async () => {
    const lookup: LookupFunction = (_name, _options, done) =>
      done(Object.assign(new Error('not here'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }), '')
    const proxy = { url: 'http://127.0.0.1:1', noProxy: ['service.test'] }
    const transport = new UndiciTransport({ timeoutMs: TIMEOUT_MS, tls: { lookup }, proxy })
    const onSent = () => assert.fail()
    const request = { ...REQUEST, url: 'https://service.test/current', onSent }
    assert.equal(await statusOf(transport, request), 'no-connection')
  })

  it('may have been received once its first byte was written', async () => {
    const port = await listen((socket) => socket.resetAndDestroy())
    const { reason, isSent } = await send(`http://127.0.0.1:${port}/current`)
    assert.deepEqual([reason, isSent], ['connection-broken', true])
  })
})
