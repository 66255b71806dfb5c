import type { Account } from '../../lib/account'
import type { Unreadable } from '../../lib/api/fields'
import type { DirectoryAnswer } from '../../lib/collect/directory'
import type { RequestContext } from '../../lib/quota/types'
import { type Reading, readReadable } from '../../lib/readings/current'
import type { DeviceList, ListedDevice } from '../../shared/admin'

/** The account's devices, at most ten minutes old, or asked for anew. @throws EnvlogError */
export async function listDevices(
  account: Account,
  requestContext: RequestContext,
  anew: boolean,
): Promise<DeviceList> {
  return listOf(account, await account.directory.getAnswer(requestContext, anew))
}

/** The same without asking for it; nothing where it is not known. */
export function knownDevices(account: Account): DeviceList | null {
  const answer = account.directory.cachedAnswer()
  return answer ? listOf(account, answer) : null
}

function listOf(account: Account, { body, receivedAt }: DirectoryAnswer): DeviceList {
  const { series1Models } = account
  const options = { receivedAt, time: 'utc', staleAfter: null, series1Models } as const
  const { readings, unreadable } = readReadable(body, options)
  const { left, freeAt } = account.quota.counts().endpoints.current
  return { devices: [...readings.map(listed), ...unreadable.flatMap(unread)], receivedAt, left, freeAt }
}

/** A device whose reading cannot be read can be chosen all the same. */
function unread({ serial, known }: Unreadable): ListedDevice[] {
  if (!known) return []
  const { base, name, group } = known
  const about = { name: name || serial, model: '', base: { serial: base, name: '', model: '' }, group }
  return [{ serial, ...about, standalone: base === serial, timestamp: null, battery: null, values: [] }]
}

function listed({ serial, name, model, base, standalone, timestamp, ...more }: Reading): ListedDevice {
  return {
    serial,
    name,
    model,
    base,
    standalone,
    timestamp,
    group: more.group?.name ?? '',
    battery: more.battery.level,
    values: more.channels.map(({ name, unit, quantity, value, error }) => ({
      name,
      unit,
      quantity,
      value,
      error,
    })),
  }
}
