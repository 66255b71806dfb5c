import { findOnlyAccount } from './accounts'
import { ChoiceField } from './choice-field'
import { DeviceSource } from './device-source'
import { type Chosen, isDevice } from './picker/choice'
import type { Kind } from './picker/device-tree'
import { Preview } from './preview'
import type { Form } from './red'
import { type ActionConfig, listOf } from './request-budget'

/** The part of the form that all actions have: the devices and the preview. */
export class ActionForm {
  readonly #form: Form
  // Looked up once, because the elements are not in the document while a tray covers the form.
  readonly #select = $('#node-input-select')
  readonly #property = $('#node-input-property')
  readonly #propertyType = $('#node-input-propertyType')
  readonly #repeat = $('#node-input-repeat')
  readonly #choices: Record<Kind, ChoiceField>

  constructor(form: Form) {
    this.#form = form
    const account = $('#node-input-account')
    const onlyAccount = form.account ? undefined : findOnlyAccount(form)
    if (onlyAccount) account.val(onlyAccount)
    // Node-RED has replaced the field by a list.
    account.attr('aria-description', form._('hint.account'))
    const source = new DeviceSource(() => String(account.val() ?? ''))
    const units = listOf<string>(form.bases).map((unit) => ({ unit }))
    const field = (kind: Kind, saved: Chosen[]) => new ChoiceField(kind, saved, source, () => preview.show())
    this.#choices = {
      // The fields for devices and for base units both show the property `bases`.
      devices: field('devices', [...listOf<Chosen>(form.devices), ...units]),
      bases: field('bases', units),
      groups: field(
        'groups',
        listOf<string>(form.groups).map((group) => ({ group })),
      ),
      exclude: field(
        'exclude',
        listOf<string>(form.exclude).map((serial) => ({ serial })),
      ),
    }
    this.#property.typedInput({
      default: 'msg',
      typeField: this.#propertyType,
      types: ['msg', 'flow', 'global', 'env', 'jsonata'],
    })
    this.#select.add(this.#property).on('change', () => this.#showChosen())
    this.#showChosen()
    const preview = new Preview(form, source, () => this.#read())
    account.on('change', () => void source.load({ cached: true }))
    void source.load({ cached: true })
  }

  /** Stores the chosen devices in the node, because Node-RED itself saves only plain inputs. */
  save(): void {
    const { devices, bases, groups, exclude } = this.#read()
    // In this case the row is hidden, and its value would make the node invalid.
    if (this.#isByMessage()) this.#repeat.val('0')
    Object.assign(this.#form, { devices, bases, groups, exclude })
  }

  #isByMessage(): boolean {
    return this.#select.val() === 'msg' && this.#propertyType.val() === 'msg'
  }

  #showChosen(): void {
    for (const part of ['list', 'base', 'group', 'msg'])
      $(`.envlog-select-${part}`).toggle(this.#select.val() === part)
    $('.envlog-select-own').toggle(!this.#isByMessage())
  }

  /** The settings as the form currently shows them. */
  #read(): ActionConfig {
    const select = this.#select.val()
    const { devices, bases, groups, exclude } = this.#choices
    const units = (select === 'base' ? bases : devices).chosen
    return {
      type: this.#form.type,
      select,
      repeat: this.#repeat.val(),
      devices: devices.chosen.filter(isDevice),
      bases: units.flatMap((item) => ('unit' in item ? item.unit : [])),
      groups: groups.chosen.flatMap((item) => ('group' in item ? item.group : [])),
      exclude: exclude.chosen.flatMap((item) => (isDevice(item) ? item.serial : [])),
    }
  }
}
