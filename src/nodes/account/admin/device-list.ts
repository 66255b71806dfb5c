import type { Account } from '../../../lib/account'
import type { DevicesResponse } from '../../../lib/collect/account-devices'
import type { UnreadableDevice } from '../../../lib/decode/envelopes'
import { convertReading } from '../../../lib/readings/convert-temperatures'
import { readCurrent } from '../../../lib/readings/current'
import type { RequestContext } from '../../../lib/request'
import type { DeviceList, ListedDevice } from '../../../shared/admin'
import { registry } from '../../kit/state/process-registry'
import { readAccountSettings } from '../account-settings'
import type { ResolvedDraft } from './account-draft'

/**
 * The devices of the account. The list may come from the cache and be up to ten minutes old, unless `refresh` is set.
 * @throws EnvlogError if the request for current readings fails
 */
export async function listDevices(
  account: Account,
  requestContext: RequestContext,
  { refresh }: Record<string, unknown>,
): Promise<DeviceList> {
  return toDeviceList(account, await account.devices.fetchResponse(requestContext, refresh === true))
}

/**
 * The devices of the account in the cache, regardless of their age and without a request; `null` if there are none. The
 * account is not opened, because a user who may only look must not change what others use.
 * @throws EnvlogError `ENVLOG_CONFIG`
 */
export function listCachedDevices({ config, credentials, triedBy }: ResolvedDraft): DeviceList | null {
  const settings = readAccountSettings(config, credentials)
  const { quota, devices } = registry.findShared(settings, triedBy)
  return quota && devices?.response ? toDeviceList({ ...settings, quota }, devices.response) : null
}

/** What a list needs to know about the account. */
type Listing = Pick<Account, 'series1Models' | 'temperatureUnit' | 'quota'>

function toDeviceList(account: Listing, { body, receivedAt }: DevicesResponse): DeviceList {
  const { series1Models, temperatureUnit } = account
  const options = { receivedAt, time: 'utc', staleAfter: null, series1Models } as const
  const devices = [
    ...readCurrent(body, options).map((reading) => convertReading(reading, temperatureUnit)),
    ...body.unreadable.flatMap(fromUnreadable),
  ]
  const { left, freeAt } = account.quota.counts().endpoints.current
  return { devices, receivedAt, left, freeAt }
}

/** A device with an invalid reading can still be chosen if its base unit and names are known. */
function fromUnreadable({ serial, known }: UnreadableDevice): ListedDevice[] {
  if (!known) return []
  const { base, name, group } = known
  const unknown = { model: '', timestamp: null, battery: { level: 'unknown' }, channels: [] }
  return [
    {
      ...unknown,
      ...{ serial, name: name || serial, standalone: base === serial },
      base: { serial: base, name: '', model: '' },
      group,
    },
  ]
}
