import { TimeZone } from '../shared/local-clock'
import type { TemperatureUnit } from '../shared/quantity'
import type { LimitsTable } from '../shared/service-limits'
import { Client, type ClientPorts, type ClientSettings } from './api/client'
import { maxResponseSeconds } from './api/deadline'
import { AccountDevices } from './collect/account-devices'
import { limitsWith } from './quota/account-limits'
import type { OpenLedger } from './quota/ledger'
import { accountKey, type Registry } from './registry'

export interface AccountSettings extends ClientSettings {
  /** The account's name in messages; if blank, the host of the address. */
  name: string
  /** Concurrent requests. If accounts share an API key, the smallest value applies. */
  concurrency: number
  /** Prefixes of the models that use the first column of the battery table (docs/service.md). */
  series1Models: readonly string[]
  /** Time zone for local times; blank or absent for the offset of each device. */
  timeZone?: string
  /** Temperature unit; `null` or absent for the units that the service sends. */
  temperatureUnit?: TemperatureUnit | null
  /** Overrides rows of the table of limits until the service's headers report other limits. */
  limits?: LimitsTable
}

export interface AccountPorts extends Omit<ClientPorts, 'quota'> {
  registry: Registry
  /** The user who tests this login in the editor. Such an account does not see responses cached for others. */
  triedBy?: string | undefined
  /**
   * Shares the quota with other processes.
   * @param account identifies the account by a hash
   * @param leaseMs maximum time of a request in flight, after which its process counts as dead
   */
  shareQuota?(account: string, leaseMs: number): OpenLedger
  /** Called when its connection is established or lost; `code` is the reason if there is none. */
  onSharedChange?(isConnected: boolean, code?: string): void
}

/** One login to the service; nodes send their requests through it. */
export type Account = Readonly<ReturnType<typeof createAccount>>

export function createAccount(settings: AccountSettings, ports: AccountPorts) {
  const { clock, onSharedChange = () => {} } = ports
  const { baseUrl, credentials, concurrency, series1Models, limits } = settings
  const { quota, devices } = ports.registry.getOrCreateShared(settings, ports.triedBy)
  const id = accountKey(baseUrl, credentials.apiKey)
  const openLedger = ports.shareQuota?.(id, maxResponseSeconds(settings.timeout) * 1000)
  const leave = quota.join({ concurrency, limits: limitsWith(limits), openLedger, onSharedChange })
  const client = new Client(settings, { ...ports, quota })
  return {
    name: settings.name || new URL(baseUrl).host,
    /** A hash that identifies the account without revealing its secrets. */
    id,
    concurrency,
    series1Models,
    /** Time zone for local times; `local` for the offset of each device. */
    localTime: settings.timeZone ? new TimeZone(settings.timeZone) : ('local' as const),
    /** `null` for the units that the service sends. */
    temperatureUnit: settings.temperatureUnit ?? null,
    client,
    devices: new AccountDevices(devices, (context) => client.read('current', {}, context), clock),
    quota,
    /** Milliseconds since 1970 UTC. */
    now: () => clock.now(),
    /** Milliseconds since an arbitrary instant; never jumps. */
    monotonic: () => clock.monotonic(),
    async close() {
      await client.close()
      leave()
    },
  }
}
