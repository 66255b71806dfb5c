import type { Form } from './red'

/** One row: a serial, and where columns are two, its base unit's. */
export interface SerialRow {
  serial: string
  base?: string
}

const ROW_HEIGHT = 150

/**
 * An editable list of serial numbers in `<ol id=…>`; with `withBase` each has a second box for the base unit. `changed`
 * is called when a row came, went or was typed into.
 */
export function serialList(
  form: Form,
  id: string,
  rows: readonly SerialRow[],
  withBase: boolean,
  changed: () => void = () => {},
): void {
  const box = (key: string, value: string) =>
    $('<input type="text" maxlength="8" spellcheck="false">')
      .attr({ placeholder: form._(`devices.${key}`), 'aria-label': form._(`devices.${key}`) })
      .addClass(`envlog-${key}`)
      .css({ width: withBase ? '45%' : '92%', marginRight: '4px' })
      .val(value)

  $(`#${id}`)
    .css({ minHeight: `${ROW_HEIGHT}px` })
    .editableList({
      addItem(container: JQuery, _index: number, row: Partial<SerialRow>) {
        container.append(box('serial', row.serial ?? ''))
        if (withBase) container.append(box('base', row.base ?? ''))
        container.on('input', changed)
        changed()
      },
      removeItem: changed,
      removable: true,
      sortable: true,
      height: ROW_HEIGHT,
    })
    .editableList('addItems', [...rows])
}

/** What the list holds now; rows without a serial are left out. */
export function serialRows(id: string): SerialRow[] {
  const rows: SerialRow[] = []
  $(`#${id}`)
    .editableList('items')
    .each((_index: number, element: HTMLElement) => {
      const text = (key: string) => String($(element).find(`.envlog-${key}`).val() ?? '').trim()
      const [serial, base] = [text('serial'), text('base')]
      if (serial !== '') rows.push(base === '' ? { serial } : { serial, base })
    })
  return rows
}
