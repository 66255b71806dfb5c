import { released } from './all-knowing'
import type { Fleet, Told } from './fleet'

/** How long after its data is lost a shared store may learn of what was spent, ms. */
const TOLD_MS = 12_000
/** Before a process found the shared store lost it may have been silent for so long. */
const HEARD_MS = 4000
/** So late it finds that the shared store is back. */
const FOUND_MS = 3000

interface Excess {
  at: number
  over: number
  allowed: number
}

/**
 * Requests that were too many in a sliding window of the service, which has those of any fixed one, where they are more
 * than the contract leaves to chance (docs/quota.md, *Several Node-REDs on one account*).
 */
export function excess({ service, history, scenario }: Fleet): Excess[] {
  const { row, headers, up, processes } = scenario
  const [window, held] = [row.window * 1000, released(row.window)]
  const share = Math.max(1, Math.floor(row.limit / 2))
  const { log } = service
  let first = 0

  /** What one without the shared store may spend that others do not know of. */
  function unknown({ who, from, to, isFirst }: Told, since: number, at: number): number {
    if (from > at || to < since) return 0
    // Nobody leaves anything to one that nobody knows; headers that tell too much are believed.
    if (isFirst || headers === 'odd') return share
    // Of one that has begun just now the others have not heard yet: they count one less.
    if (history.heres.some((one) => one.isFirst && one.from <= from && one.from > from - HEARD_MS))
      return share
    // After a window it has its share, which those that have the shared store leave to it no longer.
    const late = { from: Math.max(from + held - HEARD_MS, since), to: Math.min(to, at) }
    const isAlone = history.troubles.some((down) => {
      const found = { ...down, to: down.to + FOUND_MS }
      return down.who === who && history.heres.some((here) => here.who !== who && meet(late, found, here))
    })
    return isAlone ? share : Number(from + held > since)
  }

  /** What went with the shared store's data: one who cannot tell what it spent costs each of the others one. */
  function untold(lost: number, to: number): number {
    const isMissed = history.troubles.some(
      ({ from, to: end }) => from <= lost + TOLD_MS && end >= lost - held,
    )
    // One that has stopped leaves nothing behind.
    const gone = history.stops.filter(({ at }) => at <= lost + TOLD_MS).map(({ own }) => own)
    // One that begins then knows of no other: headers tell it what they have spent, with the first answer that comes.
    const isNewcomer = history.heres.some(
      ({ isFirst, from }) => isFirst && from >= lost && from <= lost + TOLD_MS,
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
    const losses = history.losses.filter((lost) => lost <= at && lost >= since - held)
    const allowed =
      history.aways.reduce((sum, away) => sum + unknown(away, since, at), 0) +
      losses.reduce((sum, lost) => sum + untold(lost, last + 1), 0)
    return over > allowed ? [{ at, over, allowed }] : []
  })
}

/** True where all of them were at one time. */
const meet = (...spans: { from: number; to: number }[]) =>
  Math.max(...spans.map(({ from }) => from)) <= Math.min(...spans.map(({ to }) => to))
