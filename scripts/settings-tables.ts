/**
 * The tables of settings in `docs/nodes.md` and its translations. Names and defaults are those of the schemas, labels
 * those of the forms. A meaning is a text of the page; but one that begins with a mark, as that of a new setting does, is
 * the hint of the form with the values that the schema allows.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { credentialsSchema } from '../src/shared/account-schema'
import { nameOfType } from '../src/shared/action'
import { actionSchemas } from '../src/shared/action-schemas'
import type { Problem } from '../src/shared/problems'
import { findProblem, newValueOf, nodeProperties, type Schema } from '../src/shared/schema'
import { definitionOf, nodes } from '../test/support/built'
import { cellsIn, uncoded } from '../test/support/documents'
import { root } from '../test/support/package'
import { schemas } from './schemas'
import { settingsIn, textIn } from './settings'

/** The mark of a meaning that is written. */
const HINT = '<!-- hint -->'

type Type = keyof typeof schemas
const ACTIONS = Object.keys(actionSchemas) as (keyof typeof actionSchemas)[]

/** Words and marks of a language; `#` stands for what the schema allows. */
interface Words {
  /** In the headers of the tables. */
  property: string
  credential: string
  meaning: string
  all: string
  blank: string
  required: string
  comma: string
  semicolon: string
  colon: string
  allowed: Partial<Record<string, string>>
}

const WORDS: Readonly<Record<string, Words>> = {
  'en-US': {
    ...{ property: 'property', credential: 'credential', meaning: 'meaning' },
    ...{ all: 'all four', blank: 'blank', required: 'required' },
    ...{ comma: ', ', semicolon: '; ', colon: ': ' },
    allowed: {
      whole: ' A whole number, # to #.',
      seconds: ' In seconds, # to #.',
      minutes: ' In minutes, # to #.',
      choice: ' One of #.',
    },
  },
  ja: {
    ...{ property: 'プロパティ', credential: '認証情報', meaning: '意味' },
    ...{ all: '4 つすべて', blank: '空欄', required: '必須' },
    ...{ comma: '、', semicolon: '。', colon: '：' },
    allowed: {
      whole: '整数（# ～ #）。',
      seconds: '単位は秒（# ～ #）。',
      minutes: '単位は分（# ～ #）。',
      choice: '# のいずれか。',
    },
  },
}

/** The pages with these tables. */
export const settingsPages = Object.keys(WORDS).map((language) => ({
  file: join('docs', language === 'en-US' ? '' : language, 'nodes.md'),
  language,
}))

interface Row {
  name: string
  /** One of the nodes that have it. */
  type: Type
  schema: Schema
  /** Cells before and after the meaning, besides name and label. */
  before?: string
  after?: string
}

/** A document in which the tables of settings are those of now. @throws Error if a meaning is missing */
export function withSettings(text: string, language: string): string {
  const words = WORDS[language]
  if (!words) throw new Error(`no words of ${language}`)
  const catalog = JSON.parse(readFileSync(join(root, 'dist/locales', language, 'envlog.json'), 'utf8'))
  const tables = tablesIn(words)
  return text.replace(/^\| (.+?) \|.*\n\|[ |-]+\|\n(?:\|.*\n)+/gm, (table, first: string) => {
    if (first !== words.property && first !== words.credential) return table
    return writeTable(table, tables.shift() ?? [], words, catalog)
  })
}

