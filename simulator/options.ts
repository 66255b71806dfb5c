import type { Account } from './account'
import type { MovableClock } from './clock'
import type { Fault } from './faults/fault-plan'
import type { DeviceDefinition } from './fleet/definition'
import type { Limits } from './limits'
import type { LogEntry } from './request-log'
import { described, type Variants } from './variants'

/** Options that can be changed while the simulator runs, with `set` or at the control address. */
export interface RuntimeOptions {
  /** the suffix of the relay paths (docs/service.md, *Requests*); default `relay` */
  relaySuffix?: string
  /** override the described limits; `off`: limits that are never reached, and that the headers report */
  limits?: Limits | 'off'
  /** default `fixed` */
  windows?: 'fixed' | 'sliding'
  /** the clock for the windows of limits; default `simulated` */
  limitsClock?: 'simulated' | 'real'
  /** differences from the description; other variants remain unchanged */
  variants?: Partial<Variants>
  /** replace all current faults */
  faults?: readonly Fault[]
  /** your own devices instead of the demo fleet; functions cannot be set at the control address */
  fleet?: readonly DeviceDefinition[]
}

export interface SimulatorOptions extends RuntimeOptions {
  /** default 0, which selects a free port */
  port?: number
  /** default `envlog` */
  seed?: number | string
  /** size of the fleet, 0 to 5000; default: the demo fleet of 14 */
  devices?: number
  /** a report that `envlog-check --save` wrote; its responses are served instead of generated ones */
  replay?: unknown
  /** whether the demo fleet sends every ten seconds, with events in the first three minutes; default false */
  story?: boolean
  /** default: a clock that follows `speed` and `startTime` */
  clock?: MovableClock
  /** speed relative to real time; 0 stops the clock; default 1 */
  speed?: number
  /** the initial simulated time, ms since 1970; default now */
  startTime?: number
  /** replace credentials that are derived from the seed */
  account?: Partial<Account>
  /** size of the log, in requests; default 1000 */
  logSize?: number
  /** called for each request as soon as its response is known */
  onRequest?: (entry: LogEntry) => void
}

export type Settings = Required<Omit<RuntimeOptions, 'fleet' | 'variants'>> & { variants: Variants }

export const defaults: Settings = {
  relaySuffix: 'relay',
  limits: {},
  windows: 'fixed',
  limitsClock: 'simulated',
  variants: described,
  faults: [],
}
