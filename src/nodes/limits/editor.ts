import { defineNode } from '../../editor/define-node'
import { fillMissing } from '../../editor/fields'
import { findLimitsProblem, LimitsForm } from '../../editor/limits/limits-form'
import { propertiesOf } from '../../editor/properties'
import { type Form, translate } from '../../editor/red'
import { limitsSchema } from '../../shared/limits-schema'

/** Node-RED shows only one node's form at a time. */
let open: LimitsForm | undefined

const properties = propertiesOf(limitsSchema, { limits: findLimitsProblem })

export default {
  ...defineNode('envlog-limits', properties),
  inputLabels: () => translate('limits.input'),
  oneditprepare(this: Form) {
    fillMissing(this, properties)
    open = new LimitsForm(this)
  },
  oneditsave: () => open?.save(),
}
