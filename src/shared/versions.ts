/**
 * The saved `version` of every node, and the migrations of older settings (docs/versions.md). They are shared, because
 * a form that opens an older node must show the same settings that the runtime uses.
 */
import type { ActionType } from './action'

type NodeType = ActionType | 'envlog-account'

/** The node's properties in the flow, including Node-RED's own (`id`, `type`, `wires`, …). */
type SavedSettings = Readonly<Record<string, unknown>>

/** Migrates settings from one version to the next, for the node types that change. Its functions are pure. */
export type Migration = { readonly [type in NodeType]?: (saved: SavedSettings) => SavedSettings }

/**
 * The first one leads from version 1 to 2, and so on. A published one never changes. `account`, `tls`, `proxy` and
 * `store` keep their names: Node-RED uses them, and they are read before the settings are migrated.
 */
const migrations: readonly Migration[] = [
  // Base units count where devices are chosen since version 2: those that another choice has left over must not.
  forActions((saved) => (saved.select === 'list' ? { ...saved, bases: [] } : saved)),
]

function forActions(change: (saved: SavedSettings) => SavedSettings): Migration {
  return {
    'envlog-current': change,
    'envlog-latest': change,
    'envlog-range': change,
    'envlog-alerts': change,
  }
}

/** The `version` that every node is saved with. */
export const SETTINGS_VERSION = migrations.length + 1

/** The saved version, 1 where there is none, as in flows that are written by hand; `undefined` where it is invalid. */
export function readVersion(saved: SavedSettings): number | undefined {
  const { version } = saved
  if (version === undefined || version === null || version === '') return 1
  const number = typeof version === 'string' ? Number(version) : version
  return typeof number === 'number' && Number.isInteger(number) && number >= 1 ? number : undefined
}

/** Settings of `version` in today's form; the same object where nothing changes. */
export function migrateSettings(
  type: NodeType,
  saved: SavedSettings,
  version: number,
  table = migrations,
): SavedSettings {
  const pending = table.slice(version - 1)
  if (pending.length === 0) return saved
  const settings = pending.reduce((older, migration) => migration[type]?.(older) ?? older, saved)
  return { ...settings, version: table.length + 1 }
}
