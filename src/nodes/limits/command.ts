import type { NodeMessage } from 'node-red'
import { EnvlogError } from '../../lib/errors'
import { MAX_MUTE_MS } from '../../lib/limits/mutes'
import { readSerials } from '../kit/action/control-message'

/** A command to the node (docs/limits.md, *Commands*). */
export type Command =
  | { kind: 'report' }
  | { kind: 'test' }
  | { kind: 'acknowledge' | 'forget'; serials: readonly string[] | 'all' }
  | { kind: 'mute'; ms: number; serials: readonly string[] | 'all' }

const MAX_MUTE_MINUTES = MAX_MUTE_MS / 60_000

/**
 * Reads the command in `msg.envlog`; `undefined` if the message has none.
 * @throws EnvlogError `serials-unreadable`, `mute-unreadable`
 */
export function readCommand(msg: NodeMessage): Command | undefined {
  const found = Object((msg as { envlog?: unknown }).envlog) as Record<string, unknown>
  if (found.report === true) return { kind: 'report' }
  if (found.test === true) return { kind: 'test' }
  for (const kind of ['acknowledge', 'forget'] as const)
    if (found[kind] !== undefined) return { kind, serials: readSerials(found[kind], `envlog.${kind}`) }
  if (found.mute === undefined) return undefined
  const { mute: minutes, devices = true } = found
  if (typeof minutes !== 'number' || !(minutes >= 0 && minutes <= MAX_MUTE_MINUTES))
    throw new EnvlogError('mute-unreadable', { most: MAX_MUTE_MINUTES })
  return { kind: 'mute', ms: minutes * 60_000, serials: readSerials(devices, 'envlog.devices') }
}
