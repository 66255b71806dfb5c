import { prepareAlarms } from '../../editor/alarms-form'
import { defineNode } from '../../editor/define-node'
import { fillMissing, saveVariables } from '../../editor/fields'
import { propertiesOf, showUsed } from '../../editor/properties'
import { type Form, translate } from '../../editor/red'
import { alarmsSchema } from '../../shared/alarms-schema'

const properties = propertiesOf(alarmsSchema)

export default {
  ...defineNode('envlog-alarms', properties, {
    requires: { limits: { type: 'envlog-limits', label: 'limits.rows' } },
    searchWords: 'alarms.searchWords',
  }),
  inputLabels: () => translate('alarms.input'),
  oneditprepare(this: Form) {
    fillMissing(this, properties)
    prepareAlarms(this)
    showUsed(this, alarmsSchema)
  },
  oneditsave: () => saveVariables($('[id^=node-input-]')),
}
