/** Which texts the package uses: in forms, in the editor's scripts, at run time, and through tables. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { endpoints } from '../../src/lib/endpoints'
import { reasons } from '../../src/lib/errors'
import { findAddressProblem, findSharedQuotaProblem } from '../../src/shared/account'
import { SELECTS, STARTS } from '../../src/shared/action'
import { OUTPUTS, SENDS } from '../../src/shared/outputs'
import { QUANTITIES } from '../../src/shared/quantity'
import { LIMITS } from '../../src/shared/service-limits'
import type { BuiltNode } from '../support/built'
import { root } from '../support/package'

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)]

const ADDRESSES = ['', 'no address', 'http://service.example', 'https://service.example/?query']

const LEDGERS = ['nothing', 'redis://:secret@service.example']

/** What the status shows counts of; each is singular and plural. */
const COUNTED = ['devices', 'records', 'alerts', 'pages', 'answers']

/**
 * Keys that are put together, as they stand in the source with `*` for what is filled in, and what they can be.
 * A key that is put together and is not here fails the test.
 */
export const PUT_TOGETHER: Record<string, readonly string[]> = {
  'errors.*': Object.keys(reasons),
  // Failures of the settings show as not configured.
  'status.*': [
    ...COUNTED,
    'failed',
    'waiting',
    'waiting-records',
    'waiting-round',
    ...Object.values(reasons).filter((code) => code !== 'ENVLOG_CONFIG'),
  ],
  'serves.*': Object.values(endpoints).map(({ serves }) => serves),
  'problems.shared-quota-*': LEDGERS.map((address) => String(findSharedQuotaProblem(address))),
  'problems.address-*': ADDRESSES.map((address) => String(findAddressProblem(address))),
  'told.select-*': SELECTS,
  'endpoint.*': Object.keys(LIMITS),
  'battery.*': ['sufficient', 'half', 'low', 'replace-soon', 'replace-now'],
  'picker.title-*': ['devices', 'bases', 'groups', 'exclude'],
  'picker.note-*': ['devices', 'bases', 'groups'],
  'quantity.*': [...QUANTITIES],
  'picker.*': ['all', 'none', 'add'],
  'account.store-*': ['kept', 'forgotten', 'unknown'],
  'output.*': OUTPUTS,
  'start.*': STARTS,
  'send.*': SENDS,
}

/** Keys of the shared catalog that take a count have no text of their own. */
export const PLURALS = [
  ...COUNTED.map((counted) => `status.${counted}`),
  ...['picker.more', 'picker.left', 'picker.count', 'picker.under', 'quota.waiting'],
  ...['told.devices', 'told.node-devices', 'told.node-bases', 'told.round'],
  ...['told.node-and-bases', 'told.node-groups'],
]

/** Node-RED's own. */
const FOREIGN = ['common.label.cancel', 'common.label.done']

export interface Used {
  keys: string[]
  /** put together, and not in the table */
  unknown: string[]
}

/** Texts that are needed without a form are called by where they are. */
const SHARED = /^@envlog\/node-red-envlog\/envlog-\w+:/

/** Keys of `_('…')` and `say('…')`, and texts that begin as one of the catalog's groups: `status.asking`. */
export function keysInScript(script: string, groups: readonly string[]): Used {
  const found: string[] = []
  const unknown: string[] = []
  for (const [, call, quote, text = ''] of script.matchAll(/\b(_|say)\(\s*(["'`])(.*?)\2/g)) {
    if (SHARED.test(text)) continue
    found.push(call === 'say' ? `problems.${text}` : text)
    if (quote !== '`' && text.includes('${')) unknown.push(text)
  }
  // A key that comes in a variable cannot be checked; `say` is where one is allowed.
  for (const [call] of script.matchAll(/\b(?:_|say)\((?!\s*["'`]|key\b|\))[^)]*\)/g)) unknown.push(call)
  for (const [, , text = ''] of script.matchAll(/(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g)) {
    const isKey = /^[\w.${}()-]+$/.test(text) && !text.endsWith('.svg')
    if (isKey && groups.some((group) => text.startsWith(`${group}.`))) found.push(text)
  }
  return { keys: unique(found).filter((key) => !FOREIGN.includes(key)), unknown }
}

export function keysInForm(form: string): string[] {
  const attributes = [...form.matchAll(/\sdata-i18n="([^"]*)"/g)].flatMap(([, value = '']) =>
    value.split(';'),
  )
  return unique(attributes.map((key) => key.replace(/^\[[\w-]+\]/, '')))
}

/** The same with what was put together replaced by all it can be. */
export function spelledOut({ keys, unknown }: Used): Used {
  const all = keys.flatMap((key) => {
    const pattern = key.replace(/\$\{.*?\}/g, '*')
    if (!pattern.includes('*')) return [key]
    const parts = PUT_TOGETHER[pattern]
    if (!parts) unknown.push(key)
    return (parts ?? []).map((part) => pattern.replace('*', part))
  })
  return { keys: unique(all), unknown }
}

export function editorKeys({ form, script }: BuiltNode, groups: readonly string[]): Used {
  const used = spelledOut(keysInScript(script, groups))
  return { keys: unique([...keysInForm(form), ...used.keys]), unknown: used.unknown }
}

/** Of everything under src/nodes but the forms: runs with the catalog of whichever node it is. */
export function runtimeKeys(groups: readonly string[]): Used {
  const folder = join(root, 'src', 'nodes')
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('editor.ts'))
  const found = files.map((file) => keysInScript(readFileSync(join(folder, file), 'utf8'), groups))
  return spelledOut({
    keys: unique(found.flatMap(({ keys }) => keys)),
    unknown: found.flatMap(({ unknown }) => unknown),
  })
}
