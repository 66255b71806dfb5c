import type { ActionType } from '../shared/action'
import { migrateSettings, readVersion, SETTINGS_VERSION } from '../shared/versions'
import type { Form } from './red'

/**
 * A node as forms and labels show it: what an older version saved means what it meant; of a newer one it is left as it
 * is.
 */
export function migrateForm(node: Form): Readonly<Record<string, unknown>> {
  return migrateSettings(node.type as ActionType, { ...node }, readVersion({ ...node }) ?? SETTINGS_VERSION)
}
