import { prepareAccount } from '../../editor/account-form'
import { assignOnlyConfigs } from '../../editor/only-config'
import { propertiesOf } from '../../editor/properties'
import { type Form, translate } from '../../editor/red'
import { accountSchema, credentialsSchema } from '../../shared/account-schema'

const properties = propertiesOf(accountSchema)
const { apiKey, loginId, loginPass, sharedQuotaPassword } = propertiesOf(credentialsSchema)

assignOnlyConfigs()

export default {
  defaults: {
    ...properties,
    baseUrl: { ...properties.baseUrl, required: true, label: translate('label.baseUrl') },
    tls: { value: '', type: 'tls-config', required: false },
    proxy: { value: '', type: 'http proxy', required: false },
  },
  credentials: {
    apiKey: { type: 'password', validate: apiKey.validate },
    loginId: { type: 'text', validate: loginId.validate },
    loginPass: { type: 'password', validate: loginPass.validate },
    sharedQuotaPassword: { type: 'password', validate: sharedQuotaPassword.validate },
  },
  label(this: Form) {
    return this.name || String(this.baseUrl || translate('account.label'))
  },
  oneditprepare(this: Form) {
    prepareAccount(this)
  },
}
