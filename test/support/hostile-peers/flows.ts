/** The flow of all cells: an account for each cell, and an action node if the requester is one. */
import type { Account } from '../../../simulator/account'
import { createRandom } from '../chance'
import { freezer } from '../devices'
import type { FlowNode } from '../node-red'
import { trusted } from './connections'
import type { HostilePeer, Requester } from './peer'

/** The timeout of the accounts in seconds: the minimum. */
export const TIMEOUT = 1

export interface Cell {
  id: string
  peer: HostilePeer
  requester: Requester
  port: number
  account: Account
}

/** The nodes that report how a trigger ended. */
export const SINKS = { output: 'output', caught: 'caught', completed: 'completed', status: 'status' } as const

const random = createRandom('credentials of cells')
const letters = 'abcdefghijkmnpqrstuvwxyz23456789'
const text = (length: number) => Array.from({ length }, () => random.pick([...letters])).join('')

/** With characters that are escaped in JSON, URLs and headers. */
export const randomCredentials = (): Account => ({
  apiKey: text(45),
  loginId: text(8),
  loginPass: `${text(5)}/"+${text(5)}`,
  referenceId: text(8),
  referencePass: text(12),
})

export const isRoute = (requester: Requester) => requester === 'device list' || requester === 'account test'

const many = { limit: 1_000_000, window: 1 }
const manyRecords = { ...many, records: 1_000_000_000, recordsWindow: 1 }
const limits = {
  current: many,
  'latest-data': many,
  'latest-data-relay': many,
  alert: many,
  data: manyRecords,
  'data-relay': manyRecords,
}

/** The account of a cell, as its form has it. */
export function cellAccount({ peer, port, id }: Cell) {
  const { connection = 'http' } = peer
  return {
    baseUrl: {
      http: `http://127.0.0.1:${port}`,
      tls: `https://localhost:${port}`,
      proxy: 'https://service.test',
    }[connection],
    relaySuffix: 'relay',
    timeout: TIMEOUT,
    concurrency: 2,
    retries: peer.retries?.setting ?? 0,
    limits: JSON.stringify(limits),
    series1Models: '',
    tls: connection === 'http' ? '' : 'tls',
    proxy: connection === 'proxy' ? `proxy-${id}` : '',
  }
}

export function cellsFlow(cells: readonly Cell[]): { flow: FlowNode[]; credentials: Record<string, object> } {
  const place = { z: 'tab', x: 100, y: 100 }
  const nodes = cells.filter(({ requester }) => !isRoute(requester))
  const flow: FlowNode[] = [
    { id: 'tab', type: 'tab', label: 'hostile peers' },
    { id: 'tls', type: 'tls-config', cert: '', key: '', ca: '', verifyservercert: true },
    { id: SINKS.output, type: 'debug', active: false, ...place },
    { id: SINKS.caught, type: 'catch', scope: null, ...place },
    { id: SINKS.status, type: 'status', scope: null, ...place },
    { id: SINKS.completed, type: 'complete', scope: nodes.map(({ id }) => id), ...place },
    ...cells
      .filter(({ peer }) => peer.connection === 'proxy')
      .map(({ id, port }) => ({
        id: `proxy-${id}`,
        type: 'http proxy',
        url: `http://127.0.0.1:${port}`,
        noproxy: [],
      })),
    ...nodes.flatMap((cell) => [
      { id: `account-${cell.id}`, type: 'envlog-account', name: '', ...cellAccount(cell) },
      {
        id: cell.id,
        type: `envlog-${cell.requester}`,
        account: `account-${cell.id}`,
        version: 1,
        // An answer about one device is soon over.
        select: cell.requester === 'current' && cell.peer.kind === 'cut' ? 'all' : 'list',
        devices: [{ ...freezer, base: freezer.serial }],
        onlyNew: false,
        // The limits are never reached, so a wait can only come from false headers.
        wait: 5,
        from: '-2d',
        fromType: 'rel',
        wires: [[SINKS.output]],
        ...place,
      },
    ]),
  ]
  const secrets = Object.fromEntries(
    nodes.map(({ id, account: { apiKey, loginId, loginPass } }) => [
      `account-${id}`,
      { apiKey, loginId, loginPass },
    ]),
  )
  const proxies = Object.fromEntries(
    cells.map(({ id, account }) => [`proxy-${id}`, { username: 'gate', password: account.referencePass }]),
  )
  return { flow, credentials: { ...secrets, ...proxies, tls: { cadata: trusted } } }
}
