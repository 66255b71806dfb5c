import { type Limit, repairLimit } from '../../shared/limits-schema'
import { QUANTITIES } from '../../shared/quantity'
import type { DeviceSource } from '../device-source'
import { fillSelect } from '../fields'
import { listOf, translate } from '../red'
import { LimitRow, type RowContext } from './limit-row'

/** What Node-RED keeps for each row. It is empty for a row that the add button has added. */
interface RowData {
  limit?: Limit
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
      limitsAbove: (row) => row.parent().prevAll().find('.envlog-limit').get().map(limitOf),
      duplicate: (limit, row) => {
        const data: RowData = { limit: structuredClone(limit), isOpen: true }
        this.#element.editableList('insertItemAt', data, row.parent().index() + 1)
      },
    }
    this.#element.editableList({
      sortable: true,
      removable: true,
      scrollOnAdd: false,
      height: 'auto',
      addItem(element: JQuery, _index: number, data: RowData) {
        const { isOpen = !data.limit } = data
        data.limit ??= { ...repairLimit({}), quantity: 'temperature' }
        const row = new LimitRow(data.limit, element, context)
        if (isOpen) row.open()
      },
    })
    for (const limit of listOf(saved)) this.#element.editableList('addItem', { limit: repairLimit(limit) })
  }

  /** The limits as the form shows them, valid or not. */
  get limits(): Limit[] {
    const rows = this.#element.children(':not(.red-ui-editableList-item-deleting)').find('.envlog-limit')
    return rows.get().map(limitOf)
  }
}

const limitOf = (row: HTMLElement): Limit => $(row).data('data').limit
