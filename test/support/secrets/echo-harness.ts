/** A Node-RED whose accounts use a service and proxies with controlled echoes. */
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import fc from 'fast-check'
import { STORED_SECRET } from '../../../src/shared/admin'
import { seed } from '../chance'
import { trusted } from '../hostile-peers/connections'
import { type ReceivedRequest, respondWith, response } from '../hostile-peers/wire'
import type { FlowNode } from '../node-red'
import { type PeerBehaviour, startPeer } from '../peers'
import { type EchoResponse, goodAnswer, REMOTE_DEVICE, STANDALONE_DEVICE } from './echo-responses'
import { apiKeys } from './echoes'
import { type Recorder, startRecorder } from './recorder'

/** One account with its action nodes and admin requests. */
export interface EchoAccount {
  name: string
  /** Texts that must not be visible. */
  secrets: readonly string[]
  settings: Record<string, unknown>
  credentials: { apiKey: string; loginId: string; loginPass: string; sharedQuotaPassword?: string }
  /** It shares its quota over a Redis. */
  isShared?: boolean
}

export interface EchoHarness {
  accounts: readonly EchoAccount[]
  witness: Recorder
  /** What is answered from now on, by the service or in its respond. */
  setEcho(position: EchoResponse, echo: string): void
  /** Answers correctly from now on. */
  answerCorrectly(): void
  /** How often something was answered. */
  answerCount(): number
  /** One trigger, or one question of the editor: all that was seen of it. */
  request(member: EchoAccount, requestKind: RequestKind): Promise<{ texts: string[]; message: string }>
  close(): Promise<void>
}

const nodes = {
  'current as readings': { type: 'envlog-current', output: 'readings', send: 'all', select: 'all' },
  'current as rows': { type: 'envlog-current', output: 'rows', send: 'each', select: 'all' },
  'current as raw': { type: 'envlog-current', output: 'raw', select: 'all' },
  'latest as readings': { type: 'envlog-latest', output: 'readings', onlyNew: false },
  'latest as points': { type: 'envlog-latest', output: 'points', onlyNew: true, start: 'held' },
  'latest as raw': { type: 'envlog-latest', output: 'raw', onlyNew: false },
  'latest as csv': { type: 'envlog-latest', output: 'csv', onlyNew: false },
  'range as values': { type: 'envlog-range', output: 'values', devices: [STANDALONE_DEVICE] },
  'range as csv2': { type: 'envlog-range', output: 'csv2', devices: [STANDALONE_DEVICE] },
  'alerts as readings': { type: 'envlog-alerts', output: 'readings', onlyNew: false },
  'alerts as raw': { type: 'envlog-alerts', output: 'raw', onlyNew: false },
}
type NodeName = keyof typeof nodes
const routes = ['devices', 'test', 'report'] as const
export type RequestKind = NodeName | (typeof routes)[number]
export const requestKinds = [...Object.keys(nodes), ...routes] as RequestKind[]
const isRoute = (requestKind: RequestKind): requestKind is (typeof routes)[number] =>
  (routes as readonly string[]).includes(requestKind)

const plenty = { limit: 1_000_000, window: 1 }
const manyRecords = { ...plenty, records: 1_000_000_000, recordsWindow: 1 }
const limits = JSON.stringify({
  ...{ current: plenty, 'latest-data': plenty, 'latest-data-relay': plenty, alert: plenty },
  ...{ data: manyRecords, 'data-relay': manyRecords },
})

const respond = { z: 'tab', x: 100, y: 100 }
export const nodeIdOf = ({ name }: EchoAccount, what: string) => `${name}-${what}`.replaceAll(' ', '-')

/** Settings of all accounts: short timeouts. */
const accountSettings = { timeout: 1, retries: 0 }

function nodesOf(member: EchoAccount, count: number): FlowNode[] {
  const account = nodeIdOf(member, 'account')
  return [
    { id: account, type: 'envlog-account', name: '', ...accountSettings, limits, ...member.settings },
    ...Object.entries(nodes)
      .slice(0, count)
      .map(([name, properties], index) => ({
        ...{
          id: nodeIdOf(member, name),
          account,
          select: 'list',
          devices: [REMOTE_DEVICE],
          version: 1,
          wait: 0,
        },
        ...{ from: '2026-11-20T07:00:00Z', fromType: 'date', to: '2026-11-20T09:00:00Z', toType: 'date' },
        ...{
          topic: '{account}/{base}/{serial}/{name}/{group}/{channel}/{label}/{unit}',
          wires: [['collector']],
        },
        // Errors that a catch node handles are not logged.
        ...{ ...respond, z: index % 2 === 0 ? 'tab' : 'uncaught', ...properties },
      })),
  ]
}

