import { prepareAccount } from '../../editor/account-form'
import { assignOnlyConfigs } from '../../editor/only-config'
import { propertiesOf } from '../../editor/properties'
import { translate } from '../../editor/red'
import { accountSchema, credentialsSchema } from '../../shared/account-schema'

const properties = propertiesOf(accountSchema)
const { apiKey, loginId, loginPass, sharedQuotaPassword } = propertiesOf(credentialsSchema)

assignOnlyConfigs()

// The type name must be a literal, because the flow library finds it without running this code.
RED.nodes.registerType('envlog-account', {
  category: 'config',
  defaults: {
    name: properties.name,
    version: properties.version,
    baseUrl: { ...properties.baseUrl, required: true, label: translate('label.baseUrl') },
    relaySuffix: properties.relaySuffix,
    timeout: properties.timeout,
    concurrency: properties.concurrency,
    retries: properties.retries,
    limits: properties.limits,
    timeZone: properties.timeZone,
    temperatureUnit: properties.temperatureUnit,
    series1Models: properties.series1Models,
    store: properties.store,
    sharedQuota: properties.sharedQuota,
    tls: { value: '', type: 'tls-config', required: false },
    proxy: { value: '', type: 'http proxy', required: false },
  },
  credentials: {
    apiKey: { type: 'password', validate: apiKey.validate },
    loginId: { type: 'text', validate: loginId.validate },
    loginPass: { type: 'password', validate: loginPass.validate },
    sharedQuotaPassword: { type: 'password', validate: sharedQuotaPassword.validate },
  },
  label() {
    return this.name || String(this.baseUrl || translate('account.label'))
  },
  oneditprepare() {
    prepareAccount(this)
  },
})
