import { leaveAccount, prepareAccount } from '../../editor/account-form'
import { translate } from '../../editor/red'
import {
  checkAccountNumber,
  checkAddress,
  checkCredential,
  checkLimits,
  checkRelaySuffix,
  checkSharedQuota,
} from '../../editor/validators'

RED.nodes.registerType('envlog-account', {
  category: 'config',
  defaults: {
    name: { value: '' },
    version: { value: 2 },
    baseUrl: {
      value: '',
      required: true,
      label: translate('account.baseUrl'),
      validate: (value, _options) => checkAddress(value),
    },
    relaySuffix: { value: 'relay', validate: (value, _options) => checkRelaySuffix(value) },
    timeout: { value: 30, validate: (value, _options) => checkAccountNumber('timeout', value) },
    concurrency: { value: 2, validate: (value, _options) => checkAccountNumber('concurrency', value) },
    retries: { value: 3, validate: (value, _options) => checkAccountNumber('retries', value) },
    limits: { value: '', validate: (value, _options) => checkLimits(value) },
    series1Models: { value: '' },
    store: { value: '' },
    sharedQuota: { value: '', validate: (value, _options) => checkSharedQuota(value) },
    tls: { value: '', type: 'tls-config', required: false },
    proxy: { value: '', type: 'http proxy', required: false },
  },
  credentials: {
    apiKey: { type: 'password', validate: (value, _options) => checkCredential('apiKey', value) },
    loginId: { type: 'text', validate: (value, _options) => checkCredential('loginId', value) },
    loginPass: { type: 'password', validate: (value, _options) => checkCredential('loginPass', value) },
    sharedQuotaPassword: { type: 'password' },
  },
  label() {
    return this.name || String(this.baseUrl || this._('account.label'))
  },
  oneditprepare() {
    prepareAccount(this)
  },
  oneditsave: leaveAccount,
  oneditcancel: leaveAccount,
  // Node-RED calls no other when the account is deleted from its form.
  oneditdelete: leaveAccount,
})
