import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { manualClock, type Simulator, startSimulator } from '../../simulator'
import { catalogOf, helpOf, html, iconOf, languages, nodes, textsOf } from '../support/built'
import { type Collector, startCollector } from '../support/collector'
import { A_DAY, fridge, NOW, rackA } from '../support/devices'
import { actionsFlow, withoutCredentials, wrongPassword } from '../support/e2e-flow'
import { actions, type Message } from '../support/flow-types'
import { NO_LIMITS } from '../support/no-limits'
import { adminAuthOf, type FlowNode, logIn, type NodeRed, PASSWORD, startNodeRed } from '../support/node-red'
import { packageJson } from '../support/package'
import { type Runtime, runtimesOfTier } from '../support/runtimes'
import { filesWith, sentence } from '../support/traces'
import { until } from '../support/wait'

const STARTING_MS = 300_000
const RESPONSE_MS = 60_000
/** Node-RED gives a node 15 s to close; aborting requests takes less. */
const CLOSED_MS = 12_000

const permissionsByUser = {
  admin: '*',
  newcomer: ['envlog.read', 'envlog.write', 'flows.write'],
}
type User = keyof typeof permissionsByUser

/** Properties of each action node that override the defaults. */
const chosen = { select: 'list', devices: [fridge, rackA], onlyNew: false }
const nodeProperties = { current: {}, latest: chosen, range: { ...chosen, ...A_DAY }, alerts: chosen }

for (const runtime of runtimesOfTier) {
  describe(`the installed package in ${runtime.title}`, function () {
    this.timeout(RESPONSE_MS)
    tests(runtime)
  })
}

