import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the text for a key in one language. */
export type Translate = (key: string, params?: Readonly<Record<string, unknown>>) => string

/** The folder into which the build puts the texts of each language: `check.json`, and the texts of the nodes. */
const FOLDER = join(__dirname, 'locales')

export const languages = (): string[] => readdirSync(FOLDER)

/** The available language for a tag such as `ja`, `ja-JP` or `ja_JP.UTF-8`. */
export function findLanguage(tag: string): string | undefined {
  const code = tag.split(/[_.-]/)[0]?.toLowerCase()
  return languages().find((language) => language.split('-')[0] === code)
}

export function loadTexts(language = 'en-US'): Translate {
  const read = (name: string): object =>
    JSON.parse(readFileSync(join(FOLDER, language, `${name}.json`), 'utf8'))
  const catalog: unknown = { ...read('envlog'), ...read('check') }
  return (key, params = {}) => {
    const text = key.split('.').reduce((group, name) => (group as Record<string, unknown>)?.[name], catalog)
    if (typeof text !== 'string') return key
    return text.replace(/__(\w+)__/g, (_, name: string) => String(params[name] ?? ''))
  }
}
