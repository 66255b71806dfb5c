import { type DeviceSource, listedIn } from './device-source'
import type { Chosen } from './picker/choice'
import { pickDevices } from './picker/dialog'
import type { Kind } from './picker/tree'
import { words } from './red'

/** Names that fit beside the button; the others are counted. */
const MOST_NAMED = 4

/** A field of the form that holds devices. */
export interface ChosenField {
  value(): Chosen[]
}

/** What is chosen, in words, and the button that opens the picker. `kind` may change with the form. */
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
  const title = words(`picker.title-${kind}`)

  function show(): void {
    const devices = listedIn(source)?.devices ?? []
    const nameOf = ({ serial }: Chosen) => {
      const device = devices.find((one) => one.serial === serial)
      const base = devices.find((one) => one.base.serial === serial)?.base
      return device?.name || base?.name || serial
    }
    const named = chosen.slice(0, MOST_NAMED).map(nameOf).join(', ')
    const more = words('picker.more', { count: chosen.length - MOST_NAMED })
    if (chosen.length === 0) text.text(words('picker.nothing'))
    else text.text(chosen.length > MOST_NAMED ? `${named} ${more}` : named)
    text.attr('title', chosen.map((one) => (one.base ? `${one.base}/${one.serial}` : one.serial)).join('\n'))
  }

  const button = $('<button type="button" class="red-ui-button">')
    .text(words('picker.choose'))
    .attr('aria-label', title)
    .on('click', () =>
      pickDevices({
        kind,
        title,
        chosen,
        source,
        done(list) {
          chosen = list
          show()
          changed()
        },
        // Who came by keyboard goes on where they were.
        closed: () => void button.trigger('focus'),
      }),
    )
    .prependTo(field)
  source.listen(show)
  show()
  return { value: () => chosen }
}
