import { defineNode } from '../../editor/define-node'
import { findLimitsProblem, LimitsForm } from '../../editor/limits/limits-form'
import { propertiesOf } from '../../editor/properties'
import { type Form, translate } from '../../editor/red'
import { limitsSchema } from '../../shared/limits-schema'

/** Node-RED shows only one node's form at a time. */
let open: LimitsForm | undefined

export default {
  ...defineNode('envlog-limits', propertiesOf(limitsSchema, { limits: findLimitsProblem })),
  inputLabels: () => translate('limits.input'),
  oneditprepare(this: Form) {
    open = new LimitsForm(this)
  },
  oneditsave: () => open?.save(),
}
