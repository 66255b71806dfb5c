import type { LimitsTable } from '../shared/limits'
import { type Client, type ClientPorts, type ClientSettings, createClient } from './api/client'
import { createDirectory, type Directory } from './collect/directory'
import { limitsWith } from './quota/limits'
import type { Quota } from './quota/quota'
import type { SharedQuotaStore } from './quota/shared/store'
import { accountKey, type Registry } from './registry'
import type { StateStore } from './state-store'

export interface AccountSettings extends ClientSettings {
  /** What users call the account; its host where it has no name. */
  name: string
  /** Requests at the same time; of several accounts with one api-key the smallest holds. */
  concurrency: number
  /** Beginnings of model names that use the first battery column. */
  series1Models: readonly string[]
  /** Replaces rows of the limits table until answers tell their own. */
  limits?: LimitsTable
}

export interface AccountPorts extends Omit<ClientPorts, 'quota'> {
  registry: Registry
  /** Whose secrets are only tried: who tries them learns nothing from what others have asked. */
  triedBy?: string | undefined
  /** Where spent places outlive the process. */
  store?: StateStore
  /** Opens the store of a quota that is shared with other processes, with the key of the account there. */
  openSharedStore?: (account: string) => SharedQuotaStore
  /** Called with whether the shared store is connected, and a code that says why it is not. */
  onSharedStoreChange?(isConnected: boolean, code?: string): void
}

/** One login at the service: what every action asks through. */
export interface Account {
  readonly name: string
  /** Tells it from other accounts, and nothing of its secrets. */
  readonly id: string
  readonly concurrency: number
  readonly series1Models: readonly string[]
  readonly client: Client
  readonly directory: Directory
  readonly quota: Quota
  /** Milliseconds since 1970 UTC. */
  now(): number
  /** Milliseconds since some instant. */
  monotonic(): number
  close(): Promise<void>
}

export function createAccount(settings: AccountSettings, ports: AccountPorts): Account {
  const { clock, store, openSharedStore, onSharedStoreChange = () => {} } = ports
  const { baseUrl, credentials, concurrency, series1Models, limits } = settings
  const { quota, directory } = ports.registry.getOrCreateShared(settings, ports.triedBy)
  const leave = quota.join({
    concurrency,
    limits: limitsWith(limits),
    store,
    openSharedStore: openSharedStore && (() => openSharedStore(accountKey(baseUrl, credentials.apiKey))),
    onSharedStoreChange,
  })
  const client = createClient(settings, { ...ports, quota })
  return {
    name: settings.name || new URL(baseUrl).host,
    id: accountKey(baseUrl, credentials.apiKey),
    concurrency,
    series1Models,
    client,
    directory: createDirectory(directory, (context) => client.read('current', {}, context), clock),
    quota,
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    async close() {
      await client.close()
      await leave()
    },
  }
}
