/**
 * What a form says about the settings of its node: a row has a label and a hint (`form-rows.ts`). The build writes it
 * into the help, as *Properties*, and `complete.ts` into the tables of the documents (`settings-tables.ts`).
 */

import { findText } from '../src/lib/texts'

/** A setting in a form, with the keys of its texts. */
interface Setting {
  property: string
  label: string
  hint: string
}

const ROW =
  /<div class="form-row[^>]* data-i18n="\[title\]([\w-]+\.hint-|hint\.)(\w+)">[\s\S]*?data-i18n="([\w.]+)"/g

/** The settings of a form, in its order. */
export const settingsIn = (form: string): Setting[] =>
  [...form.matchAll(ROW)].map(([, group = '', property = '', label = '']) => ({
    property,
    label,
    hint: group + property,
  }))

/** A text of a catalog. @throws Error if there is none */
export function textIn(catalog: object, key: string): string {
  const text = findText(catalog, key)
  if (typeof text !== 'string') throw new Error(`no text ${key}`)
  return text
}

/** A help with the list of the settings in place of `<!-- properties -->`. */
export function writeProperties(help: string, form: string, catalog: object): string {
  const write = (key: string) => textIn(catalog, key).replace(/&/g, '&amp;').replace(/</g, '&lt;')
  const items = settingsIn(form).map(
    ({ label, hint }) => `  <dt>${write(label)}</dt>\n  <dd>${write(hint)}</dd>`,
  )
  const list = ['<dl class="message-properties">', ...items, '</dl>'].join('\n')
  return help.replace('<!-- properties -->', () => list)
}
