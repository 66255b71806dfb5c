import type { Form } from './red'
import { type SerialRow, serialList, serialRows } from './serial-list'

/**
 * The part of the form that all actions have: which devices, and what depends on it.
 * @param changed told when other devices are chosen
 */
export function prepareAction(form: Form, changed: () => void = () => {}): void {
  serialList(form, 'envlog-devices', (form.devices as SerialRow[]) ?? [], true, changed)
  serialList(form, 'envlog-bases', rowsOf(form.bases), false)
  serialList(form, 'envlog-exclude', rowsOf(form.exclude), false)
  $('#node-input-property').typedInput({ types: ['msg'] })

  const select = $('#node-input-select')
  const showChosen = () => {
    for (const part of ['list', 'base', 'msg']) $(`.envlog-select-${part}`).toggle(select.val() === part)
    $('.envlog-select-own').toggle(select.val() !== 'msg')
    changed()
  }
  select.on('change', showChosen)
  showChosen()
}

/** Takes the lists over into the node; Node-RED itself saves only plain inputs. */
export function saveAction(form: Form): void {
  // The row is hidden then, and its value would make the node invalid.
  if ($('#node-input-select').val() === 'msg') $('#node-input-repeat').val('0')
  form.devices = serialRows('envlog-devices')
  form.bases = serialRows('envlog-bases').map(({ serial }) => serial)
  form.exclude = serialRows('envlog-exclude').map(({ serial }) => serial)
}

function rowsOf(serials: unknown): SerialRow[] {
  return Array.isArray(serials) ? serials.map((serial: string) => ({ serial })) : []
}
