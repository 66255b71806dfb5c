/** The table of hostile peers: every cell has a peer, an account and a node of its own, all in one Node-RED. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type Simulator, startSimulator } from '../../../simulator'
import { type Listener, startProxy, startTls } from '../network'
import { startPeer } from '../peers'
import { answers } from './answers'
import { ask, type Outcome, type Place, runCell, turns } from './cell'
import { connections } from './connections'
import { startDeaf } from './deaf'
import { type Cell, credentials, flowOf } from './flows'
import { framing } from './framing'
import { type Asker, askers, type HostilePeer } from './peer'
import type { State } from './victim'
import { startVictim, type Victim } from './victim-process'
import type { Service } from './wire'

export const peers: readonly HostilePeer[] = [...connections, ...framing, ...answers]

export interface Table {
  outcome(peer: HostilePeer, asker: Asker): Promise<Outcome>
  cells: readonly Cell[]
  victim: Victim
  /** Before the first cell, and after the last. */
  before: State
  after(): Promise<State>
  /** Longest stop of the event loop, ms, while the service that works was asked. */
  floor: number
  /** How often somebody followed a redirect. */
  elsewhere(): number
  close(): Promise<void>
}

/** Of the service that works, before the first cell: what is loaded late is loaded then. */
const ROUNDS = 4

export async function startTable(wanted: readonly HostilePeer[] = peers): Promise<Table> {
  const works: HostilePeer = { title: 'works', behaviour: () => () => {}, ends: ['ok'] }
  const planned = [works, ...wanted].flatMap((peer) =>
    askers.map((asker) => ({ peer, asker, account: credentials() })),
  )
  const moreAccounts = planned.map(({ account }) => account)
  const simulator = await startSimulator({ limits: 'off', logSize: 10, moreAccounts })
  const tls = await startTls(simulator.port)
  const proxy = await startProxy(tls.port)
  const elsewhere = await startElsewhere()
  const service = serviceOf(simulator, elsewhere.port)
  const all = await Promise.all(
    planned.map(
      async (cell, index): Promise<Place> => ({
        ...cell,
        id: `cell-${index}`,
        ...(await startOne(cell.peer, service)),
      }),
    ),
  )
  const places = all.filter(({ peer }) => peer !== works)
  const warm = all.filter(({ peer }) => peer === works)
  const { flow, credentials: secrets } = flowOf(all)
  const victim = await startVictim(flow, secrets)
  for (const { there } of warm) there.mend(simulator.port)
  const floor = await warmUp(victim, warm)
  const before = await victim.state()

  const targets = { http: simulator.port, tls: tls.port, proxy: proxy.port }
  const outcomes = new Map(places.map((place) => [keyOf(place), promised<Outcome>()]))
  const of = (kind: HostilePeer['kind']) => places.filter(({ peer }) => (peer.kind ?? 'quick') === kind)
  const inTurn = turns()
  async function run(place: Place, isAlone: boolean): Promise<void> {
    const { resolve, reject } = outcomes.get(keyOf(place)) as Promised<Outcome>
    const target = targets[place.peer.way ?? 'http']
    await runCell(victim, place, target, { isAlone, inTurn }).then(resolve, reject)
  }
  const done = (async () => {
    for (const place of [...of('quick'), ...of('cut')]) await run(place, true)
    await Promise.all(of('slow').map((place) => run(place, false)))
    for (const place of of('huge')) await run(place, true)
  })()

  return {
    cells: places,
    victim,
    before,
    floor,
    elsewhere: elsewhere.connections,
    outcome: async (peer, asker) => (await outcomes.get(keyOf({ peer, asker }))?.promise) as Outcome,
    async after() {
      await done
      return victim.state()
    },
    async close() {
      await victim.end()
      await Promise.all(all.map(({ there }) => there.close()))
      for (const listener of [tls, proxy, simulator, elsewhere]) await listener.close()
    },
  }
}

async function warmUp(victim: Victim, cells: readonly Place[]): Promise<number> {
  let floor = 0
  for (let round = 1; round <= ROUNDS; round++) {
    for (const cell of cells) {
      await victim.stop()
      const { how, text } = await ask(victim, cell)
      if (how !== 'ok') throw new Error(`The service that works: ${cell.asker}: ${how} ${text}`)
      if (round > ROUNDS / 2) floor = Math.max(floor, await victim.stop())
    }
  }
  return floor
}

const keyOf = ({ peer, asker }: { peer: HostilePeer; asker: Asker }) => `${peer.title}: ${asker}`

interface Promised<T> {
  promise: Promise<T>
  resolve(value: T): void
  reject(error: Error): void
}

function promised<T>(): Promised<T> {
  const made = {} as Promised<T>
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }))
  // Whoever asks for it is told.
  made.promise.catch(() => {})
  return made
}

async function startOne(
  peer: HostilePeer,
  service: Service,
): Promise<Pick<Place, 'there' | 'port' | 'asked'>> {
  let asked = 0
  const behaviour = peer.behaviour(service)
  const there = peer.deaf
    ? await startDeaf()
    : await startPeer((socket, mended) => {
        socket.once('data', () => asked++)
        behaviour(socket, mended)
      })
  return { there, port: there.port, asked: () => asked }
}

function serviceOf(simulator: Simulator, elsewhere: number): Service {
  return {
    elsewhere,
    async ask({ path, head, body }) {
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

async function startElsewhere(): Promise<Listener & { connections: () => number }> {
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
