/** The table of hostile peers: every cell has its own peer, account and node, all in one Node-RED. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type Simulator, startSimulator } from '../../../simulator'
import { type Listener, startProxy, startTls } from '../network'
import { startPeer } from '../peers'
import { answerPeers } from './answers'
import { type CellOutcome, createSerialQueue, performRequest, type RunningCell, runCell } from './cell'
import { connectionPeers } from './connections'
import { type Cell, cellsFlow, randomCredentials } from './flows'
import { framingPeers } from './framing'
import { startFullBacklog } from './full-backlog'
import { type HostilePeer, type Requester, requesters } from './peer'
import { startVictim, type Victim } from './victim'
import type { VictimState } from './victim-process'
import type { WorkingService } from './wire'

export const peers: readonly HostilePeer[] = [...connectionPeers, ...framingPeers, ...answerPeers]

export interface HostilePeerTable {
  outcome(peer: HostilePeer, requester: Requester): Promise<CellOutcome>
  cells: readonly Cell[]
  victim: Victim
  /** Before the first cell, and after the last. */
  before: VictimState
  after(): Promise<VictimState>
  /** Longest stop of the event loop with the working service, ms. */
  baselineStop: number
  /** Number of followed redirects. */
  unrelatedConnections(): number
  close(): Promise<void>
}

/** Requests to the working service before the first cell, so that everything is loaded. */
const WARM_UP_ROUNDS = 4
/** So many answers of the working service may be late. */
const MAX_SLOW = 10

export async function startTable(wanted: readonly HostilePeer[] = peers): Promise<HostilePeerTable> {
  const works: HostilePeer = { title: 'works', behaviour: () => () => {}, ends: ['ok'] }
  const planned = [works, ...wanted].flatMap((peer) =>
    requesters.map((requester) => ({ peer, requester, account: randomCredentials() })),
  )
  const moreAccounts = planned.map(({ account }) => account)
  const simulator = await startSimulator({ limits: 'off', logSize: 10, moreAccounts })
  const tls = await startTls(simulator.port)
  const proxy = await startProxy(tls.port)
  const unrelated = await startUnrelatedServer()
  const service = createWorkingService(simulator, unrelated.port)
  const all = await Promise.all(
    planned.map(
      async (cell, index): Promise<RunningCell> => ({
        ...cell,
        id: `cell-${index}`,
        ...(await startCellPeer(cell.peer, service)),
      }),
    ),
  )
  const runningCells = all.filter(({ peer }) => peer !== works)
  const warmUpCells = all.filter(({ peer }) => peer === works)
  const { flow, credentials: secrets } = cellsFlow(all)
  const victim = await startVictim(flow, secrets)
  for (const { server } of warmUpCells) server.mend(simulator.port)
  const floor = await warmUp(victim, warmUpCells)
  const before = await victim.state()

  const targets = { http: simulator.port, tls: tls.port, proxy: proxy.port }
  const outcomes = new Map(runningCells.map((cell) => [keyOf(cell), createDeferred<CellOutcome>()]))
  const cellsOf = (kind: HostilePeer['kind']) =>
    runningCells.filter(({ peer }) => (peer.kind ?? 'quick') === kind)
  const inTurn = createSerialQueue()
  async function run(cell: RunningCell, isAlone: boolean): Promise<void> {
    const { resolve, reject } = outcomes.get(keyOf(cell)) as Deferred<CellOutcome>
    const target = targets[cell.peer.connection ?? 'http']
    await runCell(victim, cell, target, { isAlone, inTurn }).then(resolve, reject)
  }
  const done = (async () => {
    for (const cell of [...cellsOf('quick'), ...cellsOf('cut')]) await run(cell, true)
    await Promise.all(cellsOf('slow').map((cell) => run(cell, false)))
    for (const cell of cellsOf('huge')) await run(cell, true)
  })()

  return {
    cells: runningCells,
    victim,
    before,
    baselineStop: floor,
    unrelatedConnections: unrelated.connections,
    outcome: async (peer, requester) =>
      (await outcomes.get(keyOf({ peer, requester }))?.promise) as CellOutcome,
    async after() {
      await done
      return victim.state()
    },
    async close() {
      await victim.end()
      await Promise.all(all.map(({ server }) => server.close()))
      for (const listener of [tls, proxy, simulator, unrelated]) await listener.close()
    },
  }
}

/** On a busy machine a first answer may take longer than the short timeout of the cells. */
async function warmUp(victim: Victim, cells: readonly RunningCell[]): Promise<number> {
  let floor = 0
  let slow = 0
  const measured = async (cell: RunningCell) => {
    await victim.stop()
    return performRequest(victim, cell)
  }
  for (let round = 1; round <= WARM_UP_ROUNDS; round++) {
    for (const cell of cells) {
      let { end, text } = await measured(cell)
      while (end === 'ENVLOG_TIMEOUT' && slow++ < MAX_SLOW) ({ end, text } = await measured(cell))
      if (end !== 'ok') throw new Error(`The service that works: ${cell.requester}: ${end} ${text}`)
      if (round > WARM_UP_ROUNDS / 2) floor = Math.max(floor, await victim.stop())
    }
  }
  return floor
}

const keyOf = ({ peer, requester }: { peer: HostilePeer; requester: Requester }) =>
  `${peer.title}: ${requester}`

interface Deferred<T> {
  promise: Promise<T>
  resolve(value: T): void
  reject(error: Error): void
}

function createDeferred<T>(): Deferred<T> {
  const made = {} as Deferred<T>
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }))
  // The rejection is handled by whoever awaits the promise.
  made.promise.catch(() => {})
  return made
}

async function startCellPeer(
  peer: HostilePeer,
  service: WorkingService,
): Promise<Pick<RunningCell, 'server' | 'port' | 'connectionCount'>> {
  let connectionCount = 0
  const behaviour = peer.behaviour(service)
  const server = peer.hasFullBacklog
    ? await startFullBacklog()
    : await startPeer((socket, mended) => {
        socket.once('data', () => connectionCount++)
        behaviour(socket, mended)
      })
  return { server, port: server.port, connectionCount: () => connectionCount }
}

function createWorkingService(simulator: Simulator, elsewhere: number): WorkingService {
  return {
    unrelatedPort: elsewhere,
    async answer({ path, head, body }) {
      const lines = head.split('\r\n').slice(1)
      const headers = lines
        .map((line) => line.split(/: */, 2) as [string, string])
        .filter(([name]) => !/^(?:host|connection|content-length)$/i.test(name))
      const answer = await fetch(`${simulator.url}${path}`, { method: 'POST', headers, body: String(body) })
      return {
        status: answer.status,
        headers: Object.fromEntries([...answer.headers].filter(([name]) => name.startsWith('x-ratelimit'))),
        body: Buffer.from(await answer.arrayBuffer()),
      }
    },
  }
}

async function startUnrelatedServer(): Promise<Listener & { connections: () => number }> {
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
