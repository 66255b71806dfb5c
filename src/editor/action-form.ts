import { VALUE_TYPES } from '../shared/period-types'
import { isEnvVariable } from '../shared/schema'
import { prepareAccountField } from './account-field'
import { ChoiceField } from './choice-field'
import { prepareFields, saveVariables, typedValue } from './fields'
import { NodeTrial } from './node-trial'
import { type Chosen, toSaved } from './picker/choice'
import type { Kind } from './picker/device-tree'
import { Preview } from './preview'
import { type Form, listOf } from './red'
import type { ActionConfig } from './request-budget'

const PREFIX = 'node-input-'
const FIELDS = `[id^=${PREFIX}]`

/** The part of the form that all actions have: the devices and the preview. */
export class ActionForm {
  readonly #form: Form
  /** Contains the fields even while a tray covers the form, when they are not in the document. */
  readonly #page = $('#node-input-select').closest('form')
  readonly #choices: Record<Kind, ChoiceField>

  /** @param findInvalid the sentence about the first invalid setting */
  constructor(form: Form, findInvalid: (config: ActionConfig) => string | undefined) {
    this.#form = form
    const property = this.#field('property')
    prepareFields(form, this.#page.find(FIELDS))
    const source = prepareAccountField(form)
    const read = () => this.#read()
    const trial = new NodeTrial(form, this.#page, read, findInvalid)
    const preview = new Preview(form, source, this.#page, read, trial)
    const [units, groups, exclude] = [
      listOf<string>(form.bases).map((unit) => ({ unit })),
      listOf<string>(form.groups).map((group) => ({ group })),
      listOf<string>(form.exclude).map((serial) => ({ serial })),
    ]
    const choice = (kind: Kind, saved: readonly Chosen[]) =>
      new ChoiceField(this.#page.find(`#envlog-${kind}`), kind, saved, source, () => preview.show())
    this.#choices = {
      // The fields for devices and for base units both show the property `bases`.
      devices: choice('devices', [...listOf<Chosen>(form.devices), ...units]),
      bases: choice('bases', units),
      groups: choice('groups', groups),
      exclude: choice('exclude', exclude),
    }
    property.typedInput({ default: 'msg', typeField: this.#field('propertyType'), types: [...VALUE_TYPES] })
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
