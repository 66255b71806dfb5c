import type { ActionType } from '../shared/action'
import { actionSchemas } from '../shared/action-schemas'
import { ActionForm } from './action-form'
import { defineNode } from './define-node'
import { fillMissing } from './fields'
import { NodeTrial } from './node-trial'
import { prepareOutput } from './output-form'
import { Preview } from './preview'
import { type FindProblem, findInvalid, propertiesOf, showUsed } from './properties'
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
  return {
    ...defineNode(type, properties),
    inputLabels: () => translate('hint.input'),
    oneditprepare(this: Form) {
      fillMissing(this, properties)
      prepareOutput(this, type)
      prepareTopic()
      prepare?.(this)
      open = new ActionForm(this, ({ form, source, page, read }) => {
        const trial = new NodeTrial(form, page, read, (config) => findInvalid(properties, form, config))
        return new Preview(form, source, page, read, trial)
      })
      showUsed(this, actionSchemas[type])
    },
    oneditsave: () => open?.save(),
  }
}
