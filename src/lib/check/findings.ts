/** The package's assumptions about the service: the rows marked ✓ in docs/service.md, *Assumptions*. */
export const ASSUMPTIONS: readonly string[] = [
  'bounds newest-first channel-numbers daylight-saving ids-relay ids-standalone newest-300 alert-20',
  'alert-texts limits records-limit standalone relay-suffix error-object battery-table serials fields',
].flatMap((names) => names.split(' '))

/**
 * In ascending order of importance. `not-seen`: the responses do not show it. `confirmed`: as described by the service.
 * `differs`: different in a way that the package expects. `contradicted`: different in a way that the package does not
 * expect, which is worth reporting.
 */
const VERDICTS = ['not-seen', 'confirmed', 'differs', 'contradicted'] as const
export type Verdict = (typeof VERDICTS)[number]

export interface Finding {
  assumption: string
  verdict: Verdict
  /** The difference, as a key in the catalogs (`seen.<key>`). */
  seen?: string
  /** Fields, endpoints and numbers. Field names are the only texts from the service. */
  details: readonly string[]
}

/** Collects findings. For each assumption, the most important one counts. */
export class Findings {
  readonly #findings = new Map<string, Finding>(
    ASSUMPTIONS.map((assumption) => [assumption, { assumption, verdict: 'not-seen', details: [] }]),
  )

  get all(): Finding[] {
    return [...this.#findings.values()]
  }

  /** Records whether an assumption is true on which the package does not depend. */
  expect(assumption: string, isTrue: boolean, seen: string, detail?: unknown): void {
    this.#add(assumption, isTrue ? 'confirmed' : 'differs', seen, detail)
  }

  /** Records whether an assumption is true on which the package depends. */
  require(assumption: string, isTrue: boolean, seen: string, detail?: unknown): void {
    this.#add(assumption, isTrue ? 'confirmed' : 'contradicted', seen, detail)
  }

  #add(assumption: string, verdict: Verdict, seen: string, detail: unknown): void {
    const known = this.#findings.get(assumption)
    const importance = VERDICTS.indexOf(verdict) - VERDICTS.indexOf(known?.verdict ?? 'not-seen')
    if (importance < 0) return
    const isDifferent = verdict !== 'confirmed'
    const details = new Set(importance === 0 ? known?.details : [])
    if (isDifferent && detail !== undefined) details.add(String(detail))
    const about = { assumption, verdict, details: [...details] }
    this.#findings.set(assumption, isDifferent ? { ...about, seen } : about)
  }
}
