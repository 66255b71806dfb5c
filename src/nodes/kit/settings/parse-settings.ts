import * as z from 'zod/mini'
import { EnvlogError } from '../../../lib/errors'
import { toProblem } from '../../../shared/schema'

/** @throws EnvlogError `setting-invalid` with the first invalid property, `settings-newer` */
export function parseSettings<T>(schema: z.ZodMiniType<T>, config: unknown): T {
  const result = z.safeParse(schema, config)
  if (result.success) return result.data
  const [issue] = result.error.issues as [z.core.$ZodIssue]
  const { problem, ...params } = toProblem(issue)
  if (problem === 'newer') throw new EnvlogError('settings-newer', params)
  throw new EnvlogError('setting-invalid', { property: issue.path.join('.'), problem, ...params })
}
