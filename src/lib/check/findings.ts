/** The package's assumptions about the service: the rows marked ✓ in docs/service.md, *Assumptions*. */
export const ASSUMPTIONS: readonly string[] = [
  'bounds newest-first channel-numbers daylight-saving ids-relay ids-standalone newest-300 alert-20',
  'alert-texts limits records-limit relay-suffix error-object battery-table serials',
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
  seen: string | undefined
  /** Endpoints and numbers. */
  details: readonly string[]
}

/** Collects findings. For each assumption, the most important one counts. */
export class Findings {
  readonly #findings: Finding[] = []

  get all(): Finding[] {
    return ASSUMPTIONS.map((assumption) => {
      const found = this.#findings.filter((finding) => finding.assumption === assumption)
      const verdict = VERDICTS.findLast((each) => found.some((finding) => finding.verdict === each))
      const decisive = found.filter((finding) => finding.verdict === verdict)
      const details = [...new Set(decisive.flatMap((finding) => finding.details))]
      return { assumption, verdict: verdict ?? 'not-seen', seen: decisive[0]?.seen, details }
    })
  }

  /** Records whether an assumption is true on which the package does not depend. */
  expect(assumption: string, isTrue: boolean, seen: string, detail?: unknown): void {
    this.#add('differs', assumption, isTrue, seen, detail)
  }

  /** Records whether an assumption is true on which the package depends. */
  require(assumption: string, isTrue: boolean, seen: string, detail?: unknown): void {
    this.#add('contradicted', assumption, isTrue, seen, detail)
  }

  #add(otherwise: Verdict, assumption: string, isTrue: boolean, seen: string, detail: unknown): void {
    const finding = isTrue
      ? { verdict: 'confirmed' as const, seen: undefined, details: [] }
      : { verdict: otherwise, seen, details: detail === undefined ? [] : [String(detail)] }
    this.#findings.push({ assumption, ...finding })
  }
}
