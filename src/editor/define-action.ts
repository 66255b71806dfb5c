import type { ActionType } from '../shared/action'
import { actionSchemas } from '../shared/action-schemas'
import { ActionForm } from './action-form'
import { defineNode } from './define-node'
import { fillMissing } from './fields'
import { prepareOutput } from './output-form'
import { type FindProblem, propertiesOf, showUsed } from './properties'
import { type Form, translate } from './red'
import { prepareTopic } from './topic-form'

/** The parts in which the forms of action nodes differ. */
interface OwnParts {
  /** Prepares the parts of the form that only this node has. */
  prepare?(form: Form): void
  /** Further checks of properties that the schema cannot validate completely. */
  findProblem?: Readonly<Record<string, FindProblem>>
}

/** Node-RED shows only one node's form at a time. */
let open: ActionForm | undefined

/** The definition of an action node, with properties from its schema. */
export function defineAction(type: ActionType, { prepare, findProblem }: OwnParts = {}) {
  const properties = propertiesOf(actionSchemas[type], findProblem)
  const findInvalid = (form: Form, config: object) => {
    const typed = { ...form, ...config } as Form
    const results = Object.entries(properties).map(([name, { validate }]) =>
      validate.call(typed, typed[name], {}),
    )
    return results.find((result) => result !== true)
  }
  return {
    ...defineNode(type, properties),
    inputLabels: () => translate('hint.input'),
    oneditprepare(this: Form) {
      fillMissing(this, properties)
      prepareOutput(this, type)
      prepareTopic()
      prepare?.(this)
      open = new ActionForm(this, (config) => findInvalid(this, config))
      showUsed(this, actionSchemas[type])
    },
    oneditsave: () => open?.save(),
  }
}
