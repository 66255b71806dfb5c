import type { Account } from './account'
import type { Clock } from './clock'
import type { Fault } from './faults/faults'
import type { DeviceDefinition } from './fleet/definition'
import type { Limits } from './limits'
import type { LogEntry } from './log'
import type { Variants } from './variants'

/** Options that can be changed while the simulator runs, by `set` or the control address. */
export interface RuntimeOptions {
  /** the suffix of the relay paths (docs/service.md, *Requests*); default `relay` */
  relaySuffix?: string
  /** overrides of the described limits, or `off`: limits that are never reached, also according to the headers */
  limits?: Limits | 'off'
  /** default `fixed` */
  windows?: 'fixed' | 'sliding'
  /** start of fixed windows: seconds after a multiple of their length (default 0), or at the `first` use */
  windowPhase?: number | 'first'
  /** whether a refused request counts in the window as well; default false */
  countRefused?: boolean
  /** refuse responses `exceeding` the remaining records budget (default), or only once it is `empty` */
  budgetRule?: 'exceeding' | 'empty'
  /** windows of limits run on the simulated time (default) or on real time */
  limitsClock?: 'simulated' | 'real'
  /** differences from the description; variants that are not named stay unchanged */
  variants?: Partial<Variants>
  /** replaces all faults */
  faults?: readonly Fault[]
  /** custom devices instead of the demo fleet; functions cannot be set through the control address */
  fleet?: readonly DeviceDefinition[]
}

export interface SimulatorOptions extends RuntimeOptions {
  /** default 0: any free port */
  port?: number
  /** default `envlog` */
  seed?: number | string
  /** size of the fleet, 0 to 5000; default: the demo fleet of 14 */
  devices?: number
  /** a report of `envlog-check --save`: serves its responses instead of a fleet's */
  replay?: unknown
  /** the demo fleet sends every ten seconds, with events in its first three minutes; default false */
  story?: boolean
  /** default: real time, or according to `speed` and `startTime` */
  clock?: Clock
  /** how many times faster than real time; 0 stands still */
  speed?: number
  /** the initial simulated time, ms since 1970; default now */
  startTime?: number
  /** replaces credentials derived from the seed */
  account?: Partial<Account>
  /** further users of the same devices, with separate windows */
  moreAccounts?: readonly Account[]
  /** size of the log, in requests; default 1000 */
  logSize?: number
  /** called for each request when its response is known */
  onRequest?: (entry: LogEntry) => void
}

export type Settings = Required<Omit<RuntimeOptions, 'fleet' | 'variants'>> & { variants: Variants }
