import { findOnlyAccount } from './accounts'
import { type ChosenField, chosenField } from './choice-field'
import { createDeviceSource } from './device-source'
import { type Chosen, isDevice } from './picker/choice'
import type { Kind } from './picker/tree'
import { createPreview } from './preview'
import type { Form } from './red'
import { type ActionConfig, listOf } from './request-estimate'

interface Fields {
  /** Looked up once: while another page covers the form, the elements are not in the document. */
  select: JQuery
  property: JQuery
  repeat: JQuery
  /** Devices, and base units with all their devices. */
  devices: ChosenField
  bases: ChosenField
  groups: ChosenField
  exclude: ChosenField
}

/** Fields of the open form: Node-RED shows only one node's form at a time. */
let fields: Fields | undefined

/** Prepares the part of the form that all actions have: the devices and the preview. */
export function prepareAction(form: Form): void {
  const { devices, bases, groups, exclude } = form
  const units = listOf<string>(bases).map((unit) => ({ unit }))
  const account = $('#node-input-account')
  const onlyAccount = form.account ? undefined : findOnlyAccount(form)
  if (onlyAccount !== undefined) account.val(onlyAccount)
  const [select, property] = [$('#node-input-select'), $('#node-input-propertyType')]
  const source = createDeviceSource(() => String(account.val() ?? ''))
  let updatePreview = () => {}
  const field = (kind: Kind, saved: Chosen[]) =>
    chosenField(`envlog-${kind}`, kind, saved, source, () => updatePreview())
  fields = {
    select,
    property,
    repeat: $('#node-input-repeat'),
    devices: field('devices', [...listOf<Chosen>(devices), ...(form.select === 'base' ? [] : units)]),
    bases: field('bases', form.select === 'list' ? [] : units),
    groups: field(
      'groups',
      listOf<string>(groups).map((group) => ({ group })),
    ),
    exclude: field(
      'exclude',
      listOf<string>(exclude).map((serial) => ({ serial })),
    ),
  }
  $('#node-input-property').typedInput({
    default: 'msg',
    typeField: '#node-input-propertyType',
    types: ['msg', 'flow', 'global', 'env', 'jsonata'],
  })
  const showChosen = () => {
    for (const part of ['list', 'base', 'group', 'msg'])
      $(`.envlog-select-${part}`).toggle(select.val() === part)
    const isByMessage = select.val() === 'msg' && property.val() === 'msg'
    $('.envlog-select-own').toggle(!isByMessage)
  }
  select.on('change', showChosen)
  $('#node-input-property').on('change', showChosen)
  account.on('change', () => void source.loadCached())
  showChosen()
  updatePreview = createPreview(form, source, () => edited(form))
  void source.loadCached()
}

/** Stores the chosen devices in the node; Node-RED itself saves only plain inputs. */
export function saveAction(form: Form): void {
  const config = edited(form)
  const isByMessage = config.select === 'msg' && fields?.property.val() === 'msg'
  // The row is hidden then, and its value would make the node invalid.
  if (isByMessage) fields?.repeat.val('0')
  const { devices, bases, groups, exclude } = config
  Object.assign(form, { devices, bases, groups, exclude })
}

/** The settings as the form currently shows them. */
function edited(form: Form): ActionConfig {
  const chosen = (name: Kind) => fields?.[name].value() ?? []
  const select = fields?.select.val()
  const unitsOf = (name: Kind) => chosen(name).flatMap((one) => ('unit' in one ? one.unit : []))
  // An unused list is kept, so that it is still there if the user switches back.
  const kept = () => [...new Set([...unitsOf('devices'), ...unitsOf('bases')])]
  return {
    type: form.type,
    select,
    repeat: fields?.repeat.val(),
    devices: chosen('devices').filter(isDevice),
    bases: select === 'list' ? unitsOf('devices') : select === 'base' ? unitsOf('bases') : kept(),
    groups: chosen('groups').flatMap((one) => ('group' in one ? one.group : [])),
    exclude: chosen('exclude').flatMap((one) => (isDevice(one) ? one.serial : [])),
  }
}