/**
 * Not of digits only, which could be readings. None has six letters in a row: such a word may be in a name.
 * None has a quotation mark: with five letters after it, it would match six characters of a quoted text.
 */
const PASSWORDS = ["p'a/s&s%1+x", 'gehe1m ü2', 'zw ei  q7 x', 'パスワード12', 'k z:q@<xw>9']

const fixture = (name: string) => readFileSync(join(__dirname, '../../fixtures/tls', name), 'utf8')

const overTls =
  (cert: string, answer: PeerBehaviour): PeerBehaviour =>
  (socket, mended) => {
    const secure = new TLSSocket(socket, { isServer: true, key: fixture('server.key'), cert: fixture(cert) })
    secure.on('error', () => socket.destroy())
    answer(secure as Socket, mended)
  }

/** A proxy that answers in the service's respond: it has a certificate that the account trusts. */
const proxyAnswering =
  (answer: PeerBehaviour): PeerBehaviour =>
  (socket, mended) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      overTls('server.pem', answer)(socket, mended)
    })
  }

/** A service with these answers, each over a new connection: the end of an invalid answer is not known. */
export const answeringWith = (respond: EchoResponse): PeerBehaviour =>
  respondWith((socket, received: ReceivedRequest) => socket.end(onlyOnce(respond('', received))))

function onlyOnce(answer: Buffer | string): Buffer {
  const bytes = Buffer.from(answer)
  const end = bytes.indexOf('\r\n') + 2
  if (!bytes.toString('latin1').startsWith('HTTP/1.1 ')) return bytes
  return Buffer.concat([bytes.subarray(0, end), Buffer.from('Connection: close\r\n'), bytes.subarray(end)])
}

/** @param loginPass a password instead of a generated one */
export function createEchoAccount(
  name: string,
  index: number,
  settings: object,
  others: readonly string[] = [],
  loginPass = PASSWORDS[index % PASSWORDS.length] as string,
): EchoAccount {
  const [apiKey] = fc.sample(apiKeys, { numRuns: 1, seed: seed + index }) as [string]
  const loginId = `user${String(index).padStart(4, '0')}`
  const credentials = { apiKey, loginId, loginPass }
  return { name, secrets: [apiKey, loginPass, ...others], settings: { ...settings }, credentials }
}

const variable = (name: string) => `\${${name}}`
/** Invalid settings from environment variables; each contains the secret of the variable. */
const INVALID_SETTINGS = {
  baseUrl: 'ftp://Vq7&rkt1Z.test',
  relaySuffix: '/Vq7&rkt1Z/',
  limits: '{"alert": Vq7&rkt1Z}',
  timeout: 'Vq7&rkt1Z',
  sharedQuota: 'redis://:Vq7&rkt1Z@127.0.0.1:1',
  proxy: 'Vq7&rkt1Z',
}
const VARIABLE_SECRET = 'Vq7&rkt1Z'

/** The first accounts have all nodes; the others have only one. */
export const FULL_ACCOUNTS = 5

