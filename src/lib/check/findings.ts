/**
 * `not-seen`: the responses do not show it. `confirmed`: as described by the service. `differs`: different in a way that
 * the package expects. `contradicted`: different in a way that the package does not expect, which is worth reporting.
 */
export type Verdict = 'not-seen' | 'confirmed' | 'differs' | 'contradicted'

/**
 * The package's assumptions about the service, each with the verdict if it is wrong: the rows marked ✓ in
 * docs/service.md, *Assumptions*. For each there is a sentence in the catalogs (`seen.<assumption>`).
 */
export const ASSUMPTIONS = {
  bounds: 'contradicted',
  'newest-first': 'contradicted',
  'channel-numbers': 'contradicted',
  'daylight-saving': 'differs',
  'ids-relay': 'contradicted',
  'ids-standalone': 'contradicted',
  'newest-300': 'contradicted',
  'alert-20': 'contradicted',
  'alert-texts': 'differs',
  limits: 'differs',
  'records-limit': 'differs',
  'relay-suffix': 'contradicted',
  'error-object': 'contradicted',
  'battery-table': 'contradicted',
  serials: 'contradicted',
} as const satisfies Record<string, Verdict>
export type Assumption = keyof typeof ASSUMPTIONS

export interface Finding {
  assumption: Assumption
  verdict: Verdict
  /** Endpoints and numbers that differ. */
  details: string[]
}

/** An assumption, whether it is true, and what was found if it is not. */
export type Observation = readonly [assumption: Assumption, isTrue: boolean, detail?: unknown]

/** The verdict on each assumption is the worst one observed. */
export function toFindings(observations: readonly Observation[]): Finding[] {
  return Object.entries(ASSUMPTIONS).map(([name, otherwise]) => {
    const assumption = name as Assumption
    const observed = observations.filter(([about]) => about === assumption)
    if (observed.length === 0) return { assumption, verdict: 'not-seen', details: [] }
    const differences = observed.filter(([, isTrue]) => !isTrue)
    const details = differences.flatMap(([, , detail = []]) => detail).map(String)
    const verdict = differences.length > 0 ? otherwise : 'confirmed'
    return { assumption, verdict, details: [...new Set(details)] }
  })
}
