/** One cell of the table: who asks is started against a hostile peer, then against the same peer mended. */
import { setTimeout as sleep } from 'node:timers/promises'
import { freezer } from '../devices'
import type { Peer } from '../peers'
import { accepts } from './deaf'
import { accountOf, type Cell, isRoute } from './flows'
import type { Victim } from './victim-process'

/** How one request of a cell ended. */
export interface Ended {
  ms: number
  /** A documented code, `ok`, or whatever came instead. */
  how: string
  /** All that was told of it. */
  text: string
  /** Serials that the output was about; of a route those it told. */
  about: string[]
}

export interface Outcome {
  /** While the peer was hostile: one, or for a peer that cuts as many as it took. */
  ended: Ended[]
  /** Connections on which the peer was asked something. */
  asked: number
  /** Connections that were still open two seconds later. */
  open: number
  mended: Ended
  /** Requests that the account still counts as on their way, after all. */
  running: number
  /** Longest stop of the event loop; nothing where other cells ran at the same time. */
  stop: number | undefined
}

/** A cell and its peer. */
export interface Place extends Cell {
  there: Peer
  asked(): number
}

/** Runs one after the other: hundreds of new connections at once are slow on two processors, whoever makes them. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

export function turns(): InTurn {
  let before: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = before.then(work)
    before = mine.catch(() => {})
    return mine
  }
}

const CLOSED_MS = 2000
const LOOK_MS = 5
/** Nobody waits longer for the end of a trigger. */
const LOST_MS = 40_000
/** No answer is longer than so many cuts. */
const CUTS = 200

export async function runCell(
  victim: Victim,
  place: Place,
  target: number,
  { isAlone, inTurn }: { isAlone: boolean; inTurn: InTurn },
): Promise<Outcome> {
  const { peer, there } = place
  await victim.stop()
  const ended = [await ask(victim, place)]
  while (peer.kind === 'cut' && ended.at(-1)?.how !== 'ok' && ended.length < CUTS) {
    ended.push(await ask(victim, place))
  }
  const stop = isAlone ? await victim.stop() : undefined
  const asked = place.asked()
  const since = performance.now()
  while (there.open() > (peer.keeps ?? 0) && performance.now() - since < CLOSED_MS) await sleep(LOOK_MS)
  const open = there.open()
  there.mend(target)
  if (peer.deaf) await accepts(place.port)
  if (peer.refuses && !isRoute(place.asker)) await victim.trigger(place.id, { envlog: { forget: true } })
  const mended = await inTurn(() => ask(victim, place))
  const running = await requestsOf(victim, place)
  return { ended, asked, open, mended, running, stop }
}

/** What the account says is on its way: told at once, whatever its peer does. */
async function requestsOf(victim: Victim, { id, asker }: Cell): Promise<number> {
  if (isRoute(asker)) return 0
  const { text } = await victim.ask(`/envlog/accounts/account-${id}/quota`)
  return (JSON.parse(text) as { running: number }).running
}

export async function ask(victim: Victim, cell: Cell): Promise<Ended> {
  if (!isRoute(cell.asker)) {
    const lost = new AbortController()
    const never = sleep(LOST_MS, undefined, { signal: lost.signal }).then(() => {
      throw new Error(`A trigger has not ended within ${LOST_MS / 1000} s`)
    })
    const { ms, error, text, about } = await Promise.race([victim.trigger(cell.id), never])
    lost.abort()
    never.catch(() => {})
    return { ms, how: error ? String(error.code) : 'ok', text, about }
  }
  const { apiKey, loginId, loginPass } = cell.account
  const account = { id: '', ...accountOf(cell), credentials: { apiKey, loginId, loginPass } }
  const path = cell.asker === 'device list' ? '/envlog/devices' : '/envlog/test'
  const { ms, status, text } = await victim.ask(path, { account, anew: true })
  const told = JSON.parse(text) as { code?: string; reason?: string; devices?: unknown }
  if (status !== 200) return { ms, how: told.code ?? `${status} ${told.reason}`, text, about: [] }
  const has = text.includes(freezer.serial) || Number(told.devices) > 1
  return { ms, how: 'ok', text, about: has ? [freezer.serial] : ['others'] }
}
