import { fillMissing } from '../../editor/fields'
import { findLimitsProblem, LimitsForm } from '../../editor/limits/limits-form'
import { propertiesOf } from '../../editor/properties'
import { type Form, translate } from '../../editor/red'
import { limitsSchema } from '../../shared/limits-schema'

const properties = propertiesOf(limitsSchema, { limits: findLimitsProblem })

/** Node-RED shows only one form of these at a time. */
let open: LimitsForm | undefined

export default {
  defaults: {
    ...properties,
    account: { value: '', type: 'envlog-account', required: true, label: translate('label.account') },
  },
  label(this: Form) {
    return this.name || translate('limits.label')
  },
  oneditprepare(this: Form) {
    fillMissing(this, properties)
    open = new LimitsForm(this)
  },
  oneditsave: () => open?.save(),
}
