import { type ChosenField, chosenField } from './chosen'
import type { Asking } from './demand'
import { createDeviceSource } from './device-source'
import type { Chosen } from './picker/choice'
import type { Form } from './red'
import { tellWhatComes } from './told'

interface Fields {
  /** Looked up once: while another page covers the form, it is not in the document. */
  select: JQuery
  property: JQuery
  repeat: JQuery
  devices: ChosenField
  bases: ChosenField
  exclude: ChosenField
}

/** Of the form that is open: Node-RED shows one of a node at a time. */
let fields: Fields | undefined

/** The part of the form that all actions have: which devices, and what comes of it. */
export function prepareAction(form: Form): void {
  const account = $('#node-input-account')
  const [select, property] = [$('#node-input-select'), $('#node-input-propertyType')]
  const source = createDeviceSource(() => String(account.val() ?? ''))
  let tell = () => {}
  const changed = () => tell()
  fields = {
    select,
    property,
    repeat: $('#node-input-repeat'),
    // The service filters current readings by remote units, or by base units.
    devices: chosenField(
      'envlog-devices',
      form.type === 'envlog-current' ? 'remotes' : 'devices',
      (form.devices as Chosen[] | undefined) ?? [],
      source,
      changed,
    ),
    bases: chosenField('envlog-bases', 'bases', chosenOf(form.bases), source, changed),
    exclude: chosenField('envlog-exclude', 'exclude', chosenOf(form.exclude), source, changed),
  }
  $('#node-input-property').typedInput({
    default: 'msg',
    typeField: '#node-input-propertyType',
    types: ['msg', 'flow', 'global', 'env', 'jsonata'],
  })
  const showChosen = () => {
    for (const part of ['list', 'base', 'msg']) $(`.envlog-select-${part}`).toggle(select.val() === part)
    const isByMessage = select.val() === 'msg' && property.val() === 'msg'
    $('.envlog-select-own').toggle(!isByMessage)
  }
  select.on('change', showChosen)
  $('#node-input-property').on('change', showChosen)
  account.on('change', () => void source.look())
  showChosen()
  tell = tellWhatComes(form, source, () => edited(form))
  void source.look()
}

/** Takes the chosen devices over into the node; Node-RED itself saves only plain inputs. */
export function saveAction(form: Form): void {
  const asking = edited(form)
  const isByMessage = asking.select === 'msg' && fields?.property.val() === 'msg'
  // The row is hidden then, and its value would make the node invalid.
  if (isByMessage) fields?.repeat.val('0')
  form.devices = asking.devices
  form.bases = asking.bases
  form.exclude = asking.exclude
}

/** What the node would ask for as the form stands. */
function edited(form: Form): Asking {
  const serials = (field: ChosenField | undefined) => field?.value().map(({ serial }) => serial) ?? []
  return {
    type: form.type,
    select: fields?.select.val(),
    repeat: fields?.repeat.val(),
    devices: fields?.devices.value() ?? [],
    bases: serials(fields?.bases),
    exclude: serials(fields?.exclude),
  }
}

function chosenOf(serials: unknown): Chosen[] {
  return Array.isArray(serials) ? serials.map((serial: string) => ({ serial })) : []
}
