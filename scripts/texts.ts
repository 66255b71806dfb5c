/**
 * Texts of others (names, units, alerts, errors of the service) where they leave an example. Each rule is written into
 * the examples that need it, as one line of JSONata, because most examples work without code, or of a function node:
 *
 *     $cell := function($text) { … };
 *     function cell(text) { … }
 *
 * `scripts/complete.ts` writes these lines again, and the text that all chats have in common. Where a text
 * becomes HTML, a template escapes it (`{{ }}`).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../test/support/package'

interface Rule {
  /** JSONata has no flag for code points. */
  readonly search: RegExp
  readonly replacement: string
}

const RULES = {
  /** One line: without control characters, line separators, and marks that turn the direction of what follows. */
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  line: { search: /[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+/g, replacement: ' ' },
  /** The mail node sends a text with `<letter … >` as HTML, too. */
  mail: { search: /</g, replacement: '‹' },
  /**
   * A spreadsheet does not read the text of this cell as a formula, some also by full-width signs, nor a serial number
   * such as 5214E001 or 00012345 as a number.
   */
  cell: { search: /^(\s*[=+\-@＝＋－＠]|[\t\r]|\d+[eE]\d+$|0\d+$)/g, replacement: "'$1" },
  /** InfluxDB refuses all points of a write if one of their tags ends with a backslash, also before blanks. */
  tag: { search: /[\\ ]+$/g, replacement: '' },
  /** Part of a file's name. */
  fileName: { search: /[^0-9A-Za-z-]/g, replacement: '_' },
} satisfies Record<string, Rule>

export type RuleName = keyof typeof RULES
export const ruleNames = Object.keys(RULES) as RuleName[]

export function toJsonata(name: RuleName): string {
  const { search, replacement } = RULES[name]
  return `$${name} := function($text) { $type($text) = "string" ? $replace($text, /${search.source}/, "${replacement}") : $text };`
}

export function toJavaScript(name: RuleName): string {
  const { search, replacement } = RULES[name]
  return `function ${name}(text) { return typeof text === 'string' ? text.replace(${search}, "${replacement}") : text }`
}

const NAMES = ruleNames.join('|')
const JSONATA_LINES = new RegExp(`\\$(${NAMES}) := .*;`, 'g')
const JAVASCRIPT_LINES = new RegExp(`function (${NAMES})\\(text\\) .*`, 'g')

const chatFormat = () => readFileSync(join(root, 'scripts', 'chat-format.jsonata'), 'utf8').trimEnd()

interface ChangeRule {
  to?: unknown
  tot?: string
}

/** A node of an example with the current lines. */
export function withTexts<Node extends Record<string, unknown>>(node: Node): Node {
  const { name, func, rules } = node
  if (typeof func === 'string')
    return { ...node, func: func.replace(JAVASCRIPT_LINES, (_, rule: RuleName) => toJavaScript(rule)) }
  if (!Array.isArray(rules)) return node
  return {
    ...node,
    rules: rules.map((rule: ChangeRule) => {
      const { to, tot } = rule
      if (typeof to !== 'string' || tot !== 'jsonata') return rule
      if (name === 'chat format') return { ...rule, to: chatFormat() }
      return { ...rule, to: to.replace(JSONATA_LINES, (_, helper: RuleName) => toJsonata(helper)) }
    }),
  }
}

/** What an expression or a function does itself, without the lines that are written into it. */
export const withoutTexts = (code: string): string =>
  code.replace(JSONATA_LINES, '').replace(JAVASCRIPT_LINES, '').replace(chatFormat(), '')
