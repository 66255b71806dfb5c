/**
 * Writes the rows of forms from the schemas of settings, and the link to the documents. In a form they are comments:
 *
 *     <!-- docs -->
 *     <!-- row backfill fa-history -->
 *     <!-- row wait fa-hourglass-half placeholder=label.noLimit -->
 *     <!-- row advance fa-check-square-o options=advance. -->
 *     <!-- row remind fa-bell-o note=limits.zero-never -->
 *     <!-- row responsible fa-user-o label=nowrap -->
 *
 * The schema says what kind of field it is. The texts are in the catalogs: `label.<property>` and `hint.<property>`, or
 * `<node>.hint-<property>` for a node that needs another hint than others. The options of a list are the values of
 * the schema, with the text `<options><value>`. Rows with more than this are written as HTML.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { choicesOf, type Field, fieldOf, type Schema } from '../src/shared/schema'

interface FormNode {
  name: string
  schema: Schema
  /** Whether it is a config node. */
  isConfig: boolean
}

const readCatalog = (name: string) =>
  JSON.parse(readFileSync(join(__dirname, '../locales/en-US', `${name}.json`), 'utf8'))[name]

/** @throws Error if a row cannot be read */
export function writeRows(form: string, node: FormNode): string {
  const texts = readCatalog(node.name)
  const written = form
    .replace('<!-- docs -->', linkToDocs(node.name))
    .replace(/<!-- row (\w+) (fa-[\w-]+)(.*?) -->/g, (_, property: string, icon: string, more: string) => {
      const options = Object.fromEntries(
        more
          .trim()
          .split(' ')
          .map((option) => option.split('=')),
      )
      return writeRow(node, texts, property, { icon, ...options })
    })
  const [unreadable] = /<!-- row .*/.exec(written) ?? []
  if (unreadable) throw new Error(`${node.name}: ${unreadable}`)
  return written
}

interface RowOptions {
  icon: string
  placeholder?: string
  options?: string
  note?: string
  /** For a long label: `nowrap`, or `wide` if the field need not be below the others. */
  label?: keyof typeof LABEL_STYLES
}

const LABEL_STYLES = { nowrap: ' style="white-space: nowrap"', wide: ' style="width: auto"' }

const linkToDocs = (name: string) =>
  `<a class="envlog-docs" target="_blank" rel="noopener" data-i18n="[href]${name}.docs"><i class="fa fa-book" aria-hidden="true"></i> <span data-i18n="label.docs"></span></a>`

/** @param own the texts of this node only */
function writeRow(
  { name, schema, isConfig }: FormNode,
  own: object,
  property: string,
  { icon, placeholder, options, note, label }: RowOptions,
): string {
  const id = `node-${isConfig ? 'config-' : ''}input-${property}`
  const ownHint = `hint-${property}`
  const hint = ownHint in own ? `${name}.${ownHint}` : `hint.${property}`
  const field = fieldOf(schema, property)
  const texts = `data-i18n="${placeholder ? `[placeholder]${placeholder};` : ''}[aria-description]${hint}"`
  const input = options
    ? `<select id="${id}" style="width: 70%" ${texts}>
${choicesOf(schema, property)
  .map((choice) => `    <option value="${choice}" data-i18n="${options}${choice}"></option>`)
  .join('\n')}
  </select>`
    : `<input ${ATTRIBUTES[field](id)} ${texts}>`
  const noteLine = note ? `\n  <span class="envlog-note" data-i18n="${note}"></span>` : ''
  return `<div class="form-row" data-i18n="[title]${hint}">
  <label for="${id}"${label ? LABEL_STYLES[label] : ''}><i class="fa ${icon}"></i> <span data-i18n="label.${property}"></span></label>
  ${input}${noteLine}
</div>`
}

const ATTRIBUTES: Record<Field, (id: string) => string> = {
  flag: (id) => `type="checkbox" id="${id}" style="width: auto; vertical-align: baseline"`,
  seconds: (id) => `type="text" data-unit="s" id="${id}"`,
  minutes: (id) => `type="text" data-unit="min" id="${id}"`,
  number: (id) => `type="text" inputmode="numeric" id="${id}" style="width: 100px"`,
  text: (id) => `type="text" id="${id}"`,
}
