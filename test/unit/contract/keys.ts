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

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)]

const PALETTE = [...ACTION_TYPES.map(nameOfType), 'limits']

/** What sentences about a value say of its run. */
const RUN_PHASES = ['begins', 'lasts', 'normal', 'ended', 'was']
/** Sentences of envlog-limits by condition. */
const LIMIT_TEXTS: Record<string, readonly string[]> = {
  above: RUN_PHASES,
  below: RUN_PHASES,
  error: ['begins', 'lasts', 'normal'],
  silent: ['begins', 'lasts', 'normal', 'never'],
  battery: ['normal'],
  'no-data': ['begins', 'lasts', 'normal'],
  'no-match': ['begins', 'lasts', 'normal'],
}
/** Counts in its texts; each has a singular and a plural. */
const COUNTED_LIMITS = ['status.alarms', 'status.pending', 'status.normal', 'text.left-out', 'row.minutes']

/** Units of counts in the status; each has a singular and a plural. */
const COUNTED = ['devices', 'records', 'alerts', 'responses']

/**
 * Composed keys as in the source, with `*` for the variable part, and all possible values of that part. The test fails
 * for a composed key that is not listed here.
 */
const COMPOSED_KEYS: Record<string, readonly string[]> = {
  'errors.*': Object.keys(reasons),
  // Settings errors are shown as the missing setting, or as not configured.
  'status.*': [
    ...COUNTED,
    'failed',
    'nothing-new',
    ...['refused', 'losses', 'unknown', 'awaited', 'empty'],
    'waiting',
    'waiting-records',
    'waiting-round',
    ...Object.values(reasons).filter((code) => code !== 'ENVLOG_CONFIG'),
  ],
  'status.missing-*': ['baseUrl', 'apiKey', 'loginId', 'loginPass'],
  'serves.*': Object.values(endpoints).map(({ serves }) => serves),
  'problems.*': PROBLEMS,
  '*.label': PALETTE,
  '*.output': PALETTE,
  'summary.select-*': SELECTS,
  'endpoint.*': Object.keys(LIMITS),
  'battery.*': ['sufficient', 'half', 'low', 'replace-soon', 'replace-now'],
  'label.*': ['from', 'to', 'minutes'],
  'period.*': CALENDAR_PERIODS,
  'picker.title-*': ['devices', 'bases', 'groups', 'exclude'],
  'try.used-*': ['0', '1', '2'],
  'picker.note-*': ['devices', 'bases', 'groups'],
  'quantity.*': [...QUANTITIES],
  'picker.*': ['all', 'none', 'add', 'standalone', 'unlisted', 'chosen'],
  'account.hint-*': ['tls', 'proxy'],
  'account.store-*': ['files', 'kept', 'forgotten', 'unknown'],
  'output.*': OUTPUTS,
  'placeholder.*': TOPIC_PLACEHOLDERS,
  'summary.*': ['devices', 'bases', 'groups'],
  'summary.first-run-*': ['envlog-latest', 'envlog-alerts'],
  'limits.status.*': ['muted', 'no-data', 'alarms', 'pending', 'normal'],
  'limits.text.*': [
    'replace-soon',
    'replace-now',
    ...Object.entries(LIMIT_TEXTS).flatMap(([name, phases]) => phases.map((phase) => `${name}.${phase}`)),
  ],
  'limits.subject.*': ['alarm', 'reminder', 'normal', 'ended', ...CONDITIONS],
  'start.*': STARTS,
  'send.*': SENDS,
}

/** Keys of the shared catalog with a count: the catalogs contain only `<key>_one` and `<key>_other`. */
export const PLURALS = [
  ...COUNTED.map((counted) => `status.${counted}`),
  ...['picker.more', 'picker.left', 'picker.count', 'picker.under', 'quota.waiting'],
  ...['status.unacknowledged', 'status.losses'],
  ...['summary.devices', 'summary.bases', 'summary.groups', 'summary.round'],
  ...['minutes', 'hours', 'days'].map((unit) => `limits.text.${unit}`),
  ...COUNTED_LIMITS.map((counted) => `limits.${counted}`),
]

/** Keys of Node-RED's own catalog. */
const FOREIGN = ['common.label.cancel', 'common.label.delete', 'common.label.done']

interface Used {
  keys: string[]
  /** composed, and not in the table */
  unknown: string[]
}

/** The catalog of all nodes, for keys used without a form. */
const NAMESPACE = '@envlog/node-red-envlog/envlog:'

/**
 * Keys of `_('…')`, `translate('…')` and `translate(RED, '…')`, and strings that begin with a group of the catalog:
 * `status.asking`.
 */
function keysInScript(script: string, groups: readonly string[]): Used {
  const found: string[] = []
  const unknown: string[] = []
  for (const [, quote, text = ''] of script.matchAll(/\b(?:_|translate)\(\s*(?:RED, )?(["'`])(.*?)\1/g)) {
    if (text.startsWith(NAMESPACE)) continue
    found.push(text)
    if (quote !== '`' && text.includes('${')) unknown.push(text)
  }
  // Keys in variables cannot be checked.
  for (const [call] of script.matchAll(/\b(?:_\(|translate\(RED, )(?!\s*["'`]|key\b|\))[^)]*\)/g))
    unknown.push(call)
  for (const [, , text = ''] of script.matchAll(/(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g)) {
    const isKey = /^[\w.${}()-]+$/.test(text) && !text.endsWith('.svg')
    if (isKey && groups.some((group) => text.startsWith(`${group}.`))) found.push(text)
  }
  return { keys: unique(found).filter((key) => !FOREIGN.includes(key)), unknown }
}

function keysInForm(form: string): string[] {
  const attributes = [...form.matchAll(/\sdata-i18n="([^"]*)"/g)].flatMap(([, value = '']) =>
    value.split(';'),
  )
  return unique(attributes.map((key) => key.replace(/^\[[\w-]+\]/, '')))
}

/** Replaces composed keys with all their possible values. */
function spelledOut({ keys, unknown }: Used): Used {
  const all = keys.flatMap((key) => {
    const pattern = key.replace(/\$\{.*?\}/g, '*')
    if (!pattern.includes('*')) return [key]
    const parts = COMPOSED_KEYS[pattern]
    if (!parts) unknown.push(key)
    return (parts ?? []).map((part) => pattern.replace('*', part))
  })
  return { keys: unique(all), unknown }
}

/** Keys in the sources of some folders. */
function keysInSources(
  folders: readonly string[],
  isWanted: (file: string) => boolean,
  groups: readonly string[],
): Used {
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && isWanted(file))
      .map((file) => readFileSync(join(root, folder, file), 'utf8')),
  )
  const found = files.map((file) => keysInScript(file, groups))
  return spelledOut({
    keys: unique(found.flatMap(({ keys }) => keys)),
    unknown: found.flatMap(({ unknown }) => unknown),
  })
}

const isEditor = (file: string) => file.endsWith('editor.ts')

/** Keys of the editor script and of all forms. */
export function editorKeys(forms: readonly BuiltNode[], groups: readonly string[]): Used {
  const ofForms = keysInSources(['src/editor', 'src/shared'], () => true, groups)
  const ofNodes = keysInSources(['src/nodes'], isEditor, groups)
  return {
    keys: unique([...forms.flatMap(({ form }) => keysInForm(form)), ...ofForms.keys, ...ofNodes.keys]),
    unknown: [...ofForms.unknown, ...ofNodes.unknown],
  }
}

/** Keys of everything under src/nodes except the forms. */
export function runtimeKeys(groups: readonly string[]): Used {
  return keysInSources(['src/nodes'], (file) => !isEditor(file), groups)
}
