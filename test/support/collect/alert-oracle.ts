import type { AlertEntry, AlertSimulation } from './alert-simulation'
import { LOG_SIZE } from './alert-simulation'

/** The knowledge of a correct node, computed only from the journal. */
export interface KnownAlerts {
  /** Delivered alerts; with receipts, those that a sink has stored. */
  delivered: ReadonlySet<number>
  /** Number of alerts up to the latest response; `null` if there was none. */
  upTo: number | null
  /** The largest such number of all previous responses, because replicas may lag. */
  before: number | null
  /** Number of alerts when the node started; it does not deliver these. */
  from: number | null
  /** Something has been delivered since then: with receipts, the node has saved before that it knows the device. */
  isSaved: boolean
}

/** What changes with each kind of entry. */
type Steps = {
  [K in AlertEntry['kind']]?: (known: KnownAlerts, entry: Extract<AlertEntry, { kind: K }>) => KnownAlerts
}

/** The knowledge after each entry of a run. */
export function knownAlerts({ journal }: AlertSimulation, start: 'now' | 'all', acknowledges: boolean) {
  const nothing: KnownAlerts = { delivered: new Set(), upTo: null, before: null, from: null, isSaved: false }
  const states: KnownAlerts[] = []
  const at = (index: number) => states[index] ?? nothing

  function begun({ from, upTo }: KnownAlerts): number | null {
    if (from !== null || upTo === null) return from
    return start === 'now' ? upTo : Math.max(0, upTo - LOG_SIZE)
  }

  const steps: Steps = {
    answered: (known, { upTo }) => ({ ...known, upTo }),
    completed: (known) => ({ ...known, from: begun(known), before: laterOf(known.before, known.upTo) }),
    forgotten: (known) => (acknowledges ? { ...nothing, delivered: known.delivered } : nothing),
    delivered(known, { alerts }) {
      const have = acknowledges ? known.delivered : new Set([...known.delivered, ...alerts])
      return { ...known, from: begun(known), delivered: have, isSaved: true }
    },
    acknowledged(known, entry) {
      const delivery = journal[entry.delivery]
      const stored = delivery?.kind === 'delivered' ? delivery.alerts : []
      return { ...known, delivered: new Set([...known.delivered, ...stored]) }
    },
    died(known, entry) {
      const then = at(entry.at - 1)
      // Alerts sent with a receipt are known after any crash; a first response without alerts may not have been
      // written.
      const from =
        (acknowledges && known.isSaved ? known.from : null) ?? (entry.hasCursor ? begun(then) : null)
      // The state may have been written during a request, before its alerts were delivered.
      const upTo = missingAlerts(then).length === 0 ? laterOf(then.before, then.upTo) : then.before
      return {
        ...then,
        from,
        before: from === null ? null : upTo,
        isSaved: known.isSaved,
        delivered: acknowledges ? known.delivered : then.delivered,
      }
    },
  }
  const next = <K extends AlertEntry['kind']>(
    known: KnownAlerts,
    entry: Extract<AlertEntry, { kind: K }>,
  ): KnownAlerts => steps[entry.kind as K]?.(known, entry) ?? known

  for (const [index, entry] of journal.entries()) states.push(next(at(index - 1), entry))
  return at
}

function laterOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

/** Alerts that were in the log at the latest response, should have been delivered by now, but were not. */
export function missingAlerts({ delivered, upTo, from }: KnownAlerts): number[] {
  if (upTo === null || from === null) return []
  const first = Math.max(from, upTo - LOG_SIZE)
  return Array.from({ length: Math.max(0, upTo - first) }, (_, index) => first + index).filter(
    (one) => !delivered.has(one),
  )
}
