import { nodeLabel } from '../../editor/node-label'
import { propertiesOf } from '../../editor/properties'
import { type Definition, type Form, translate } from '../../editor/red'
import { limitsSchema } from '../../shared/limits-schema'

const definition: Omit<Definition, 'category'> & ThisType<Form> = {
  defaults: {
    ...propertiesOf(limitsSchema),
    account: { value: '', type: 'envlog-account', required: true, label: translate('label.account') },
  },
  paletteLabel: () => translate('limits.label'),
  label() {
    return nodeLabel(this, translate('limits.label'))
  },
  labelStyle() {
    return this.name ? 'node_label_italic' : ''
  },
  inputLabels: () => translate('limits.input'),
  outputLabels: () => translate('limits.output'),
}
export default definition
