/** Evaluates the flow library's score card: a rule may only fail for a known reason. */

/** A rule in the output of node-red-dev; some name what is wrong. */
export interface Rule {
  test: boolean
  packages?: string[]
  similar?: string[]
  nodes?: string[]
}

export interface RuleResult {
  rule: string
  outcome: 'passes' | 'fails' | 'excused' | 'missing'
  /** what is wrong, or why it is excused */
  why?: string
}

/** Facts on which the excuses depend. */
export interface Facts {
  hasAddress: boolean
  /** Whether the newest version of a dependency runs on the oldest Node.js that is supported. */
  newestRuns(dependency: string): boolean
}

const RULES = {
  P01: 'has a licence',
  P03: 'says where the source or the bugs are',
  P04: 'is named as new packages are',
  P05: 'has the keyword of Node-RED',
  P06: 'runs on the Node-REDs of today',
  P07: "runs on the oldest Node.js of today's Node-RED",
  P08: 'has a name of its own',
  N01: 'has node types of its own',
  N02: 'has an example for each node',
  D01: 'has few dependencies',
  D02: 'depends on nothing that breaks Node-RED',
  D03: 'depends on the newest of each',
}

type RuleName = keyof typeof RULES

/** Returns the reason why a rule may fail; `undefined` if it may not. */
const excuses: { [name in RuleName]?: (rule: Rule, facts: Facts) => string | undefined } = {
  P03: (_rule, { hasAddress }) =>
    hasAddress
      ? undefined
      : 'no public address of the source is known yet; the release workflow sets `repository` to its own',
  D03: ({ packages = [] }, { newestRuns }) =>
    packages.length > 0 && packages.every((name) => !newestRuns(name))
      ? `the newest ${packages.join(', ')} does not run on the oldest Node.js that is supported`
      : undefined,
}

/** @param strict for a release: only failures that others cause are excused */
export function evaluate(card: Record<string, unknown>, facts: Facts, strict: boolean): RuleResult[] {
  return (Object.keys(RULES) as RuleName[]).map((name) => {
    const rule = card[name] as Rule | undefined
    const title = `${name} ${RULES[name]}`
    if (rule === undefined) return { rule: title, outcome: 'missing' }
    if (rule.test) return { rule: title, outcome: 'passes' }
    const why = strict && name === 'P03' ? undefined : excuses[name]?.(rule, facts)
    if (why !== undefined) return { rule: title, outcome: 'excused', why }
    const wrong = rule.packages ?? rule.similar ?? rule.nodes
    return { rule: title, outcome: 'fails', ...(wrong ? { why: wrong.join(', ') } : {}) }
  })
}

export const isGood = ({ outcome }: RuleResult) => outcome === 'passes' || outcome === 'excused'