/** The rows of all tables, in the order of the page. */
function tablesIn(words: Words): Row[][] {
  const every = Object.keys(nodeProperties)
  const ofActions = namesIn(ACTIONS).filter((name) => !every.includes(name))
  const common = ofActions.filter((name) => hasOneDefault(name))
  const row = (name: string, type: Type, schema: Schema = schemas[type]): Row => ({ name, type, schema })
  const rowWithDefault = (name: string, type: Type): Row => ({
    ...row(name, type),
    after: shown(schemas[type], name, type, words),
  })
  const shared = (name: string): Row => {
    const types = ([...ACTIONS, 'envlog-report'] as const).filter((type) => name in schemas[type].shape)
    const isOfAll = ACTIONS.every((type) => types.includes(type))
    const before = isOfAll ? words.all : types.map(codedName).join(words.comma)
    const [type = 'envlog-current'] = types
    return { ...row(name, type), before, after: defaultsOf(name, types, words) }
  }
  const own = (type: Type, without: readonly string[]) =>
    namesIn([type])
      .filter((name) => !without.includes(name))
      .map((name) => rowWithDefault(name, type))
  const credentials = Object.keys(credentialsSchema.shape)
  return [
    every.map((name) => rowWithDefault(name, 'envlog-current')),
    own('envlog-account', every),
    credentials.map((name) => row(name, 'envlog-account', credentialsSchema)),
    common.map((name) => rowWithDefault(name, 'envlog-current')),
    ofActions.filter((name) => !common.includes(name)).map(shared),
    own('envlog-limits', every),
    own('envlog-alarms', every),
    own('envlog-report', [...every, ...ofActions]),
  ]
}

const namesIn = (types: readonly Type[]) => [
  ...new Set(types.flatMap((type) => Object.keys(schemas[type].shape))),
]

const codedName = (type: Type) => `\`${nameOfType(type)}\``

/** Whether all nodes that send requests have a property with the same default. */
function hasOneDefault(name: string): boolean {
  const values = ACTIONS.map(
    (type) => name in schemas[type].shape && JSON.stringify(newValueOf(schemas[type], name)),
  )
  return values.every((value) => value && value === values[0])
}

/** The default of most nodes, and those of the others. */
function defaultsOf(name: string, types: readonly Type[], words: Words): string {
  const values = types.map((type) => shown(schemas[type], name, type, words))
  const countOf = (value: string) => values.filter((each) => each === value).length
  const [usual = ''] = values.toSorted((a, b) => countOf(b) - countOf(a))
  const others = types.flatMap((type, index) => {
    const value = values[index]
    return value === usual ? [] : [`${codedName(type)}${words.colon}${value}`]
  })
  return [usual, ...others].join(words.semicolon)
}

/** The default of a property. */
function shown(schema: Schema, name: string, type: Type, { blank, required }: Words): string {
  const value = newValueOf(schema, name)
  if (value === '') return definitionOf(type).defaults[name]?.required ? required : blank
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

function writeTable(table: string, rows: readonly Row[], words: Words, catalog: object): string {
  const [header = '', line = '', ...lines] = table.trimEnd().split('\n')
  const at = cellsIn(header).indexOf(words.meaning)
  const meanings = new Map(lines.map(cellsIn).map((cells) => [uncoded(cells[0] ?? ''), cells[at] ?? '']))
  const written = rows.map(({ name, type, schema, before, after }) => {
    const form = nodes.find((node) => node.type === type)?.form ?? ''
    const { label, hint } = settingsIn(form).find(({ property }) => property === name) ?? {}
    const known = meanings.get(name) ?? HINT
    if (known === HINT && !hint) throw new Error(`${type}: write a meaning of ${name} into the table`)
    const meaning =
      known.startsWith(HINT) && hint
        ? `${HINT} ${textIn(catalog, hint)}${allowedIn(schema, name, words)}`
        : known
    const cells = [`\`${name}\``, label ? textIn(catalog, label) : '', before, meaning, after]
    const filled = cells.filter((cell) => cell !== undefined).map((cell) => cell && `${cell} `)
    return `| ${filled.join('| ')}|`
  })
  return `${[header, line, ...written].join('\n')}\n`
}

/** The values that a schema allows, as a sentence. */
function allowedIn(schema: Schema, name: string, { allowed, comma }: Words): string {
  const found: Partial<Problem> = findProblem(schema, name, '?') ?? {}
  const { problem = '', least = '', most = '', choices = '' } = found
  const codedChoices = `\`${String(choices).replaceAll(', ', `\`${comma}\``)}\``
  const bounds = [least, most].map((bound) => bound.toLocaleString('en-US'))
  const values = problem === 'choice' ? [codedChoices] : bounds
  return allowed[problem]?.replace(/#/g, () => values.shift() ?? '') ?? ''
}