/** @param others accounts that use the same service */
export async function startEchoHarness(others: readonly EchoAccount[] = []): Promise<EchoHarness> {
  const right: EchoResponse = (_, received) => response(JSON.stringify(goodAnswer(received)))
  let says = right
  let echo = ''
  let said = 0
  const answer = answeringWith((_, received) => {
    said++
    return says(echo, received)
  })
  const behaviours = [answer, proxyAnswering(answer), overTls('other-name.pem', answer)]
  const peers = await Promise.all(behaviours.map(startPeer))
  const [service, proxy, stranger] = peers.map(({ port }) => `127.0.0.1:${port}`)
  const baseUrl = `http://${service}`
  const outside = { baseUrl: 'https://service.test', tls: 'tls' }
  const [gate, wall, surrounding] = ["o:qn 'sé7mw'", 'zk/xq+Wvnt', 'Vb/7roNq&9'] as const
  const direct = createEchoAccount('direct', 0, { baseUrl })
  const variables = createEchoAccount('variables', 1, { baseUrl })
  const members = [
    direct,
    variables,
    createEchoAccount('proxied', 2, { ...outside, proxy: 'gate' }, [gate]),
    createEchoAccount('refused', 3, { ...outside, proxy: 'wall' }, [wall]),
    createEchoAccount('surrounded', 4, outside, [surrounding]),
    // Node's error names the names of the certificate.
    createEchoAccount(
      'another',
      5,
      { baseUrl: `https://${stranger}`.replace('127.0.0.1', 'localhost'), tls: 'tls' },
      [],
      'other.test',
    ),
    ...Object.keys(INVALID_SETTINGS).map((name, index) =>
      createEchoAccount(name, 20 + index, { baseUrl, [name]: variable(`ENVLOG_${name}`) }, [VARIABLE_SECRET]),
    ),
    ...others.map((one) => ({ ...one, settings: { baseUrl, ...one.settings } })),
  ]
  const env = {
    ...Object.fromEntries(Object.entries(INVALID_SETTINGS).map(([name, value]) => [`ENVLOG_${name}`, value])),
    ENVLOG_KEY: variables.credentials.apiKey,
    ENVLOG_PASS: variables.credentials.loginPass,
    ENVLOG_WALL: `http://wall:${encodeURIComponent(wall)}@${service}`,
    HTTPS_PROXY: `http://gate:${encodeURIComponent(surrounding)}@${proxy}`,
  }
  const flow = [
    { id: 'tab', type: 'tab', label: 'secrets' },
    { id: 'uncaught', type: 'tab', label: 'errors without a Catch node' },
    { id: 'tls', type: 'tls-config', cert: '', key: '', ca: '', verifyservercert: true },
    { id: 'gate', type: 'http proxy', url: `http://${proxy}`, noproxy: [] },
    { id: 'wall', type: 'http proxy', url: variable('ENVLOG_WALL'), noproxy: [] },
    {
      id: 'collector',
      type: 'debug',
      tosidebar: true,
      console: false,
      tostatus: true,
      complete: 'true',
      ...respond,
    },
    { id: 'catch', type: 'catch', scope: null, wires: [['collector']], ...respond },
    { id: 'status', type: 'status', scope: null, wires: [['collector']], ...respond },
    ...members.flatMap((member, index) => nodesOf(member, index < FULL_ACCOUNTS ? requestKinds.length : 1)),
  ]
  const credentials = {
    ...Object.fromEntries(members.map((member) => [nodeIdOf(member, 'account'), member.credentials])),
    [nodeIdOf(variables, 'account')]: {
      ...variables.credentials,
      apiKey: variable('ENVLOG_KEY'),
      loginPass: variable('ENVLOG_PASS'),
    },
    gate: { username: 'gate', password: gate },
    tls: { cadata: trusted },
  }
  const witness = await startRecorder(flow, credentials, env)

  return {
    accounts: members,
    witness,
    setEcho(next, what) {
      says = next
      echo = what
    },
    answerCorrectly() {
      says = right
    },
    answerCount: () => said,
    async request(member, requestKind) {
      if (isRoute(requestKind)) {
        const login = { apiKey: STORED_SECRET, loginId: member.credentials.loginId, loginPass: STORED_SECRET }
        const settings = { ...accountSettings, limits, ...member.settings, credentials: login }
        const account = { id: nodeIdOf(member, 'account'), ...settings }
        return {
          texts: [await witness.request(`/envlog/${requestKind}`, { account, anew: true })],
          message: '',
        }
      }
      const { texts, error } = await witness.trigger(nodeIdOf(member, requestKind))
      if (error?.code !== 'ENVLOG_SERVICE') return { texts, message: error?.message ?? '' }
      // A refused device is requested again.
      const forgot = await witness.trigger(nodeIdOf(member, requestKind), { envlog: { forget: true } })
      return { texts: [...texts, ...forgot.texts], message: error.message }
    },
    async close() {
      await witness.end()
      await Promise.all(peers.map((peer) => peer.close()))
    },
  }
}
