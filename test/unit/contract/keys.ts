/** Finds the catalog keys in use: in forms, in editor scripts, at run time, and in tables. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endpoints } from '../../../src/lib/endpoints'
import { reasons } from '../../../src/lib/errors'
import { ACTION_TYPES, nameOfType, SELECTS, STARTS } from '../../../src/shared/action'
import { CONDITIONS } from '../../../src/shared/limits-schema'
import { OUTPUTS, SENDS, TOPIC_PLACEHOLDERS } from '../../../src/shared/outputs'
import { CALENDAR_PERIODS } from '../../../src/shared/period-types'
import { PROBLEMS } from '../../../src/shared/problems'
import { QUANTITIES } from '../../../src/shared/quantity'
import { LIMITS } from '../../../src/shared/service-limits'
import type { BuiltNode } from '../../support/built'
import { root } from '../../support/package'

const PALETTE = [...ACTION_TYPES.map(nameOfType), 'alarms']

/** Composed keys as in the source, with `*` for the variable part, whose values are a list in the source. */
const COMPOSED_KEYS: Record<string, readonly string[]> = {
  'errors.*': Object.keys(reasons),
  'status.*': Object.values(reasons).filter((code) => code !== 'ENVLOG_CONFIG'),
  'serves.*': Object.values(endpoints).map(({ serves }) => serves),
  'problems.*': PROBLEMS,
  '*.label': PALETTE,
  '*.output': PALETTE,
  'summary.select-*': SELECTS,
  'endpoint.*': Object.keys(LIMITS),
  'period.*': CALENDAR_PERIODS,
  'quantity.*': [...QUANTITIES],
  'output.*': OUTPUTS,
  'placeholder.*': TOPIC_PLACEHOLDERS,
  'alarms.subject.*': CONDITIONS,
  'start.*': STARTS,
  'send.*': SENDS,
}

/** Keys of Node-RED's own catalog. */
const FOREIGN = ['common.label.cancel', 'common.label.delete', 'common.label.done']

/** The catalog of all nodes, for keys used without a form. */
const NAMESPACE = '@envlog/node-red-envlog/envlog:'

/**
 * Keys of `_('…')`, `translate('…')` and `translate(RED, '…')`, and strings that begin with a group of the catalog:
 * `status.asking`.
 */
function keysInScript(source: string, groups: readonly string[]): string[] {
  const script = source.replace(/\/\*[\s\S]*?\*\//g, '')
  const found: string[] = []
  for (const [, , text = ''] of script.matchAll(/\b(?:_|translate)\(\s*(?:RED, )?(["'`])(.*?)\1/g))
    if (!text.startsWith(NAMESPACE)) found.push(text)
  for (const [, , text = ''] of script.matchAll(/(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g)) {
    const isKey = /^[\w.${}()-]+$/.test(text) && !text.endsWith('.svg')
    if (isKey && groups.some((group) => text.startsWith(`${group}.`))) found.push(text)
  }
  return found.filter((key) => !FOREIGN.includes(key)).map((key) => key.replace(/\$\{.*?\}/g, '*'))
}

function keysInForm(form: string): string[] {
  const attributes = [...form.matchAll(/\sdata-i18n="([^"]*)"/g)].flatMap(([, value = '']) =>
    value.split(';'),
  )
  return attributes.map((key) => key.replace(/^\[[\w-]+\]/, ''))
}

/** Keys of forms, editor scripts and everything at run time; `*` stands for a part that is composed. */
export function usedKeys(forms: readonly BuiltNode[], groups: readonly string[]): string[] {
  const keys = ['src/editor', 'src/shared', 'src/nodes'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => keysInScript(readFileSync(join(root, folder, file), 'utf8'), groups)),
  )
  const composed = keys.flatMap((key) => (COMPOSED_KEYS[key] ?? []).map((part) => key.replace('*', part)))
  return [...new Set([...forms.flatMap(({ form }) => keysInForm(form)), ...keys, ...composed])]
}
