/** Two Node-REDs for the admin routes, one with adminAuth and one without, and the servers that they can reach. */
import assert from 'node:assert/strict'
import { Agent, createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Simulator, startSimulator } from '../../../simulator'
import { STORED_SECRET } from '../../../src/shared/admin'
import { editorAccount } from '../editor/flow'
import { authority, startProxy, startTls } from '../network'
import { type FlowNode, logIn, type NodeRed, startNodeRed } from '../node-red'
import { firstRuntime } from '../runtimes'
import { type Person, people, WITHOUT_ADMIN_AUTH } from './people'
import { type SecretsRow, VARIABLES, variable } from './typed-accounts'

const STARTING_MS = 300_000
const ENDING_MS = 20_000
const PASSWORD = 'for the tests'
/** The password's hash for Node-RED's settings (bcrypt). */
const HASH = '$2b$04$3vlNAnHd.uYYy2DkUo9pq.nwvWbE7OUOTj68e/mz4YDWnfZEaO8bG'
const DEPLOYER: Person = { title: 'deployer', permissions: '*', canRead: true, canRequest: true }

/** Stored for a stranger's account and for a broker. */
const OTHERS = {
  ...{ apiKey: 'S'.repeat(45), loginId: 'stranger', loginPass: 'strange-word' },
  ...{ user: 'broker-user', password: 'broker-word' },
}

export interface AdminResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export interface AdminRequest {
  /** Method and path: `POST /envlog/test`. */
  route: string
  who: Person
  headers?: Record<string, string>
  body?: string
}

export type Credentials = Record<'apiKey' | 'loginId' | 'loginPass', string>

export interface AdminHarness {
  readonly simulator: Simulator
  readonly routes: readonly string[]
  /** Sends a request to the Node-RED of the person. Each answer is searched for secrets. */
  request(question: AdminRequest): Promise<AdminResponse>
  /** The account that is deployed, as its form has it. */
  typedAccount(
    over?: Record<string, unknown>,
    credentials?: SecretsRow['credentials'],
  ): Record<string, unknown>
  /** Addresses that were connected to since the last call, each once, and the number of requests to the service. */
  newConnections(): { connected: string[]; requests: number }
  /** The address of the Node-RED that a person uses. */
  urlFor(who: Person): string
  /** Replaces the names of ports in a text by their numbers. */
  withPorts(text: string): string
  logs(): string
}

