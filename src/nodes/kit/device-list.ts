import type { Account } from '../../lib/account'
import type { DirectoryAnswer } from '../../lib/collect/directory'
import type { Asker } from '../../lib/quota/asker'
import { type Reading, readCurrent } from '../../lib/readings/current'
import type { DeviceList, ListedDevice } from '../../shared/admin'

/** The account's devices, at most ten minutes old, or asked for anew. @throws EnvlogError */
export async function listDevices(account: Account, asker: Asker, anew: boolean): Promise<DeviceList> {
  return listOf(account, await account.directory.answer(asker, anew))
}

/** The same without asking for it; nothing where it is not known. */
export function knownDevices(account: Account): DeviceList | null {
  const answer = account.directory.known()
  return answer ? listOf(account, answer) : null
}

function listOf(account: Account, { body, receivedAt }: DirectoryAnswer): DeviceList {
  const { series1Models } = account
  const readings = readCurrent(body, { receivedAt, time: 'utc', staleAfter: null, series1Models })
  const { left, freeAt } = account.quota.counts().endpoints.current
  return { devices: readings.map(listed), receivedAt, left, freeAt }
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
    values: more.channels.map((channel) => ({
      name: channel.name,
      unit: channel.unit,
      value: channel.value,
      error: channel.error,
    })),
  }
}
