import * as z from 'zod/mini'
import { EnvlogError } from '../../../lib/errors'
import type { ActionType } from '../../../shared/action'
import { actionSchemas, type SettingsOf } from '../../../shared/action-schemas'
import { OFFERED } from '../../../shared/outputs'
import { isUsed, type Schema, type Settings, toProblem } from '../../../shared/schema'

/**
 * Reads the saved properties of an action node.
 * @throws EnvlogError `setting-invalid` with the property, `settings-newer`
 */
export function readActionSettings<T extends ActionType>(type: T, config: object): SettingsOf<T> {
  const settings = readSettings<SettingsOf<ActionType>>(actionSchemas[type], config)
  const [first, another] = OFFERED[type][settings.output] ?? []
  return { ...settings, ...(!another && { send: first }) } as SettingsOf<T>
}

/**
 * Reads saved properties. One that is not used has its default.
 * @throws EnvlogError `setting-invalid` with the first invalid property, `settings-newer`
 */
export function readSettings<T>(schema: z.ZodMiniType<T> & Schema, config: object): T {
  const settings = config as Settings
  const used = Object.entries(settings).filter(([name]) => isUsed(schema, name, settings))
  const result = z.safeParse<z.ZodMiniType<T>>(schema, Object.fromEntries(used))
  if (result.success) return result.data
  const [issue] = result.error.issues as [z.core.$ZodIssue]
  const { problem, ...params } = toProblem(issue)
  if (problem === 'newer') throw new EnvlogError('settings-newer', params)
  throw new EnvlogError('setting-invalid', { property: issue.path.join('.'), problem, ...params })
}
