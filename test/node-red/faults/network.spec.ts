import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { freezer } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import { authority, type Listener, startProxy, startTls } from '../../support/network'

const core = createRequire(require.resolve('node-red'))
const coreNodes = [
  core('@node-red/nodes/core/network/05-tls.js'),
  core('@node-red/nodes/core/network/06-httpproxy.js'),
]

const tlsNode = { id: 'tls', type: 'tls-config', cert: '', key: '', ca: '' }

describe('the connection to the service', () => {
  const simulator = useSimulator()
  const node = { select: 'list', devices: [freezer] }
  const open: Listener[] = []
  const kept = <T extends Listener>(listener: T): T => {
    open.push(listener)
    return listener
  }
  afterEach(async () => {
    for (const listener of open.splice(0)) await listener.close()
  })

  async function request(account: object, flow: object[] = [], credentials: object = {}) {
    const running = await startFlow('current', simulator(), {
      node,
      account,
      flow,
      coreNodes,
      others: credentials,
    })
    running.send()
    const msg = await Promise.race([running.output.next(), running.errors.next()])
    return msg.error ?? msg.payload[0].name
  }

  it('refuses an untrusted certificate, and says what to do', async () => {
    const { port } = kept(await startTls(simulator().port))
    const error = await request({ baseUrl: `https://localhost:${port}`, retries: 3 })
    assert.equal(error.code, 'ENVLOG_NETWORK')
    assert.match(error.message, /no-certificate/)
    assert.equal(simulator().log.length, 0)
  })

  it("trusts the authority in Node-RED's TLS config node", async () => {
    const { port } = kept(await startTls(simulator().port))
    const tls = { ...tlsNode, verifyservercert: true }
    const account = { baseUrl: `https://localhost:${port}`, tls: 'tls' }
    assert.equal(await request(account, [tls], { tls: { cadata: authority } }), 'Freezer 1')
  })

  it('skips the certificate check only if the TLS config node says so', async () => {
    const { port } = kept(await startTls(simulator().port))
    const tls = { ...tlsNode, verifyservercert: false }
    assert.equal(await request({ baseUrl: `https://localhost:${port}`, tls: 'tls' }, [tls]), 'Freezer 1')
  })

  it('fails with ENVLOG_CONFIG if its TLS config node names files that do not exist', async () => {
    const { port } = kept(await startTls(simulator().port))
    const tls = { ...tlsNode, cert: '/no/such/file', key: '/no/such/file', verifyservercert: false }
    const error = await request({ baseUrl: `https://localhost:${port}`, tls: 'tls' }, [tls])
    assert.equal(error.code, 'ENVLOG_CONFIG')
  })

  it("uses the proxy in Node-RED's proxy config node, with its login", async () => {
    const tls = kept(await startTls(simulator().port))
    const proxy = kept(await startProxy(tls.port, 'gate:k e:y'))
    const nodes = [
      { ...tlsNode, verifyservercert: true },
      { id: 'proxy', type: 'http proxy', name: '', url: `http://127.0.0.1:${proxy.port}`, noproxy: [] },
    ]
    const account = { baseUrl: 'https://service.test', tls: 'tls', proxy: 'proxy' }
    const credentials = { tls: { cadata: authority }, proxy: { username: 'gate', password: 'k e:y' } }
    assert.equal(await request(account, nodes, credentials), 'Freezer 1')
    assert.deepEqual(proxy.requests, [{ target: 'service.test:443', login: 'gate:k e:y' }])
  })

  it("fails with ENVLOG_NETWORK, without the proxy's password, if the proxy refuses it", async () => {
    const proxy = kept(await startProxy(simulator().port, 'gate:right'))
    const nodes = [{ id: 'proxy', type: 'http proxy', url: `http://127.0.0.1:${proxy.port}`, noproxy: [] }]
    const error = await request({ baseUrl: 'https://service.test', proxy: 'proxy' }, nodes, {
      proxy: { username: 'gate', password: 'wrongproxypass' },
    })
    assert.equal(error.code, 'ENVLOG_NETWORK')
    assert.match(error.message, /proxy-refused/)
    assert.doesNotMatch(JSON.stringify(error), /wrongproxypass/)
  })

  it('sends nothing unencrypted through a proxy, because it would leave this machine', async () => {
    const proxy = kept(await startProxy(simulator().port))
    const nodes = [{ id: 'proxy', type: 'http proxy', url: `http://127.0.0.1:${proxy.port}`, noproxy: [] }]
    assert.equal(await request({ proxy: 'proxy' }, nodes), 'Freezer 1')
    assert.deepEqual(proxy.requests, [])
  })

  it('does not use a proxy for its excluded hosts', async () => {
    const tls = kept(await startTls(simulator().port))
    const proxy = kept(await startProxy(tls.port))
    const nodes = [
      { ...tlsNode, verifyservercert: false },
      { id: 'proxy', type: 'http proxy', url: `http://127.0.0.1:${proxy.port}`, noproxy: ['127.0.0.1'] },
    ]
    const account = { baseUrl: `https://127.0.0.1:${tls.port}`, tls: 'tls', proxy: 'proxy' }
    assert.equal(await request(account, nodes), 'Freezer 1')
    assert.deepEqual(proxy.requests, [])
  })

  describe('without a proxy config node', () => {
    const variables = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']
    afterEach(() => {
      for (const name of variables) delete process.env[name]
    })

    const trusting = { ...tlsNode, verifyservercert: true }
    const requestFrom = (baseUrl: string) =>
      request({ baseUrl, tls: 'tls' }, [trusting], { tls: { cadata: authority } })

    it('uses HTTPS_PROXY for the service, and no proxy for this machine', async () => {
      const tls = kept(await startTls(simulator().port))
      const proxy = kept(await startProxy(tls.port))
      process.env.HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`
      process.env.HTTP_PROXY = process.env.HTTPS_PROXY
      assert.equal(await requestFrom('https://service.test'), 'Freezer 1')
      assert.equal(await requestFrom(simulator().url), 'Freezer 1')
      assert.equal(await requestFrom(`https://127.0.0.1:${tls.port}`), 'Freezer 1')
      assert.equal(proxy.requests.length, 1)
    })

    it('uses no proxy for the hosts in NO_PROXY', async () => {
      const proxy = kept(await startProxy(simulator().port))
      process.env.HTTPS_PROXY = `http://127.0.0.1:${proxy.port}`
      process.env.NO_PROXY = 'service.test'
      assert.equal((await requestFrom('https://service.test')).code, 'ENVLOG_NETWORK')
      assert.equal(proxy.requests.length, 0)
    })
  })
})
