import { isEnvVariable } from '../shared/schema'
import { DurationField } from './duration-field'
import { toNumberText } from './number-text'
import type { Form, Property } from './red'

/** What a checkbox contains until the user changes it: an environment variable. */
const VARIABLE = 'envlog-variable'

/** The field of a property. The form of a config node may be open above that of a node. */
export const fieldOf = ({ type }: Form, name: string): JQuery =>
  $(CONFIG_TYPES.includes(type) ? `#node-config-input-${name}` : `#node-input-${name}`)

const CONFIG_TYPES = ['envlog-account', 'envlog-limits']

/** The typed value of a field. */
export function typedValue(input: JQuery): unknown {
  if (!input.is(':checkbox')) return input.val()
  return input.data(VARIABLE) ?? input.prop('checked')
}

/** Names the parts of a typed input, with which Node-RED has replaced a field, by the label of the field. */
export function nameTypedInput(field: JQuery): void {
  const id = `${field.attr('id')}-label`
  $(`label[for=${field.attr('id')}]`).attr('id', id)
  const parts = '.red-ui-typedInput-input, .red-ui-typedInput-option-expand'
  field.next('.red-ui-typedInput-container').find(parts).attr('aria-labelledby', id)
}

/** Selects a value. If the list does not offer it, as an environment variable, it becomes an option of its own. */
export function selectValue(select: JQuery, value: unknown): void {
  const text = String(value ?? '')
  if (text === '') return
  select.val(text)
  if (select.val() === text) return
  // Node-RED has no form for a config node that is a variable, and then disables its button.
  select.append($('<option>').val(text).text(text).data('env', text)).val(text)
}

/** Fills a list, and selects `wanted`, or the first option if it is blank. */
export function fillSelect(
  select: JQuery,
  options: readonly (readonly [string, string])[],
  wanted?: unknown,
): void {
  select.empty().append(options.map(([value, text]) => $('<option>').val(value).text(text)))
  selectValue(select, wanted)
}

/** Lists that Node-RED fills with config nodes. One that is missing is not offered again. */
const CONFIG_NODES = ['account', 'limits', 'tls', 'proxy']

/**
 * Gives a node the properties that it lacks, because an earlier version or another program has created it. Otherwise
 * Node-RED would show and save them as blank or off.
 */
export function fillMissing(form: Form, properties: Readonly<Record<string, Property>>): void {
  for (const [name, { value }] of Object.entries(properties)) {
    if (form[name] !== undefined) continue
    form[name] = structuredClone(value)
    const field = fieldOf(form, name)
    if (field.is(':checkbox')) field.prop('checked', value === true)
    else if (!field.is('select')) field.val(String(value ?? ''))
  }
}

/** Shows saved values that Node-RED does not show in lists and checkboxes, and accepts numbers as people write them. */
export function prepareFields(form: Form, fields: JQuery): void {
  // What opens may be below the visible part of the form.
  const parts = fields.closest('form').find('details')
  parts.on('toggle', ({ currentTarget: part }) => {
    if (part.open) part.scrollIntoView({ block: 'nearest' })
  })
  for (const element of fields.get()) {
    const name = element.id.replace(/^node-(?:config-)?input-/, '')
    const [field, saved] = [$(element), form[name]]
    if (field.is('select')) {
      if (isEnvVariable(saved) || !CONFIG_NODES.includes(name)) selectValue(field, saved)
    } else if (field.is(':checkbox') && isEnvVariable(saved)) showVariable(field, String(saved))
    else if (field.is('[data-unit]')) new DurationField(field, () => problemOf(form, name, field.val()))
    else if (field.is('[inputmode]'))
      field.on('change', () => replaceValue(field, toNumberText(String(field.val()))))
  }
}

/** The sentence about a value, by the validator that Node-RED uses. */
function problemOf(form: Form, name: string, value: unknown): string | undefined {
  const { defaults } = form._def as { defaults: Record<string, Property> }
  const result = defaults[name]?.validate?.call(form, value, {})
  return typeof result === 'string' ? result : undefined
}

/** Node-RED has validated the old value before. */
function replaceValue(field: JQuery, value: string): void {
  if (field.val() !== value) field.val(value).trigger('change')
}

/** A checkbox with a variable is neither on nor off. */
function showVariable(box: JQuery, variable: string): void {
  const name = $('<code>').css('margin-left', '8px').text(variable).insertAfter(box)
  box.prop('indeterminate', true).data(VARIABLE, variable)
  box.one('click', () => {
    name.remove()
    box.removeData(VARIABLE)
  })
}

/** Has Node-RED save the variables of checkboxes, which otherwise would become true or false. */
export function saveVariables(fields: JQuery): void {
  for (const element of fields.filter(':checkbox').get()) {
    const variable = $(element).data(VARIABLE)
    if (variable !== undefined) $(element).prop('type', 'hidden').val(variable)
  }
}
