import { prepareAction, saveAction } from '../../editor/action-form'
import { nodeLabel } from '../../editor/node-label'
import { prepareOutput } from '../../editor/output-form'
import { translate } from '../../editor/red'
import {
  checkDevices,
  checkGroups,
  checkRepeat,
  checkSerials,
  checkWait,
  checkWhole,
} from '../../editor/validators'

RED.nodes.registerType('envlog-current', {
  category: 'envlog',
  color: '#A8D5C8',
  icon: 'current.svg',
  inputs: 1,
  outputs: 1,
  defaults: {
    name: { value: '' },
    version: { value: 2 },
    account: {
      value: '',
      type: 'envlog-account',
      required: true,
      label: translate('label.account'),
    },
    select: { value: 'all' },
    devices: {
      value: [],
      validate(value, _options) {
        return checkDevices(this, value)
      },
    },
    bases: {
      value: [],
      validate(value, _options) {
        return checkSerials(value, this.select === 'base')
      },
    },
    groups: {
      value: [],
      validate(value, _options) {
        return checkGroups(value, this.select === 'group')
      },
    },
    property: { value: 'devices' },
    propertyType: { value: 'msg' },
    exclude: { value: [], validate: (value, _options) => checkSerials(value, false) },
    repeat: {
      value: 0,
      validate(value, _options) {
        return checkRepeat(this, value)
      },
    },
    wait: { value: '', validate: (value, _options) => checkWait(value) },
    onlyNew: { value: false },
    output: { value: 'readings' },
    send: { value: 'all' },
    measurement: { value: 'envlog' },
    fieldNames: { value: 'channel' },
    time: { value: 'utc' },
    topic: { value: 'envlog/{base}/{serial}/{channel}' },
    staleAfter: { value: '', validate: (value, _options) => checkWhole(value, 0, 1e9) },
  },
  paletteLabel() {
    return this._('current.label')
  },
  label() {
    return nodeLabel(this, this._('current.label'))
  },
  labelStyle() {
    return this.name ? 'node_label_italic' : ''
  },
  inputLabels() {
    return this._('current.input')
  },
  outputLabels() {
    return this._('current.output')
  },
  oneditprepare() {
    prepareOutput(this, 'envlog-current')
    prepareAction(this)
  },
  oneditsave() {
    saveAction(this)
  },
})
