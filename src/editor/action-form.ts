import { VALUE_TYPES } from '../shared/period-types'
import { isEnvVariable } from '../shared/schema'
import { prepareAccountField } from './account-field'
import { ChoiceField } from './choice-field'
import type { DeviceSource } from './device-source'
import { nameTypedInput, prepareFields, saveVariables, typedValue } from './fields'
import { type Chosen, toSaved } from './picker/choice'
import type { Kind } from './picker/device-tree'
import { type Form, listOf } from './red'
import type { ActionConfig } from './request-budget'

const PREFIX = 'node-input-'
const FIELDS = `[id^=${PREFIX}]`

/** What a form shows about its settings, until one of them changes. */
interface Shown {
  show(): void
}

/** What a part of the form can use. */
export interface FormParts {
  form: Form
  source: DeviceSource
  /** Contains the fields even while a tray covers the form, when they are not in the document. */
  page: JQuery
  /** Reads the settings as the form currently shows them. */
  read(): ActionConfig
}

/** The part of the form that all nodes with an account and devices have. */
export class ActionForm {
  readonly #form: Form
  readonly #page = $('#node-input-select').closest('form')
  readonly #choices: Record<Kind, ChoiceField>

  /** @param createShown creates the part of the form that shows what the settings do */
  constructor(form: Form, createShown: (parts: FormParts) => Shown) {
    this.#form = form
    const property = this.#field('property')
    prepareFields(form, this.#page.find(FIELDS))
    const source = prepareAccountField(form)
    const shown = createShown({ form, source, page: this.#page, read: () => this.#read() })
    const [units, groups, exclude] = [
      listOf<string>(form.bases).map((unit) => ({ unit })),
      listOf<string>(form.groups).map((group) => ({ group })),
      listOf<string>(form.exclude).map((serial) => ({ serial })),
    ]
    const choice = (kind: Kind, saved: readonly Chosen[]) =>
      new ChoiceField(this.#page.find(`#envlog-${kind}`), kind, saved, source, () => shown.show())
    this.#choices = {
      // The fields for devices and for base units both show the property `bases`.
      devices: choice('devices', [...listOf<Chosen>(form.devices), ...units]),
      bases: choice('bases', units),
      groups: choice('groups', groups),
      exclude: choice('exclude', exclude),
    }
    property.typedInput({ default: 'msg', typeField: this.#field('propertyType'), types: [...VALUE_TYPES] })
    nameTypedInput(property)
    this.#field('select')
      .add(property)
      .on('change', () => this.#showChosen())
    this.#showChosen()
  }

  /** Stores the chosen devices in the node, because Node-RED itself saves only plain inputs. */
  save(): void {
    const { devices, bases, groups, exclude } = this.#read()
    // The row is hidden if messages name the devices, and its value would make the node invalid.
    if (this.#isByMessage()) this.#field('repeat').val('0')
    for (const [name, chosen] of Object.entries({ devices, bases, groups, exclude }))
      if (listOf(chosen).length > 0 || !isEnvVariable(this.#form[name])) this.#form[name] = chosen
    saveVariables(this.#page.find(FIELDS))
  }

  #field(name: string): JQuery {
    return this.#page.find(`#${PREFIX}${name}`)
  }

  #isByMessage(): boolean {
    return this.#field('select').val() === 'msg' && this.#field('propertyType').val() === 'msg'
  }

  #showChosen(): void {
    for (const part of ['list', 'base', 'group'])
      this.#page.find(`.envlog-select-${part}`).toggle(this.#field('select').val() === part)
    this.#page.find('.envlog-select-own').toggle(!this.#isByMessage())
  }

  /** The settings as the form currently shows them. */
  #read(): ActionConfig {
    const inputs = this.#page.find(FIELDS).get()
    const typed = inputs.map((input) => [input.id.slice(PREFIX.length), typedValue($(input))])
    const { devices, bases, groups, exclude } = this.#choices
    const units = this.#field('select').val() === 'base' ? bases : devices
    return {
      ...Object.fromEntries(typed),
      type: this.#form.type,
      devices: toSaved(devices.chosen).devices,
      bases: toSaved(units.chosen).bases,
      groups: toSaved(groups.chosen).groups,
      exclude: toSaved(exclude.chosen).devices.map(({ serial }) => serial),
    }
  }
}
