import { DeviceSource } from './device-source'
import { fieldOf } from './fields'
import { findOnly } from './only-config'
import { type Form, translate } from './red'

/** Prepares the field for the account. @returns the devices of the chosen account */
export function prepareAccountField(form: Form): DeviceSource {
  const account = fieldOf(form, 'account')
  const onlyAccount = form.account ? undefined : findOnly('account', form)
  if (onlyAccount) account.val(onlyAccount)
  // Node-RED has replaced the field by a list.
  account.attr('aria-description', translate('hint.account'))
  const source = new DeviceSource(() => String(account.val() ?? ''))
  account.on('change', () => void source.load({ cached: true }))
  void source.load({ cached: true })
  return source
}
