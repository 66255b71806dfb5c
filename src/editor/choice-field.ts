import { type DeviceSource, getDeviceList } from './device-source'
import { type Chosen, isDevice } from './picker/choice'
import { pickDevices } from './picker/dialog'
import { findMissing, type Kind } from './picker/tree'
import { idOf } from './picker/view'
import { enumerated, translate } from './red'

/** Number of names shown next to the button; the others are counted. */
const MAX_NAMED = 4

/** A form field for devices, base units or groups. */
export interface ChosenField {
  value(): Chosen[]
}

/** Shows the chosen items, the button that opens the picker, and chosen items that the account no longer has. */
export function chosenField(
  id: string,
  kind: Kind,
  saved: readonly Chosen[],
  source: DeviceSource,
  changed: () => void = () => {},
): ChosenField {
  let chosen = [...saved]
  const field = $(`#${id}`).addClass('envlog-chosen')
  const text = $('<span class="envlog-chosen-names">').appendTo(field)
  const unlistedRows = $('<ul class="envlog-chosen-gone">')
    .attr('aria-label', translate('picker.unlisted'))
    .appendTo(field)
  const title = translate(`picker.title-${kind}`)

  function nameOf(one: Chosen): string {
    const devices = getDeviceList(source)?.devices ?? []
    if (isDevice(one)) {
      const device = devices.find(
        ({ serial, base }) => serial === one.serial && (one.base ?? base.serial) === base.serial,
      )
      return device?.name || one.serial
    }
    if ('group' in one) return one.group
    const under = devices.find(({ base }) => base.serial === one.unit)
    const name = under?.base.name || (under?.standalone && under.name) || one.unit
    return kind === 'devices' ? translate('picker.whole', { name }) : name
  }

  function show(): void {
    const list = getDeviceList(source)
    const unlisted = list ? findMissing(kind, list.devices, chosen) : []
    const listed = chosen.filter((one) => !unlisted.includes(one))
    const named = enumerated(listed.slice(0, MAX_NAMED).map(nameOf))
    const more = translate('picker.more', { count: listed.length - MAX_NAMED })
    if (chosen.length === 0) text.text(translate('picker.nothing'))
    else text.text(listed.length > MAX_NAMED ? `${named} ${more}` : named)
    text.attr('title', listed.map(idOf).join('\n'))
    unlistedRows
      .empty()
      .append(unlisted.map(unlistedRow))
      .toggle(unlisted.length > 0)
  }

  function unlistedRow(one: Chosen): JQuery {
    const remove = $('<button type="button" class="red-ui-button red-ui-button-small">')
      .text(translate('picker.remove'))
      .attr('aria-label', translate('picker.remove-one', { name: idOf(one) }))
      .on('click', () => {
        setChosen(chosen.filter((other) => other !== one))
        button.trigger('focus')
      })
    return $('<li>').append($('<s>').text(idOf(one)), ` ${translate('picker.missing')} `, remove)
  }

  function setChosen(list: Chosen[]): void {
    chosen = list
    show()
    changed()
  }

  const button = $('<button type="button" class="red-ui-button">')
    .text(translate('picker.choose'))
    .attr('aria-label', title)
    .on('click', () =>
      pickDevices({
        kind,
        title,
        chosen,
        source,
        done: setChosen,
        // The keyboard focus returns to its previous position.
        closed: () => void button.trigger('focus'),
      }),
    )
    .prependTo(field)
  source.listen(show)
  show()
  return { value: () => chosen }
}
