import { findConflict } from '../shared/action-schemas'
import { STORED_SECRET } from '../shared/admin'
import { describeProblem, type Problem } from '../shared/problems'
import {
  conditionalProperties,
  findProblem,
  isEnvVariable,
  isUsed,
  newValueOf,
  type Schema,
  type Settings,
} from '../shared/schema'
import { fieldOf, typedValue } from './fields'
import { type Form, type Property, translate } from './red'

/**
 * Checks a property against all settings. Returns a problem, a sentence from Node-RED, or `undefined` if the value is
 * valid.
 */
export type FindProblem = (property: string, settings: Settings) => Problem | string | undefined

/**
 * The properties of a schema in the form of Node-RED's definitions: the value for a new node, and a validator.
 * @param finders further checks of some properties
 */
export function propertiesOf<S extends Schema>(
  schema: S,
  finders: Readonly<Record<string, FindProblem>> = {},
): Record<keyof S['shape'], Required<Pick<Property, 'value' | 'validate'>>> {
  const properties = Object.keys(schema.shape).map((name) => {
    const find: FindProblem = (property, settings) => {
      if (!isUsed(schema, property, settings)) return undefined
      const findMore = finders[name] ?? findConflict
      return findProblem(schema, property, settings[property]) ?? findMore(property, settings)
    }
    // Node-RED accepts a sentence only from functions that declare exactly two parameters.
    const validate = function (this: Form, value: unknown, _options: object) {
      return check(this, name, value, find)
    }
    return [name, { value: newValueOf(schema, name), validate }]
  })
  return Object.fromEntries(properties) as ReturnType<typeof propertiesOf<S>>
}

/** The sentence about the first invalid setting, as the form currently shows them. */
export function findInvalid(
  properties: Readonly<Record<string, Required<Pick<Property, 'value' | 'validate'>>>>,
  form: Form,
  config: object,
): string | undefined {
  const typed = { ...form, ...config } as Form
  const results = Object.entries(properties).map(([name, { validate }]) =>
    validate.call(typed, typed[name], {}),
  )
  return results.find((result) => result !== true)
}

/** Returns `true`, or a sentence about the value of a property. */
export function check(node: Form, name: string, value: unknown, find: FindProblem): true | string {
  // Only the runtime knows the values of stored secrets and environment variables.
  let isUnknown = value === STORED_SECRET
  const settings = new Proxy(node, {
    get(_, property) {
      const setting = property === name ? value : asTyped(node, String(property))
      isUnknown ||= isEnvVariable(setting)
      return setting
    },
  })
  const problem = find(name, settings)
  if (problem === undefined || isUnknown) return true
  return typeof problem === 'object' ? describeProblem(problem, name, translate) : problem
}

/** Shows the rows of the settings that the node uses, and hides the others. */
export function showUsed(form: Form, schema: Schema): void {
  const settings = new Proxy(form, { get: (_, property) => asTyped(form, String(property)) })
  const fields = conditionalProperties(schema).map((name) => [name, fieldOf(form, name)] as const)
  const show = () => {
    for (const [name, field] of fields) field.closest('.form-row').toggle(isUsed(schema, name, settings))
  }
  fieldOf(form, 'name').closest('form').on('change', show)
  show()
}

/** A property of a node. While its form is open, the typed value is newer than the saved one. */
function asTyped(node: Form, name: string): unknown {
  const typed = typedValue(fieldOf(node, name))
  return typed || typed === false ? typed : node[name]
}
