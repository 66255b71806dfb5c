import type { Account } from '../../../lib/account'
import type { DevicesResponse } from '../../../lib/collect/account-devices'
import type { UnreadableDevice } from '../../../lib/decode/current-device'
import { readCurrent } from '../../../lib/readings/current'
import { convertReading } from '../../../lib/readings/temperature'
import type { RequestContext } from '../../../lib/request'
import type { DeviceList, ListedDevice } from '../../../shared/admin'

/**
 * The devices of the account. The list may come from the cache and be up to ten minutes old, unless `refresh` is set.
 * With `cached`, no request is sent: the list is the cached one, regardless of its age, or `null` if there is none.
 * @throws EnvlogError if the request for current readings fails
 */
export async function listDevices(
  account: Account,
  requestContext: RequestContext,
  { cached, refresh }: Record<string, unknown>,
): Promise<DeviceList | null> {
  const { devices } = account
  const response =
    cached === true ? devices.response : await devices.fetchResponse(requestContext, refresh === true)
  return response ? toDeviceList(account, response) : null
}

function toDeviceList(account: Account, { body, receivedAt }: DevicesResponse): DeviceList {
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
