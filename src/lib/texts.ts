import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the text for a key in one language. A text with a `count` has forms for one and for others. */
export type Translate = (key: string, params?: Readonly<Record<string, unknown>>) => string

/** The folder into which the build puts the texts of each language: those of the nodes, `check.json` and `page.json`. */
const FOLDER = join(__dirname, 'locales')

export const languages = (): string[] => readdirSync(FOLDER)

/** The available language for a tag such as `ja`, `ja-JP` or `ja_JP.UTF-8`. */
export function findLanguage(tag: string): string | undefined {
  const code = tag.split(/[_.-]/)[0]?.toLowerCase()
  return languages().find((language) => language.split('-')[0] === code)
}

/**
 * The texts of the nodes and of another file, in any language. Node-RED itself translates only to its own.
 * @param file `check`, or `page` for the pages of reports
 */
export function loadTexts(file: 'check' | 'page', language = 'en-US'): Translate {
  const read = (name: string): object =>
    JSON.parse(readFileSync(join(FOLDER, language, `${name}.json`), 'utf8'))
  return createTranslate({ ...read('envlog'), ...read(file) }, language)
}

/** What a catalog has for a key such as `status.idle`; `undefined` for nothing. @param catalog texts in groups */
export const findText = (catalog: object, key: string): unknown =>
  key.split('.').reduce<unknown>((group, name) => Object(group)[name], catalog)

/** @param catalog texts in groups, with `__name__` for a parameter */
export function createTranslate(catalog: object, language: string): Translate {
  const rules = new Intl.PluralRules(language)
  return (key, params = {}) => {
    const form =
      typeof params.count === 'number' ? findText(catalog, `${key}_${rules.select(params.count)}`) : undefined
    const text = form ?? findText(catalog, key)
    if (typeof text !== 'string') return key
    return text.replace(/__(\w+?)__/g, (_, name: string) => String(params[name] ?? ''))
  }
}
