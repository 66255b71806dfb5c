import type { Account } from '../../lib/account'
import type { Asker } from '../../lib/quota/asker'
import { type Reading, readCurrent } from '../../lib/readings/current'

/** A device as the picker shows it, so that a person recognises it. */
export interface ListedDevice
  extends Pick<Reading, 'serial' | 'name' | 'model' | 'base' | 'standalone' | 'timestamp'> {
  group: string
  battery: Reading['battery']['level']
  values: { name: string; unit: string; value: number | null; error: string | null }[]
}

export interface DeviceList {
  devices: ListedDevice[]
  /** When the list was asked for, ms since 1970 UTC. */
  receivedAt: number
  /** What asking anew would cost: requests of `current` that are left, and when more can be had. */
  left: number
  freeAt: number | null
}

/** The account's devices, at most ten minutes old. @throws EnvlogError */
export async function listDevices(account: Account, asker: Asker, anew: boolean): Promise<DeviceList> {
  const { body, receivedAt } = await account.directory.answer(asker, anew)
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
