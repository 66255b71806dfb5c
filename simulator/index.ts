/**
 * The cloud service, simulated on loopback.
 *
 *     const simulator = await startSimulator({ clock: manualClock(Date.UTC(2026, 0, 15)) })
 *     …requests to simulator.url with simulator.account…
 *     await simulator.close()
 */
import type { Account } from './account'
import type { MovableClock } from './clock'
import { createControl } from './control'
import type { EndpointName } from './endpoints'
import type { DeviceEvent } from './fleet/definition'
import { checkRuntimeOptions, checkStartOptions } from './option-checks'
import type { RuntimeOptions, Settings, SimulatorOptions } from './options'
import type { Counts, LogEntry } from './request-log'
import { listen } from './server'
import { SimulatedService } from './simulator'
import type { Truth } from './truth'

export interface Simulator {
  /** base address, `http://127.0.0.1:<port>` */
  readonly url: string
  readonly port: number
  readonly account: Account
  readonly clock: MovableClock
  readonly truth: Truth
  /** the newest requests, oldest first */
  readonly log: readonly LogEntry[]
  counts(): Counts
  set(options: RuntimeOptions): void
  /** the current options */
  readonly options: Settings
  /** restores the initial options and clears log, counts and windows */
  reset(): void
  /** begins an event of a device now */
  begin(event: DeviceEvent): void
  /** ends an event of a device now */
  end(event: DeviceEvent): void
  /** uses up requests, as if another client used the account */
  spend(endpoint: EndpointName, count?: number): void
  /** closes all connections and the server */
  close(): Promise<void>
}

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  checkStartOptions(options)
  const service = new SimulatedService(options)
  const server = await listen(service, createControl(service), options.port ?? 0)
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    account: service.account,
    clock: service.clock,
    truth: service.truth,
    get log() {
      return service.log.list()
    },
    counts: () => service.counts(),
    set: (changes) => {
      checkRuntimeOptions(changes)
      service.set(changes)
    },
    get options() {
      return service.settings
    },
    reset: () => service.reset(),
    begin: (event) => service.begin(event),
    end: (event) => service.end(event),
    spend: (endpoint, count) => service.spend(endpoint, count),
    close: () => server.close(),
  }
}

export type { Account } from './account'
export { type MovableClock, manualClock, runningClock } from './clock'
export { type EndpointName, endpointNames } from './endpoints'
export type { Fault, FaultKind } from './faults/fault-plan'
export type {
  AlertDefinition,
  BaseUnitDefinition,
  ChannelDefinition,
  CurrentDefinition,
  DeviceDefinition,
  DeviceEvent,
  DeviceKind,
  EventDefinition,
  GeneratedRecords,
  RecordDefinition,
  RecordValue,
  ZoneDefinition,
} from './fleet/definition'
export { type Signal, signals } from './fleet/signal'
export type { EndpointLimits, Limits } from './limits'
export type { RuntimeOptions, Settings, SimulatorOptions } from './options'
export type { Counts, EndpointCounts, LogEntry } from './request-log'
export type { TrueAlert, TrueDevice, TrueReading, TrueRecord, Truth } from './truth'
export type { Variants } from './variants'
