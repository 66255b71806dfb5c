import { translate } from './red'

/** Elements for settings without a plain input. */
const OTHER_FIELDS: Record<string, string> = { exclude: '#envlog-exclude' }

/** Explains each setting of an action when the pointer rests on its row. */
export function hintActions(names: readonly string[]): void {
  for (const name of names) {
    const field = $(OTHER_FIELDS[name] ?? `#node-input-${name}`)
    hint(field, () => translate(`hint.${name}`))
  }
}

/** Explains each setting of an account. */
export function hintAccount(names: readonly string[]): void {
  for (const name of names) hint($(`#node-config-input-${name}`), () => translate(`account.hint-${name}`))
}

function hint(field: JQuery, text: () => string): void {
  const row = field.closest('.form-row')
  if (row.length === 0 || row.attr('title')) return
  row.attr('title', text())
  if (field.is(':input')) field.attr('aria-description', text())
}
