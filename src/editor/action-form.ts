import { VALUE_TYPES } from '../shared/period-types'
import { findOnlyAccount } from './accounts'
import { ChoiceField } from './choice-field'
import { DeviceSource } from './device-source'
import { type Chosen, isDevice } from './picker/choice'
import { Preview } from './preview'
import { type Form, listOf, translate, typedValue } from './red'
import type { ActionConfig } from './request-budget'

const PREFIX = 'node-input-'

/** The part of the form that all actions have: the devices and the preview. */
export class ActionForm {
  readonly #form: Form
  /** Contains the fields even while a tray covers the form, when they are not in the document. */
  readonly #page = $('#node-input-select').closest('form')
  readonly #choices: Record<'devices' | 'bases' | 'groups' | 'exclude', ChoiceField>

  constructor(form: Form) {
    this.#form = form
    const [account, property] = [this.#field('account'), this.#field('property')]
    const onlyAccount = form.account ? undefined : findOnlyAccount(form)
    if (onlyAccount) account.val(onlyAccount)
    // Node-RED has replaced the field by a list.
    account.attr('aria-description', translate('hint.account'))
    const source = new DeviceSource(() => String(account.val() ?? ''))
    const preview = new Preview(form, source, this.#page, () => this.#read())
    const [units, groups, exclude] = [
      listOf<string>(form.bases).map((unit) => ({ unit })),
      listOf<string>(form.groups).map((group) => ({ group })),
      listOf<string>(form.exclude).map((serial) => ({ serial })),
    ]
    const changed = () => preview.show()
    this.#choices = {
      // The fields for devices and for base units both show the property `bases`.
      devices: new ChoiceField('devices', [...listOf<Chosen>(form.devices), ...units], source, changed),
      bases: new ChoiceField('bases', units, source, changed),
      groups: new ChoiceField('groups', groups, source, changed),
      exclude: new ChoiceField('exclude', exclude, source, changed),
    }
    property.typedInput({ default: 'msg', typeField: this.#field('propertyType'), types: [...VALUE_TYPES] })
    this.#field('select')
      .add(property)
      .on('change', () => this.#showChosen())
    this.#showChosen()
    account.on('change', () => void source.load({ cached: true }))
    void source.load({ cached: true })
  }

  /** Stores the chosen devices in the node, because Node-RED itself saves only plain inputs. */
  save(): void {
    const { devices, bases, groups, exclude } = this.#read()
    // The row is hidden if messages name the devices, and its value would make the node invalid.
    if (this.#isByMessage()) this.#field('repeat').val('0')
    Object.assign(this.#form, { devices, bases, groups, exclude })
  }

  #field(name: string): JQuery {
    return this.#page.find(`#${PREFIX}${name}`)
  }

  #isByMessage(): boolean {
    return this.#field('select').val() === 'msg' && this.#field('propertyType').val() === 'msg'
  }

  #showChosen(): void {
    for (const part of ['list', 'base', 'group', 'msg'])
      this.#page.find(`.envlog-select-${part}`).toggle(this.#field('select').val() === part)
    this.#page.find('.envlog-select-own').toggle(!this.#isByMessage())
  }

  /** The settings as the form currently shows them. */
  #read(): ActionConfig {
    const inputs = this.#page.find(`[id^=${PREFIX}]`).get()
    const typed = inputs.map((input) => [input.id.slice(PREFIX.length), typedValue($(input))])
    const { devices, bases, groups, exclude } = this.#choices
    const units = this.#field('select').val() === 'base' ? bases : devices
    return {
      ...Object.fromEntries(typed),
      type: this.#form.type,
      devices: devices.chosen.filter(isDevice),
      bases: units.chosen.flatMap((item) => ('unit' in item ? item.unit : [])),
      groups: groups.chosen.flatMap((item) => ('group' in item ? item.group : [])),
      exclude: exclude.chosen.flatMap((item) => (isDevice(item) ? item.serial : [])),
    }
  }
}
