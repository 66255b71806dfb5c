import { type ActionType, nameOfType } from '../shared/action'
import { actionSchemas } from '../shared/action-schemas'
import { findOnlyAccount } from './accounts'
import { ActionForm } from './action-form'
import { nodeLabel } from './node-label'
import { prepareOutput } from './output-form'
import { type FindProblem, propertiesOf } from './properties'
import { type Definition, type Form, translate } from './red'
import { prepareTopic } from './topic-form'

/** The parts in which the forms of action nodes differ. */
interface OwnParts {
  /** Prepares the parts of the form that only this node has. */
  prepare?(form: Form): void
  /** Validators for properties that the schema cannot validate completely. */
  findProblem?: Readonly<Record<string, FindProblem>>
}

/** Node-RED shows only one node's form at a time. */
let open: ActionForm | undefined

type ActionDefinition = Omit<Definition, 'category'> & ThisType<Form>

/**
 * The definition of an action node, with properties from its schema. The build registers it (scripts/build.ts), and
 * adds its position and appearance in the palette.
 */
export function defineAction(type: ActionType, { prepare, findProblem }: OwnParts = {}): ActionDefinition {
  const name = nameOfType(type)
  return {
    defaults: {
      ...propertiesOf(actionSchemas[type], findProblem),
      account: { value: '', type: 'envlog-account', required: true, label: translate('label.account') },
    },
    paletteLabel: () => translate(`${name}.label`),
    label() {
      return nodeLabel(this, translate(`${name}.label`))
    },
    labelStyle() {
      return this.name ? 'node_label_italic' : ''
    },
    inputLabels: () => translate('hint.input'),
    outputLabels: () => translate(`${name}.output`),
    onpaletteadd() {
      // The palette's search uses this label as well as the type, so the visible label can stay short.
      const words = [translate(`${name}.label`), translate('label.searchWords')]
      $(`.red-ui-palette-node[data-palette-type="${type}"]`).attr('data-palette-label', words.join(' '))
    },
    onadd() {
      if (!this.account && !RED.nodes.node(this.id)) this.account = findOnlyAccount(this) ?? ''
    },
    oneditprepare() {
      prepareOutput(this, type)
      prepareTopic()
      prepare?.(this)
      open = new ActionForm(this)
    },
    oneditsave: () => open?.save(),
  }
}
