import type { Account } from './account'
import type { Clock } from './clock'
import type { Fault } from './faults'
import type { DeviceDefinition } from './fleet/definition'
import type { Limits } from './limits'
import type { LogEntry } from './log'
import type { Variants } from './variants'

/** What can be changed while the simulator runs, by `set` or the control address. */
export interface RuntimeOptions {
  /** the ending of the relay paths (docs/service.md, *Requests*); default `relay` */
  relaySuffix?: string
  /** overrides of the described limits, or `off`: limits that are never reached, as the headers report */
  limits?: Limits | 'off'
  /** default `fixed` */
  windows?: 'fixed' | 'sliding'
  /** where fixed windows begin: seconds after a multiple of their length (default 0), or at the `first` use */
  windowPhase?: number | 'first'
  /** whether a refused request counts in the window as well; default false */
  countRefused?: boolean
  /** refuse answers `exceeding` the rest of the records budget (default), or only once it is `empty` */
  budgetRule?: 'exceeding' | 'empty'
  /** windows of limits run on the simulated time (default) or on real time */
  limitsClock?: 'simulated' | 'real'
  /** differences from the description; those not named stay as they are */
  variants?: Partial<Variants>
  /** replaces all faults */
  faults?: readonly Fault[]
  /** devices of your own, instead of the demo fleet; not settable with functions over the control address */
  fleet?: readonly DeviceDefinition[]
}

export interface SimulatorOptions extends RuntimeOptions {
  /** default 0: any free port */
  port?: number
  /** default `envlog` */
  seed?: number | string
  /** size of the fleet, 0 to 5000; default: the demo fleet of 14 */
  devices?: number
  /** a report of `envlog-check --save`: serves its answers instead of those of a fleet */
  replay?: unknown
  /** the demo fleet sends every ten seconds, and something happens in its first three minutes; default false */
  story?: boolean
  /** default: real time, or as `speed` and `startTime` say */
  clock?: Clock
  /** how many times faster than real time; 0 stands still */
  speed?: number
  /** the simulated time at the start, ms since 1970; default now */
  startTime?: number
  /** replaces credentials made from the seed */
  account?: Partial<Account>
  /** further users of the same devices, each with separate windows */
  moreAccounts?: readonly Account[]
  /** size of the log, in requests; default 1000 */
  logSize?: number
  /** called for each request when its answer is known */
  onRequest?: (entry: LogEntry) => void
}

export type Settings = Required<Omit<RuntimeOptions, 'fleet' | 'variants'>> & { variants: Variants }
