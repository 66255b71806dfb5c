import type { ConnectionSpan, Fleet } from './fleet'
import { expectedOccupiedMs } from './ideal-client'

/** Time in which a shared store gets reports of usage after it lost its data, ms. */
const REPORT_MS = 12_000
/** A process may have been silent for this long before it noticed that the shared store is lost, ms. */
const HEARTBEAT_MS = 4000
/** So late it finds that the shared store is back. */
const RECONNECT_MS = 3000

interface Excess {
  at: number
  over: number
  allowed: number
}

/**
 * Requests that were too many in a sliding window of the service, which has those of any fixed one, where they are more
 * than the contract allows (docs/quota.md, *Several Node-REDs on one account*).
 */
export function excess({ service, history, scenario }: Fleet): Excess[] {
  const { row, headers, up, processes } = scenario
  const [window, occupied] = [row.window * 1000, expectedOccupiedMs(row.window)]
  const share = Math.max(1, Math.floor(row.limit / 2))
  const { log } = service
  let first = 0

  /** What one without the shared store may spend that others do not know of. */
  function unknownToOthers({ who, from, to, isFirst }: ConnectionSpan, since: number, at: number): number {
    if (from > at || to < since) return 0
    // Nothing is reserved for an unknown member; false headers are trusted.
    if (isFirst || headers === 'odd') return share
    // The others do not know a new member yet: they count one member less.
    if (history.connected.some((one) => one.isFirst && one.from <= from && one.from > from - HEARTBEAT_MS))
      return share
    // After a window it uses its share, which the connected members no longer reserve.
    const late = { from: Math.max(from + occupied - HEARTBEAT_MS, since), to: Math.min(to, at) }
    const isAlone = history.troubles.some((down) => {
      const found = { ...down, to: down.to + RECONNECT_MS }
      return (
        down.who === who && history.connected.some((here) => here.who !== who && overlap(late, found, here))
      )
    })
    return isAlone ? share : Number(from + occupied > since)
  }

  /** Usage that was lost with the data: a member that cannot report costs each of the others one request. */
  function lostUsage(lost: number, to: number): number {
    const isMissed = history.troubles.some(
      ({ from, to: end }) => from <= lost + REPORT_MS && end >= lost - occupied,
    )
    // A member that stopped normally leaves nothing reserved.
    const gone = history.stops.filter(({ at }) => at <= lost + REPORT_MS).map(({ own }) => own)
    // A new member knows of no others: the headers of its first answer report their usage.
    const isNewcomer = history.connected.some(
      ({ isFirst, from }) => isFirst && from >= lost && from <= lost + REPORT_MS,
    )
    const recent = log.slice(first, to)
    const blind = headers === 'honest' ? recent.filter(({ answered }) => !answered).length : row.limit
    const cost = processes + Number(isNewcomer) * blind
    return Number(isMissed) * cost + recent.filter(({ of }) => gone.includes(of)).length
  }

  return log.flatMap(({ at }, last) => {
    while (at - (log[first]?.at ?? at) > window) first++
    const over = last - first + 1 - row.limit
    if (over <= 0) return []
    const since = at - window - up
    const losses = history.losses.filter((lost) => lost <= at && lost >= since - occupied)
    const allowed =
      history.disconnected.reduce((sum, away) => sum + unknownToOthers(away, since, at), 0) +
      losses.reduce((sum, lost) => sum + lostUsage(lost, last + 1), 0)
    return over > allowed ? [{ at, over, allowed }] : []
  })
}

/** True where all of them were at one time. */
const overlap = (...spans: { from: number; to: number }[]) =>
  Math.max(...spans.map(({ from }) => from)) <= Math.min(...spans.map(({ to }) => to))
