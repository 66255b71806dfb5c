import { createHash } from 'node:crypto'

/** A hash that identifies a record or an alert. It has only twelve characters, because cursors are saved. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}
