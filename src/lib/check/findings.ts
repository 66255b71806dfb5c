/** What the package takes for true of the service: the rows with ✓ of docs/service.md, *What is certain*. */
export const ASSUMPTIONS: readonly string[] = [
  'bounds newest-first channel-numbers daylight-saving ids-relay ids-standalone newest-300 alert-20',
  'alert-texts limits records-limit standalone relay-suffix error-object battery-table serials fields',
].flatMap((names) => names.split(' '))

/**
 * In ascending order of importance: the responses do not show it; as the service describes it; different, as the
 * package expects; different in a way that the package does not expect, which is worth a report.
 */
const VERDICTS = ['not-seen', 'confirmed', 'differs', 'contradicted'] as const
export type Verdict = (typeof VERDICTS)[number]

export interface Finding {
  assumption: string
  verdict: Verdict
  /** How it differs, as a key of the catalogs (`seen.<key>`). */
  seen?: string
  /** Fields, endpoints and figures. Names of fields are the only texts of the service in it. */
  details: readonly string[]
}

/** Collects what the parts of responses show. Of each assumption the most important finding counts. */
export class Findings {
  readonly #findings = new Map<string, Finding>(
    ASSUMPTIONS.map((assumption) => [assumption, { assumption, verdict: 'not-seen', details: [] }]),
  )

  get all(): Finding[] {
    return [...this.#findings.values()]
  }

  /** Whether an assumption is true that the package does not depend on. */
  expect(assumption: string, isTrue: boolean, seen: string, detail?: unknown): void {
    this.#add(assumption, isTrue ? 'confirmed' : 'differs', seen, detail)
  }

  /** Whether an assumption is true that the package depends on. */
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
