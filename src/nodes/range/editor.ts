import { prepareAction, saveAction } from '../../editor/action-form'
import { nodeLabel } from '../../editor/node-label'
import { prepareOutput } from '../../editor/output-form'
import { preparePeriod } from '../../editor/period'
import { translate } from '../../editor/red'
import {
  checkDevices,
  checkGroups,
  checkPeriodEnd,
  checkRepeat,
  checkSerials,
  checkWait,
  checkWhole,
} from '../../editor/validators'

RED.nodes.registerType('envlog-range', {
  category: 'envlog',
  color: '#A8D5C8',
  icon: 'range.svg',
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
    output: { value: 'readings' },
    send: { value: 'device' },
    chunk: { value: 1000, validate: (value, _options) => checkWhole(value, 1, 1_000_000) },
    measurement: { value: 'envlog' },
    fieldNames: { value: 'channel' },
    time: { value: 'utc' },
    from: {
      value: '-24h',
      validate(value, _options) {
        return checkPeriodEnd(this, 'from', value)
      },
    },
    fromType: { value: 'rel' },
    to: {
      value: '',
      validate(value, _options) {
        return checkPeriodEnd(this, 'to', value)
      },
    },
    toType: { value: 'date' },
    number: { value: '', validate: (value, _options) => checkWhole(value, 1, 1e9) },
    topic: { value: 'envlog/{base}/{serial}/{channel}' },
  },
  paletteLabel() {
    return this._('range.label')
  },
  label() {
    return nodeLabel(this, this._('range.label'))
  },
  labelStyle() {
    return this.name ? 'node_label_italic' : ''
  },
  inputLabels() {
    return this._('range.input')
  },
  outputLabels() {
    return this._('range.output')
  },
  oneditprepare() {
    prepareOutput(this, 'envlog-range')
    preparePeriod(this)
    prepareAction(this)
  },
  oneditsave() {
    saveAction(this)
  },
})
