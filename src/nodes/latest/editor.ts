import { prepareAction, saveAction } from '../../editor/action-form'
import { nodeLabel } from '../../editor/node-label'
import { prepareOnlyNew } from '../../editor/only-new-form'
import { prepareOutput } from '../../editor/output-form'
import { translate } from '../../editor/red'
import {
  checkAdvance,
  checkDevices,
  checkGroups,
  checkRepeat,
  checkSerials,
  checkStart,
  checkWait,
  checkWhole,
} from '../../editor/validators'

RED.nodes.registerType('envlog-latest', {
  category: 'envlog',
  color: '#A8D5C8',
  icon: 'latest.svg',
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
    onlyNew: { value: true },
    backfill: { value: true },
    start: { value: 'held', validate: (value, _options) => checkStart(value) },
    advance: {
      value: 'sent',
      validate(value, _options) {
        return checkAdvance(this, value)
      },
    },
    ackTimeout: { value: 600, validate: (value, _options) => checkWhole(value, 1, 2000000) },
    output: { value: 'readings' },
    send: { value: 'device' },
    measurement: { value: 'envlog' },
    fieldNames: { value: 'channel' },
    time: { value: 'utc' },
    topic: { value: 'envlog/{base}/{serial}/{channel}' },
  },
  paletteLabel() {
    return this._('latest.label')
  },
  label() {
    return nodeLabel(this, this._('latest.label'))
  },
  labelStyle() {
    return this.name ? 'node_label_italic' : ''
  },
  inputLabels() {
    return this._('latest.input')
  },
  outputLabels() {
    return this._('latest.output')
  },
  oneditprepare() {
    prepareOutput(this, 'envlog-latest')
    prepareOnlyNew(this, { withTime: true })
    prepareAction(this)
  },
  oneditsave() {
    saveAction(this)
  },
})
