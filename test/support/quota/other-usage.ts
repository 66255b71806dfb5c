import assert from 'node:assert/strict'
import { expectedOccupiedMs } from './ideal-client'
import type { CountedRequest, ServiceRow } from './model-service'
import type { QuotaSimulation } from './quota-simulation'

interface SentRequest {
  at: number
  foreign: number
}

/**
 * Watches a client whose account is used by others too. At each answer it must know: usage that the service counts
 * beyond the client's own belongs to others, for a window. It cannot know of any other usage.
 */
export function watchOtherUsage(simulation: QuotaSimulation, row: ServiceRow) {
  const occupied = expectedOccupiedMs(row.window)
  const known: { at: number; amount: number }[] = []
  const sendings: SentRequest[] = []
  const endings: number[] = []
  const { clock } = simulation
  const counts = () => simulation.quota().counts().endpoints.current
  const mustKnow = (now: number) =>
    known.reduce((sum, { at, amount }) => sum + (at > now - occupied ? amount : 0), 0)

  function sending(): void {
    const at = clock.monotonic()
    const { foreign } = counts()
    assert.ok(foreign >= mustKnow(at), `knew of ${mustKnow(at)} at ${at} and holds ${foreign}`)
    sendings.push({ at, foreign })
  }

  function answered(sentAt: number, remaining: number | null): void {
    const at = clock.monotonic()
    endings.push(at)
    const before = counts().foreign
    clock.after(0, () => {
      const { own, foreign } = counts()
      if (foreign > before) known.push({ at, amount: foreign - before })
      // Counted when the answer was made, released since.
      const gone = endings.filter((end) => end > sentAt - occupied && end <= at - occupied).length
      if (remaining !== null)
        assert.ok(own + foreign + gone >= row.limit - remaining, 'counts less than was reported')
    })
  }

  return { sending, answered, sendings }
}

/** All refused requests of the client, with the usage that it could not know of. */
export function findRefusals(
  log: readonly CountedRequest[],
  sendings: readonly SentRequest[],
  row: ServiceRow,
) {
  return log.flatMap((refused, index) => {
    if (!refused.over || refused.who !== 'ours') return []
    const inWindow = log.slice(0, index).filter(({ at }) => sameWindow(row, at, refused.at))
    const last = sendings.findLast(({ at }) => at <= refused.at)
    const foreign = inWindow.filter(({ who, counts }) => who === 'foreign' && counts).length
    const before = inWindow.filter(({ who, over, counts }) => who === 'ours' && over && !counts).length
    return [{ unknown: foreign - (last?.foreign ?? 0), before }]
  })
}

function sameWindow({ kind, window, phase }: ServiceRow, one: number, other: number): boolean {
  const ms = window * 1000
  if (kind === 'sliding') return Math.abs(other - one) <= ms
  return Math.floor((one - phase) / ms) === Math.floor((other - phase) / ms)
}
