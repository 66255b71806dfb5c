import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The texts of one language. */
export type Translate = (key: string, params?: Readonly<Record<string, string | number>>) => string

/** Where the build puts them: for each language `check.json`, and those of the nodes. */
const FOLDER = join(__dirname, 'locales')
const DEFAULT_LANGUAGE = 'en-US'

export const languages = (): string[] => (existsSync(FOLDER) ? readdirSync(FOLDER) : [])

/** The language that the environment asks for, if there are texts for it. */
export function preferredLanguage(env: Readonly<Record<string, string | undefined>>): string {
  const wanted = env.LC_ALL || env.LC_MESSAGES || env.LANG || ''
  return findLanguage(wanted) ?? DEFAULT_LANGUAGE
}

/** The language with texts for a tag such as `ja`, `ja-JP` or `ja_JP.UTF-8`. */
export function findLanguage(tag: string): string | undefined {
  const code = tag.split(/[_.-]/)[0]?.toLowerCase()
  return languages().find((language) => language.split('-')[0] === code)
}

export function loadTexts(language: string): Translate {
  const read = (name: string): object =>
    JSON.parse(readFileSync(join(FOLDER, language, `${name}.json`), 'utf8'))
  const catalog = { ...read('envlog'), ...read('check') }
  return (key, params = {}) => {
    const text = key
      .split('.')
      .reduce<unknown>((group, name) => (group as Record<string, unknown> | undefined)?.[name], catalog)
    if (typeof text !== 'string') return key
    return text.replace(/__(\w+)__/g, (_, name: string) => String(params[name] ?? ''))
  }
}
