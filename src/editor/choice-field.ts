import { hasEnvVariable } from '../shared/schema'
import type { DeviceSource } from './device-source'
import { type Chosen, idOf } from './picker/choice'
import { nameOf } from './picker/device-texts'
import { findUnlisted, type Kind } from './picker/device-tree'
import { Picker } from './picker/dialog'
import { enumerated, translate } from './red'

/** Maximum number of names shown next to the button, followed by the number of others. */
const MAX_NAMED = 4

/** A form field for devices, base units or groups, with a button that opens the picker. */
export class ChoiceField {
  readonly #kind: Kind
  readonly #source: DeviceSource
  readonly #changed: () => void
  readonly #button = $('<button type="button" class="red-ui-button">')
  readonly #names = $('<span class="envlog-chosen-names">')
  /** Chosen items that the account does not have. */
  readonly #unlisted = $('<ul class="envlog-chosen-unlisted">')
  #chosen: readonly Chosen[]

  /** @param element an empty element for the field */
  constructor(
    element: JQuery,
    kind: Kind,
    saved: readonly Chosen[],
    source: DeviceSource,
    changed: () => void,
  ) {
    this.#kind = kind
    this.#source = source
    this.#changed = changed
    this.#chosen = saved
    this.#button.text(translate('picker.choose')).attr('aria-label', translate(`picker.title-${kind}`))
    this.#button.on('click', () =>
      new Picker(kind, this.#chosen, source, (chosen) => this.#set(chosen)).open(),
    )
    this.#unlisted.attr('aria-label', translate('picker.unlisted'))
    element.addClass('envlog-chosen').append(this.#button, this.#names, this.#unlisted)
    // jQuery UI triggers this when the field is removed.
    this.#names.on(
      'remove',
      source.listen(() => this.#show()),
    )
    this.#show()
  }

  get chosen(): readonly Chosen[] {
    return this.#chosen
  }

  #set(chosen: readonly Chosen[]): void {
    this.#chosen = chosen
    this.#show()
    this.#changed()
    // Returns the keyboard focus to where it was, or from a button that has been removed.
    this.#button.trigger('focus')
  }

  #show(): void {
    const { devices } = this.#source
    const known = this.#chosen.filter((item) => !hasEnvVariable(item))
    const unlisted = new Set(devices ? findUnlisted(devices, known) : [])
    const listed = this.#chosen.filter((item) => !unlisted.has(item))
    const names = [enumerated(listed.slice(0, MAX_NAMED).map((item) => this.#nameOf(item)))]
    if (listed.length > MAX_NAMED) names.push(translate('picker.more', { count: listed.length - MAX_NAMED }))
    this.#names.text(this.#chosen.length === 0 ? translate('picker.nothing') : names.join(' '))
    this.#names.attr('title', listed.map(idOf).join('\n'))
    this.#unlisted.empty().append([...unlisted].map((item) => this.#unlistedRow(item)))
  }

  #nameOf(item: Chosen): string {
    const name = nameOf(item, this.#source.devices)
    return this.#kind === 'devices' && 'unit' in item ? translate('picker.whole', { name }) : name
  }

  #unlistedRow(item: Chosen): JQuery {
    const remove = $('<button type="button" class="red-ui-button red-ui-button-small">')
      .text(translate('picker.remove'))
      .attr('aria-label', translate('picker.remove-one', { name: idOf(item) }))
      .on('click', () => this.#set(this.#chosen.filter((other) => other !== item)))
    return $('<li>').append($('<s>').text(idOf(item)), ` ${translate('picker.missing')} `, remove)
  }
}
