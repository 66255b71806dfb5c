/** One cell of the table: a requester sends a request to a hostile peer, then to the same peer after its repair. */
import { setTimeout as sleep } from 'node:timers/promises'
import { freezer } from '../devices'
import type { Peer } from '../peers'
import { type Cell, cellAccount, isRoute } from './flows'
import { accepts } from './full-backlog'
import type { Victim } from './victim'

/** How one request of a cell ended. */
export interface RequestResult {
  ms: number
  /** A documented code, `ok`, or anything else. */
  end: string
  /** Everything that was reported about it. */
  text: string
  /** Serials in the output, or in the response of a route. */
  serials: string[]
}

export interface CellOutcome {
  /** While the peer was hostile: one result, or for a peer that cuts, as many as were needed. */
  results: RequestResult[]
  /** Connections on which the peer received something. */
  connections: number
  /** Connections that were still open two seconds later. */
  open: number
  afterRepair: RequestResult
  /** Requests that the account still counts as in flight at the end. */
  running: number
  /** Longest stop of the event loop; `undefined` if other cells ran at the same time. */
  longestStop: number | undefined
}

/** A cell and its peer. */
export interface RunningCell extends Cell {
  server: Peer
  connectionCount(): number
}

/** Runs work one after the other: hundreds of new connections at once are slow on two processors. */
export type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>

export function createSerialQueue(): SerialQueue {
  let before: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = before.then(work)
    before = mine.catch(() => {})
    return mine
  }
}

const CLOSED_MS = 2000
const POLL_MS = 5
/** Maximum time until a trigger ends. */
const MAX_TRIGGER_MS = 40_000
/** No answer needs more cuts. */
const MAX_CUTS = 200

export async function runCell(
  victim: Victim,
  cell: RunningCell,
  target: number,
  { isAlone, inTurn: serial }: { isAlone: boolean; inTurn: SerialQueue },
): Promise<CellOutcome> {
  const { peer, server } = cell
  await victim.stop()
  const ended = [await performRequest(victim, cell)]
  while (peer.kind === 'cut' && ended.at(-1)?.end !== 'ok' && ended.length < MAX_CUTS) {
    ended.push(await performRequest(victim, cell))
  }
  const stop = isAlone ? await victim.stop() : undefined
  const connectionCount = cell.connectionCount()
  const since = performance.now()
  while (server.open() > (peer.maxOpen ?? 0) && performance.now() - since < CLOSED_MS) await sleep(POLL_MS)
  const open = server.open()
  server.mend(target)
  if (peer.hasFullBacklog) await accepts(cell.port)
  if (peer.refuses && !isRoute(cell.requester)) await victim.trigger(cell.id, { envlog: { forget: true } })
  const mended = await serial(() => performRequest(victim, cell))
  const running = await runningRequests(victim, cell)
  return {
    results: ended,
    connections: connectionCount,
    open,
    afterRepair: mended,
    running,
    longestStop: stop,
  }
}

/** Requests in flight according to the account; the account answers immediately, whatever the peer does. */
async function runningRequests(victim: Victim, { id, requester }: Cell): Promise<number> {
  if (isRoute(requester)) return 0
  const { text } = await victim.request(`/envlog/accounts/account-${id}/quota`)
  return (JSON.parse(text) as { running: number }).running
}

export async function performRequest(victim: Victim, cell: Cell): Promise<RequestResult> {
  if (!isRoute(cell.requester)) {
    const lost = new AbortController()
    const never = sleep(MAX_TRIGGER_MS, undefined, { signal: lost.signal }).then(() => {
      throw new Error(`A trigger has not ended within ${MAX_TRIGGER_MS / 1000} s`)
    })
    const { ms, error, text, about } = await Promise.race([victim.trigger(cell.id), never])
    lost.abort()
    never.catch(() => {})
    return { ms, end: error ? String(error.code) : 'ok', text, serials: about }
  }
  const { apiKey, loginId, loginPass } = cell.account
  const account = { id: '', ...cellAccount(cell), credentials: { apiKey, loginId, loginPass } }
  const path = cell.requester === 'device list' ? '/envlog/devices' : '/envlog/test'
  const { ms, status, text } = await victim.request(path, { account, anew: true })
  const reply = JSON.parse(text) as { code?: string; reason?: string; devices?: unknown }
  if (status !== 200) return { ms, end: reply.code ?? `${status} ${reply.reason}`, text, serials: [] }
  const has = text.includes(freezer.serial) || Number(reply.devices) > 1
  return { ms, end: 'ok', text, serials: has ? [freezer.serial] : ['others'] }
}
