import type { Account } from '../../../lib/account'
import { EnvlogError } from '../../../lib/errors'
import type { RequestContext } from '../../../lib/quota/types'
import type { AccountTestResult } from '../../../shared/admin'

/**
 * Tests address and login with one `current`, and the relay suffix with one `latest-data` of a remote unit;
 * never an alert, of which there are few. @throws EnvlogError where `current` fails
 */
export async function testAccount(
  account: Account,
  requestContext: RequestContext,
): Promise<AccountTestResult> {
  const { body } = await account.directory.getAnswer(requestContext, true)
  const remote = body.devices.find(({ serial, baseunit }) => baseunit && baseunit.serial !== serial)
  return {
    devices: body.devices.length,
    relay: remote
      ? await tryRelay(account, remote.serial, remote.baseunit?.serial ?? '', requestContext)
      : null,
    quota: account.quota.counts(),
  }
}

/** A device that has no records is refused by the right path too: only a path that is not there is wrong. */
async function tryRelay(account: Account, serial: string, base: string, requestContext: RequestContext) {
  try {
    await account.client.read(
      'latest-data-relay',
      { 'remote-serial': serial, 'base-serial': base },
      requestContext,
    )
    return { works: true }
  } catch (error) {
    if (!(error instanceof EnvlogError)) throw error
    const isThere = error.reason === 'device-refused' && error.cause.status !== 404
    return isThere ? { works: true } : { works: false, reason: error.reason, params: error.params }
  }
}
