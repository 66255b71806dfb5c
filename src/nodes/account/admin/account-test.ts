import type { Account } from '../../../lib/account'
import { EnvlogError } from '../../../lib/errors'
import { isRemoteUnit } from '../../../lib/readings/device'
import type { RequestContext } from '../../../lib/request'
import type { AccountTestResult } from '../../../shared/admin'
import { readQuotaCounts } from './quota-counts'

/**
 * Tests the address and login with one request to `current`, and the relay suffix with one to `latest-data-relay` for a
 * remote unit. It never requests alerts, because few requests for alerts are allowed.
 * @throws EnvlogError if `current` fails
 */
export async function testAccount(
  account: Account,
  requestContext: RequestContext,
): Promise<AccountTestResult> {
  const { body } = await account.devices.fetchResponse(requestContext, true)
  const remote = body.devices.find(isRemoteUnit)
  return {
    devices: body.devices.length,
    relay: remote
      ? await testRelay(account, remote.serial, remote.baseunit?.serial ?? '', requestContext)
      : null,
    quota: readQuotaCounts(account),
  }
}

/**
 * Tests the relay suffix. It works even if the service refuses the device with a status other than 404, because the
 * service may refuse a device without records.
 */
async function testRelay(
  account: Account,
  serial: string,
  base: string,
  requestContext: RequestContext,
): Promise<AccountTestResult['relay']> {
  try {
    const fields = { 'remote-serial': serial, 'base-serial': base }
    await account.client.read('latest-data-relay', fields, requestContext)
    return { works: true }
  } catch (error) {
    if (!(error instanceof EnvlogError)) throw error
    const { reason, params } = error
    return reason === 'device-refused' ? { works: true } : { works: false, reason, params }
  }
}
