/** Sentences about invalid settings, for both forms and runtime. */

/** The problems. Each has a sentence in the catalogs (`problems.<problem>`). */
export const PROBLEMS = [
  'missing',
  'newer',
  'whole',
  'seconds',
  'minutes',
  'number',
  'number-least',
  'choice',
  'text',
  'list',
  'length',
  'length-between',
  'too-long',
  'too-many',
  'variable-unset',
  'variable-inside',
  'address-unreadable',
  'address-not-https',
  'address-has-extras',
  'relay-suffix',
  'time-zone',
  'limits',
  'shared-quota-unreadable',
  'shared-quota-has-password',
  'serial',
  'no-devices',
  'no-bases',
  'no-groups',
  'measurement',
  'topic-wildcard',
  'topic-placeholder',
  'start',
  'repeat-needs-message',
  'every-needs-message',
  'time-of-day',
  'advance-needs-device',
  'time',
  'relative',
  'period',
  'limit-name',
  'limit-blank',
  'limit-either',
  'limit-order',
  'limit-margin',
  'limit-covered',
  'limit-unknown',
  'limits-many',
  'limits-list',
] as const

/** A problem with a value, with the parameters of its sentence. */
export interface Problem {
  problem: (typeof PROBLEMS)[number]
  [parameter: string]: string | number
}

/** Translates a key of the nodes' catalog; returns an unknown key unchanged, possibly with its namespace. */
type Translate = (key: string, params?: Record<string, unknown>) => string

/** The sentence about the value of a property. */
export function describeProblem(
  { problem, ...params }: Problem,
  property: string,
  translate: Translate,
): string {
  const texts = Object.entries(params).map(([name, value]) => [name, value.toLocaleString('en-US')])
  const label = labelOf(property, translate)
  const sentence = translate(`problems.${problem}`, { ...Object.fromEntries(texts), property: label })
  const row = rowOf(property)
  return row === undefined ? sentence : translate('problems.in-row', { row, sentence })
}

/** The row, from 1, of a property in a list of limits (`limits.0.above`). */
export function rowOf(property: string): number | undefined {
  const [, index] = /^limits\.(\d+)/.exec(property) ?? []
  return index === undefined ? undefined : Number(index) + 1
}

/** Translates the parameters of an error, and says which words are those of the service. */
export function localizeParams(
  params: Readonly<Record<string, unknown>>,
  translate: Translate,
): Record<string, unknown> {
  const { serves, property, problem, words } = params
  return {
    ...params,
    ...(typeof words === 'string' && words !== '' && { words: translate('failure.words', { words }) }),
    serves: serves === undefined ? '' : translate(`serves.${serves}`),
    ...(property !== undefined && { property: labelOf(String(property), translate) }),
    ...(problem !== undefined && { problem: describeProblem(params as Problem, `${property}`, translate) }),
  }
}

/**
 * The label of a property in the form, or the property itself if the form has no label for it, as for a message
 * property.
 */
function labelOf(property: string, translate: Translate): string {
  const [first = '', , inRow = first] = property.split('.')
  const own = first === 'limits' ? inRow : first
  // These properties have no label of their own; they are part of the field `select`.
  const name = ['devices', 'bases', 'groups'].includes(own) ? 'select' : own.replace(/Type$/, '')
  const key = `label.${name}`
  const label = translate(key)
  return label.endsWith(key) ? property : label
}
