import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Matches a catalog sentence with any non-empty values for its placeholders. */
export function sentence(text: string): RegExp {
  const parts = text.split(/__\w+__/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.+')}$`)
}

/** Names of the files in a user directory that contain a text, without installed modules. */
export function filesWith(text: string, folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.name === 'node_modules') return []
    if (entry.isDirectory()) return filesWith(text, path)
    return readFileSync(path, 'utf8').includes(text) ? [entry.name] : []
  })
}
