import { fillMissing } from '../../editor/fields'
import { findLimitsProblem, LimitsForm } from '../../editor/limits/limits-form'
import { propertiesOf } from '../../editor/properties'
import { translate } from '../../editor/red'
import { limitsSchema } from '../../shared/limits-schema'

const properties = propertiesOf(limitsSchema, { limits: findLimitsProblem })

/** Node-RED shows only one form of these at a time. */
let open: LimitsForm | undefined

// The type name must be a literal, because the flow library finds it without running this code.
RED.nodes.registerType('envlog-limits', {
  category: 'config',
  defaults: {
    name: properties.name,
    version: properties.version,
    account: { value: '', type: 'envlog-account', required: true, label: translate('label.account') },
    limits: properties.limits,
    limitsType: properties.limitsType,
    rows: properties.rows,
    errorAfter: properties.errorAfter,
    silentAfter: properties.silentAfter,
    battery: properties.battery,
    remind: properties.remind,
  },
  label() {
    return this.name || translate('limits.label')
  },
  oneditprepare() {
    fillMissing(this, properties)
    open = new LimitsForm(this)
  },
  oneditsave: () => open?.save(),
})
