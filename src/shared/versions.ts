/**
 * The saved `version` of every node, and how settings of older ones become those of today (docs/versions.md). Here and
 * not in the kit, because a form that opens an older node must show the same.
 */
import type { ActionType } from './action'

type NodeType = ActionType | 'envlog-account'

/** As Node-RED has saved them. The node's own of Node-RED (`id`, `type`, `wires`, …) are among them. */
type SavedSettings = Readonly<Record<string, unknown>>

/** From one version to the next, for the nodes it changes: the saved settings in, new ones out; nothing else. */
export type Migration = { readonly [type in NodeType]?: (saved: SavedSettings) => SavedSettings }

/**
 * The first one leads from version 1 to 2, and so on. One that was published is never changed. `account`, `tls`,
 * `proxy` and `store` keep their names: Node-RED, and what is made before settings are read, go by them.
 */
const migrations: readonly Migration[] = [
  // Chosen devices and base units count together: those that were left from another choice did not count.
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

/** SavedSettings `version` of every node. */
export const SETTINGS_VERSION = migrations.length + 1

/** Flows that are made by hand may have none: version 1. Nothing where it is no version. */
export function readVersion(saved: SavedSettings): number | undefined {
  const { version } = saved
  if (version === undefined || version === null || version === '') return 1
  const number = typeof version === 'string' ? Number(version) : version
  return typeof number === 'number' && Number.isInteger(number) && number >= 1 ? number : undefined
}

/** Settings of `version` as those of today; the same object where there is nothing to do. */
export function migrateSettings(
  type: NodeType,
  saved: SavedSettings,
  version: number,
  table = migrations,
): SavedSettings {
  const ahead = table.slice(version - 1)
  if (ahead.length === 0) return saved
  const settings = ahead.reduce((older, migration) => migration[type]?.(older) ?? older, saved)
  return { ...settings, version: table.length + 1 }
}
