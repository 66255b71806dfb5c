import { EnvlogError } from '../../../lib/errors'
import type { ActionType } from '../../../shared/action'
import { actionSchemas, type SettingsOf } from '../../../shared/action-schemas'
import { OFFERED } from '../../../shared/outputs'
import { parseSettings } from './parse-settings'

export type { SettingsOf } from '../../../shared/action-schemas'

/**
 * Reads the saved properties of an action node.
 * @throws EnvlogError `setting-invalid` with the property, `settings-newer`, `output-not-offered`
 */
export function readActionSettings<T extends ActionType>(type: T, config: object): SettingsOf<T> {
  const settings = parseSettings<SettingsOf<ActionType>>(actionSchemas[type], config)
  const { output, send } = settings
  const offered = OFFERED[type][output] ?? []
  const found = offered.length === 1 ? offered[0] : offered.find((one) => one === send)
  if (!found) throw new EnvlogError('output-not-offered', { output, send })
  return { ...settings, send: found } as SettingsOf<T>
}
