import { type Limit, repairLimit } from '../../shared/limits-schema'
import { QUANTITIES } from '../../shared/quantity'
import type { DeviceSource } from '../device-source'
import { fillSelect } from '../fields'
import { listOf, translate } from '../red'
import { LimitRow, type RowContext } from './limit-row'

/** What Node-RED keeps for each row. It is empty for a row that the add button has added. */
interface RowData {
  limit?: Limit
  row?: LimitRow
  isOpen?: boolean
}

/** The list of limits in the form. */
export class LimitList {
  readonly #element = $('#envlog-limits')

  constructor(saved: unknown, source: DeviceSource) {
    const fields = $('#envlog-limit-fields').detach().removeAttr('id hidden')
    const quantities = QUANTITIES.map((quantity) => [quantity, translate(`quantity.${quantity}`)] as const)
    const byChannel = ['channel', translate('limits.by-channel')] as const
    fillSelect(fields.find('[data-limit=quantity]'), [...quantities, byChannel])
    const context: RowContext = {
      source,
      fields,
      changed: () => this.#showProblems(),
      duplicate: (limit, row) => {
        const data: RowData = { limit: structuredClone(limit), isOpen: true }
        this.#element.editableList('insertItemAt', data, row.parent().index() + 1)
      },
    }
    this.#element.editableList({
      sortable: true,
      removable: true,
      addButton: translate('limits.add'),
      scrollOnAdd: false,
      height: 'auto',
      addItem(element: JQuery, _index: number, data: RowData) {
        const { isOpen = !data.limit } = data
        data.limit ??= { ...repairLimit({}), quantity: 'temperature' }
        data.row = new LimitRow(data.limit, element, context)
        if (isOpen) {
          data.row.open()
          context.changed()
        }
      },
      removeItem: () => context.changed(),
      sortItems: () => context.changed(),
    })
    for (const limit of listOf(saved)) this.#element.editableList('addItem', { limit: repairLimit(limit) })
    this.#showProblems()
  }

  /** The limits as the form shows them, valid or not. */
  get limits(): Limit[] {
    return this.#rows.map((row) => row.limit)
  }

  get #rows(): LimitRow[] {
    const items = this.#element.children(':not(.red-ui-editableList-item-deleting)').find('.envlog-limit')
    // A row that is being added is not there yet.
    return items.get().flatMap((item) => ($(item).data('data') as RowData).row ?? [])
  }

  #showProblems(): void {
    const rows = this.#rows
    const limits = rows.map((row) => row.limit)
    for (const [index, row] of rows.entries()) row.showProblem(limits.slice(0, index))
  }
}