/** In a `describe`. */
export function useAdminHarness(): AdminHarness {
  const closing: (() => Promise<unknown>)[] = []
  const tokens = new Map<Person, string>()
  const ports: Record<string, number> = {}
  const agent = new Agent({ keepAlive: true })
  let simulator: Simulator
  let secured: NodeRed
  let open: NodeRed
  let secrets: string[] = []
  let seen: number[] = []
  let answered = 0

  before(`starts two of ${firstRuntime.title}`, async function () {
    this.timeout(STARTING_MS)
    const users = [DEPLOYER, ...people].flatMap(({ title, permissions }) =>
      permissions === undefined ? [] : [{ username: title, permissions, password: HASH }],
    )
    const user = { name: DEPLOYER.title, password: PASSWORD }
    const adminAuth = { type: 'credentials', users }
    simulator = await startSimulator({ limits: 'off' })
    closing.push(() => simulator.close())
    const { flow, env } = await startServers()
    const started = [
      startNodeRed(firstRuntime, { isWatched: true, env, adminAuth, user }),
      startNodeRed(firstRuntime, { isWatched: true, env }),
    ] as const
    for (const one of started) {
      closing.push(() => one.then((nodeRed) => nodeRed.stop('SIGKILL')).catch(() => {}))
    }
    ;[secured, open] = await Promise.all(started)
    await Promise.all([secured.deploy(flow), open.deploy(flow), ...people.map(logInPerson)])
    news()
  })

  after(async function () {
    this.timeout(ENDING_MS)
    agent.destroy()
    await Promise.all(closing.map((close) => close()))
  })

  /** Starts all servers that can be reached, and creates the flow. */
  async function startServers(): Promise<{ flow: FlowNode[]; env: Record<string, string> }> {
    const stranger = await startStranger()
    const [toStranger, toService] = await Promise.all([startTls(stranger.port), startTls(simulator.port)])
    const [proxy, detour] = await Promise.all([startProxy(toService.port), startProxy(toStranger.port)])
    for (const one of [stranger, toStranger, toService, proxy, detour]) closing.push(() => one.close())
    Object.assign(ports, { SERVICE: simulator.port, STRANGER: stranger.port, SECURE: toStranger.port })
    Object.assign(ports, { PROXY: proxy.port, DETOUR: detour.port })
    const { apiKey, loginId, loginPass } = simulator.account
    const values = { baseUrl: simulator.url, apiKey, loginId, loginPass, nowhere: 'N'.repeat(45) }
    const env = Object.entries(VARIABLES).map(([at, name]) => [name, values[at as keyof typeof values]])
    secrets = [apiKey, loginPass, values.nowhere, ...Object.values(OTHERS)]
    return { flow: flowOf(simulator, named), env: Object.fromEntries(env) }
  }

  async function logInPerson(person: Person): Promise<void> {
    const { title, permissions, token } = person
    if (token === 'made-up') tokens.set(person, 'made-up')
    if (permissions === undefined) return
    const given = await logIn(secured.url, title, PASSWORD)
    assert.ok(given, `${title} has a token`)
    tokens.set(person, given)
    if (token !== 'revoked') return
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${given}` }
    const options = { method: 'POST', headers, body: JSON.stringify({ token: given }) }
    assert.ok((await fetch(`${secured.url}/auth/revoke`, options)).ok)
  }

  const named = (text: string) => text.replace(/\b[A-Z]{5,8}\b/g, (name) => String(ports[name] ?? name))

  const urlFor = (who: Person) => (who === WITHOUT_ADMIN_AUTH ? open.url : secured.url)

  const watchedEvents = () =>
    [secured, open].map((one) =>
      one
        .file('watched.jsonl')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): { connects?: string; route?: string; methods?: string[] } => JSON.parse(line)),
    )

  function news() {
    const lines = watchedEvents().map((text) => text.flatMap(({ connects }) => connects ?? []))
    const total = Object.values(simulator.counts()).reduce((sum, { total }) => sum + total, 0)
    const connected = new Set(lines.flatMap((text, index) => text.slice(seen[index])))
    const requests = total - answered
    seen = lines.map(({ length }) => length)
    answered = total
    return { connected: [...connected], requests }
  }

  return {
    get simulator() {
      return simulator
    },
    get routes() {
      const [one, other] = watchedEvents().map((lines) =>
        lines.flatMap(({ route, methods = [] }) =>
          methods.map((method) => `${method.toUpperCase()} ${route}`),
        ),
      )
      assert.deepEqual(one, other)
      return one ?? []
    },
    async request({ route, who, headers = {}, body }) {
      const [method = '', path = ''] = route.split(' ')
      const token = tokens.get(who)
      const answer = await send(agent, `${urlFor(who)}${path.replace(':id', 'account')}`, method, body, {
        ...(token && { authorization: `Bearer ${token}` }),
        ...headers,
      })
      const text = answer.text + JSON.stringify(answer.headers)
      for (const secret of secrets) assert.ok(!text.includes(secret), `${route} discloses ${secret}: ${text}`)
      return answer
    },
    typedAccount(over = {}, credentials = {}) {
      const right: Credentials = simulator.account
      const wrong: Credentials = { apiKey: 'W'.repeat(45), loginId: 'nobody00', loginPass: 'wrong-word' }
      const given = (name: keyof Credentials) => {
        const word = credentials[name] ?? (name === 'loginId' ? 'right' : STORED_SECRET)
        return word === 'right' ? right[name] : word === 'wrong' ? wrong[name] : word
      }
      return {
        ...{ id: 'account', baseUrl: simulator.url, relaySuffix: 'relay', timeout: 30, concurrency: 2 },
        ...{ retries: 0, limits: '', series1Models: '', tls: '', proxy: '' },
        ...over,
        credentials: { apiKey: given('apiKey'), loginId: given('loginId'), loginPass: given('loginPass') },
      }
    },
    newConnections: news,
    urlFor,
    withPorts: named,
    logs: () => secured.log() + open.log(),
  }
}

function flowOf(simulator: Simulator, named: (text: string) => string): FlowNode[] {
  const { baseUrl, apiKey, loginId, loginPass } = VARIABLES
  const credentials = { apiKey: variable(apiKey), loginId: variable(loginId), loginPass: variable(loginPass) }
  const tls = { type: 'tls-config', cert: '', key: '', ca: '', name: '', servername: '' }
  const proxy = { type: 'http proxy', name: '', noproxy: [] }
  const behind = { baseUrl: 'https://service.test', tls: 'tls', proxy: 'proxy' }
  const { user, password, ...other } = OTHERS
  return [
    { id: 'tab', type: 'tab', label: 'flow' },
    editorAccount(simulator),
    { ...editorAccount(simulator, 'variables', { baseUrl: variable(baseUrl) }), credentials },
    {
      ...editorAccount(simulator, 'other', { baseUrl: named('http://127.0.0.1:STRANGER') }),
      credentials: other,
    },
    { ...editorAccount(simulator, 'disabled'), d: true },
    editorAccount(simulator, 'behind', behind),
    { ...tls, id: 'tls', verifyservercert: true, credentials: { cadata: authority } },
    { ...tls, id: 'unchecked', verifyservercert: false },
    { ...proxy, id: 'proxy', url: named('http://127.0.0.1:PROXY') },
    { ...proxy, id: 'detour', url: named('http://127.0.0.1:DETOUR') },
    {
      ...{ id: 'broker', type: 'mqtt-broker', name: '', broker: '127.0.0.1', port: '1' },
      credentials: { user, password },
    },
    { id: 'action', type: 'envlog-current', account: 'account', z: 'tab', x: 100, y: 100, wires: [[]] },
  ]
}

/** A foreign server that answers like a service without devices, except for `/redirect`. */
async function startStranger(): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((incoming, response) => {
    const isRedirected = incoming.url?.startsWith('/redirect')
    incoming.resume().on('end', () => {
      const headers = { 'content-type': 'application/json', location: 'http://169.254.169.254/latest' }
      response.writeHead(isRedirected ? 307 : 200, headers).end('{"devices":[]}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return { port: (server.address() as AddressInfo).port, close }
}

/** Sends exactly the given headers: `fetch` would add some itself. */
function send(
  agent: Agent,
  url: string,
  method: string,
  body: string | undefined,
  headers: Record<string, string>,
): Promise<AdminResponse> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const request = httpRequest(url, { agent, method, headers: { ...length, ...headers } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    request.on('error', reject).end(body)
  })
}