function tests(runtime: Runtime): void {
  let simulator: Simulator
  let collector: Collector
  let nodeRed: NodeRed
  let flow: FlowNode[]

  before('starts a service and Node-RED', async function () {
    this.timeout(STARTING_MS)
    // Time stands still, so that the true data is the same before and after a response.
    simulator = await startSimulator({ clock: manualClock(NOW), limits: 'off' })
    collector = await startCollector()
    flow = actionsFlow({ simulator, collector, nodes: nodeProperties })
    const adminAuth = adminAuthOf(permissionsByUser)
    nodeRed = await startNodeRed(runtime, { adminAuth, user: { name: 'admin', password: PASSWORD } })
  })

  beforeEach('deploys all nodes', async () => {
    simulator.set({ faults: [] })
    await nodeRed.deploy(flow)
    collector.clear()
  })

  after('ends everything', async () => {
    await nodeRed?.stop('SIGKILL')
    await Promise.all([simulator?.close(), collector?.close()])
  })

  it('has all nodes in the palette, enabled and without errors', async () => {
    const sets = await nodeRed.json<Record<string, unknown>[]>('/nodes')
    const found = sets
      .filter(({ module }) => module === packageJson.name)
      .map(({ types, enabled, err, version }) => ({ types, enabled, err, version }))
    const { version } = packageJson
    const types = nodes.map(({ type }) => type)
    assert.deepEqual(found, [{ types, enabled: true, err: undefined, version }])
  })

  it('serves icons, catalogs, forms and help in each language', async () => {
    for (const node of nodes) {
      const icon = await nodeRed.get(`/icons/${packageJson.name}/${node.name}.svg`, 'image/*')
      assert.deepEqual(Buffer.from(await icon.arrayBuffer()), readFileSync(iconOf(node)), node.name)
    }
    for (const language of languages) {
      const catalogs = await nodeRed.json<Record<string, object>>(`/nodes/messages?lng=${language}`)
      assert.deepEqual(textsOf(catalogs[`${packageJson.name}/envlog`] ?? {}), catalogOf(language))
      const served = await (await nodeRed.get('/nodes', 'text/html', language)).text()
      assert.ok(served.includes(html.trim()))
      for (const node of nodes) assert.ok(served.includes(helpOf(node, language)), `help of ${node.type}`)
    }
  })

  it('serves the pages that the help links to', async () => {
    const links = nodes.flatMap((node) =>
      languages.flatMap((language) => helpOf(node, language).match(/(?<=<a href=")[^"]*/g) ?? []),
    )
    assert.ok(links.length > 0)
    for (const link of new Set(links)) {
      const page = await nodeRed.get(`/${link}`, 'text/html')
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/, link)
      assert.match(await page.text(), /<h1/, link)
    }
  })

  for (const name of actions) {
    it(`gets the service's data with envlog-${name}`, async () => {
      await nodeRed.inject(`trigger-${name}`)
      const messages = await collector.receive(name, name === 'current' ? 1 : 2)
      for (const msg of messages) {
        assert.equal(msg.keep, 'what was there')
        assert.equal(msg.envlog.node, name)
        assert.equal(msg.envlog.account, 'Plant A')
        assert.ok((msg.payload.records ?? msg.payload).length > 0)
      }
    })
  }

  it("shows counts in the server's language in the status", async () => {
    await nodeRed.inject('trigger-current')
    const texts = () => collector.box('statuses').map(({ status }: Message) => status.text as string)
    const shown = await until('a status with the number', () => texts().find((text) => /^\d/.test(text)))
    const counted = catalogOf(runtime.lang).get('status.devices_other')
    assert.match(shown, sentence(`${counted} __clock__`))
  })

  it('reports a wrong password to Catch nodes once, as a sentence', async () => {
    await nodeRed.inject('trigger-refused')
    const [msg] = await collector.receive('errors', 1)
    // A second report would have arrived before this further response.
    await nodeRed.inject('trigger-current')
    await collector.receive('current', 1)
    assert.equal(collector.box('errors').length, 1)

    const { error, keep } = msg as Message
    const words = catalogOf(runtime.lang).get('errors.login-refused')
    assert.equal(keep, 'what was there')
    assert.equal(error.code, 'ENVLOG_AUTH')
    assert.deepEqual(error.cause, { endpoint: 'current', status: 401, serviceCode: 401 })
    assert.match(error.message, sentence(`${words}`))
    assert.doesNotMatch(error.message, /__\w+__|errors\./)
    assert.equal(collector.box('refused').length, 0)
  })

  it('needs another package for a shared quota, which the error names', async () => {
    const sharedQuota = 'redis://127.0.0.1:1'
    await nodeRed.deploy(flow.map((node) => (node.id === 'account' ? { ...node, sharedQuota } : node)))
    await nodeRed.inject('trigger-current')
    const [msg] = await collector.receive('errors', 1)
    assert.equal(msg?.error.code, 'ENVLOG_CONFIG')
    assert.match(msg?.error.message, /npm install redis/)
  })

  it('keeps a request while other nodes are deployed, and reports it to Catch when its own node is deployed', async () => {
    await leaveRequestHanging()
    const requests = simulator.counts().current.total
    await nodeRed.deploy(flowWith('latest', { name: 'renamed' }), 'nodes')
    simulator.set({ faults: [] })
    await nodeRed.inject('trigger-latest')
    await collector.receive('latest', 2)
    assert.equal(simulator.counts().current.total, requests)
    assert.deepEqual(abortedMessages(), [])

    await nodeRed.deploy(flowWith('current', { name: 'renamed' }), 'nodes')
    await until('the aborted message at the Catch node', () => abortedMessages().length > 0)
    assert.deepEqual(
      abortedMessages().map(({ keep, error }) => [keep, error.source.id]),
      [['what was there', 'current']],
    )
  })

  it('continues where it stopped when a node or its tab is enabled again, and starts over after it was deleted', async () => {
    // The deployed flow includes credentials, because the account is deleted too.
    const enabled = flow.map((node) => (node.id === 'latest' ? { ...node, onlyNew: true } : node))
    const disabledNode = enabled.map((node) => (node.id === 'latest' ? { ...node, d: true } : node))
    const disabledTab = enabled.map((node) => (node.type === 'tab' ? { ...node, disabled: true } : node))
    await nodeRed.deploy(enabled)
    await nodeRed.inject('trigger-latest')
    await collector.receive('latest', 2)
    for (const disabled of [disabledNode, disabledTab]) {
      await nodeRed.deploy(disabled)
      await nodeRed.deploy(enabled)
      // The messages of the first trigger are sent before the second one's request.
      for (const _ of [1, 2]) await triggerAndAwaitRequest('latest')
      assert.equal(collector.box('latest').length, 2)
    }
    await nodeRed.deploy(disabledTab)
    await nodeRed.deploy([])
    await nodeRed.deploy(enabled)
    await nodeRed.inject('trigger-latest')
    await collector.receive('latest', 2)
  })

  it('shows the devices of a typed login only to the user who typed it', async () => {
    const listed = async (path: 'devices' | 'cached-devices', user: User) => {
      const { status, text } = await post(path, user, { refresh: true })
      assert.equal(status, 200)
      const list = JSON.parse(text)
      return list && { devices: list.devices, receivedAt: list.receivedAt }
    }
    const devices = await listed('devices', 'admin')
    const requests = simulator.log.length
    assert.deepEqual(await listed('cached-devices', 'admin'), devices)
    assert.equal(await listed('cached-devices', 'newcomer'), null)
    assert.equal(simulator.log.length, requests)
  })

  it('stores API key and passwords only in the credentials', async () => {
    for (const name of ['current', 'refused']) await nodeRed.inject(`trigger-${name}`)
    await Promise.all([collector.receive('current', 1), collector.receive('errors', 1)])
    const { apiKey, loginPass } = simulator.account
    const admin = ['/flows', '/credentials/envlog-account/account', '/settings', '/nodes']
    const bodies = await Promise.all(admin.map(async (path) => (await nodeRed.get(path)).text()))
    const places: Record<string, string> = {
      log: nodeRed.log(),
      messages: collector.rawText(),
      ...Object.fromEntries(admin.map((path, index) => [path, bodies[index] ?? ''])),
    }
    for (const secret of [apiKey, loginPass, wrongPassword(loginPass)]) {
      const files = filesWith(secret, nodeRed.userDir)
      assert.ok(files.includes('flows_cred.json'), 'the search did not find a secret that exists')
      assert.deepEqual(
        files.filter((name) => !name.includes('_cred.json')),
        [],
      )
      for (const [place, text] of Object.entries(places)) assert.ok(!text.includes(secret), place)
    }
    assert.ok(places.messages?.includes('Plant A'))
    assert.match(places['/credentials/envlog-account/account'] ?? '', /"has_apiKey":true/)
  })

  it('stops on SIGTERM, even while a request hangs, and has logged no unexpected errors', async () => {
    await leaveRequestHanging()
    const start = Date.now()
    assert.deepEqual(await nodeRed.stop('SIGTERM'), { code: 0, signal: null })
    const took = Date.now() - start
    assert.ok(took < CLOSED_MS, `ending took ${took} ms`)
    assert.doesNotMatch(nodeRed.log(), /unhandled|uncaught|deprecat/i)
    const errors = nodeRed.log().match(/.*\[error\].*/g) ?? []
    assert.deepEqual(
      errors.filter((line) => !line.includes('npm install redis')),
      [],
    )
  })

  const abortedMessages = () => collector.box('errors').filter(({ error }) => error.code === 'ENVLOG_CLOSED')
  const flowWith = (id: string, over: object) =>
    withoutCredentials(flow).map((node) => (node.id === id ? { ...node, ...over } : node))

  async function triggerAndAwaitRequest(name: string): Promise<void> {
    const { length } = simulator.log
    await nodeRed.inject(`trigger-${name}`)
    await until('a request', () => simulator.log.length > length)
  }

  /** Triggers envlog-current while the service does not answer. */
  async function leaveRequestHanging(): Promise<void> {
    simulator.set({ faults: [{ kind: 'silence', endpoints: ['current'] }] })
    await triggerAndAwaitRequest('current')
  }

  const tokens = new Map<User, string>()

  /** Sends a request with a typed login, like the editor. */
  async function post(path: string, user: User, more: object): Promise<{ status: number; text: string }> {
    if (!tokens.has(user)) tokens.set(user, await logIn(nodeRed.url, user, PASSWORD))
    const { url: baseUrl, account: credentials } = simulator
    const response = await fetch(`${nodeRed.url}/envlog/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        connection: 'close',
        authorization: `Bearer ${tokens.get(user)}`,
      },
      body: JSON.stringify({ account: { baseUrl, credentials, limits: NO_LIMITS }, ...more }),
    })
    return { status: response.status, text: await response.text() }
  }
}
