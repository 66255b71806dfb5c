import { type Client, type ClientPorts, type ClientSettings, createClient } from './api/client'
import { createDirectory, type Directory } from './collect/directory'

export interface AccountSettings extends ClientSettings {
  /** What users call the account; its host where it has no name. */
  name: string
  /** Beginnings of model names that use the first battery column. */
  series1Models: readonly string[]
}

/** One login at the service: what every action asks through. */
export interface Account {
  readonly name: string
  readonly concurrency: number
  readonly series1Models: readonly string[]
  readonly client: Client
  readonly directory: Directory
  now(): number
  close(): Promise<void>
}

export function createAccount(settings: AccountSettings, ports: ClientPorts): Account {
  const client = createClient(settings, ports)
  const directory = createDirectory(
    async (signal) => (await client.read('current', {}, signal)).body,
    ports.clock,
  )
  return {
    name: settings.name || new URL(settings.baseUrl).host,
    concurrency: settings.concurrency,
    series1Models: settings.series1Models,
    client,
    directory,
    now: () => ports.clock.now(),
    close: () => client.close(),
  }
}
