/** A simulated service and its state: options, clock, log, limits and faults. */
import { type Account, createAccount } from './account'
import { type MovableClock, runningClock } from './clock'
import { type EndpointName, endpointNames } from './endpoints'
import { errorBody } from './errors'
import { applyFaults, type Delivery } from './faults/effects'
import { type Fault, FaultPlan } from './faults/fault-plan'
import type { DeviceDefinition, DeviceEvent, EventDefinition } from './fleet/definition'
import { demoFleet } from './fleet/demo'
import { createDirectory, type Directory } from './fleet/directory'
import { isInProgress } from './fleet/event-effects'
import { createFleet } from './fleet/many'
import { storyFleet } from './fleet/story'
import { Meter } from './meter'
import { OptionError } from './option-error'
import { defaults, type RuntimeOptions, type Settings, type SimulatorOptions } from './options'
import { parseParameters, serialsIn } from './parameters'
import { Replay } from './replay'
import { type Counts, type LogEntry, RequestLog } from './request-log'
import { Service, type ServiceRequest, type ServiceResponse } from './service'
import { createTruth, type Truth } from './truth'

export interface Incoming {
  endpoint: EndpointName
  path: string
  headers: ServiceRequest['headers']
  body: Buffer
}

const withoutTimes = ({ kind, channel, minutes, code }: Omit<DeviceEvent, 'serial' | 'base'>) => ({
  kind,
  ...(channel !== undefined && { channel }),
  ...(minutes !== undefined && { minutes }),
  ...(code !== undefined && { code }),
})

/** Whether this event is in progress and has the same kind and channel as the other. */
function isSameInProgress(event: EventDefinition, other: DeviceEvent, now: number): boolean {
  const isSame = event.kind === other.kind && (event.channel ?? 1) === (other.channel ?? 1)
  return isSame && isInProgress(event, now)
}

export class SimulatedService {
  readonly account: Account
  readonly clock: MovableClock
  readonly truth: Truth
  readonly log: RequestLog
  settings: Settings
  readonly faults: FaultPlan
  private readonly seed: number | string
  private readonly startTime: number
  private readonly startSettings: Settings
  private readonly startFleet: readonly DeviceDefinition[]
  private fleet: readonly DeviceDefinition[]
  private directory: Directory
  private readonly meter: Meter
  private readonly service: Service

  constructor(private readonly options: SimulatorOptions) {
    this.seed = options.seed ?? 'envlog'
    this.account = { ...createAccount(this.seed), ...options.account }
    this.clock = options.clock ?? runningClock(options)
    this.startTime = this.clock.now()
    this.settings = withOptions(defaults, options)
    this.startSettings = this.settings
    const replay = options.replay === undefined ? undefined : new Replay(options.replay)
    this.startFleet = replay?.fleet ?? this.fleetAtStart()
    this.fleet = this.startFleet
    this.directory = this.buildDirectory()
    this.log = new RequestLog(options.logSize ?? 1000)
    this.meter = new Meter()
    this.meter.configure(this.settings)
    this.faults = new FaultPlan(this.seed, this.settings.faults)
    this.service = new Service(this.account, this.meter, this.directory, this.settings, replay)
    this.truth = createTruth(
      () => this.directory,
      () => this.clock.now(),
    )
  }

  set(options: RuntimeOptions): void {
    this.apply(withOptions(this.settings, options), options.fleet ?? this.fleet)
    if (options.faults) this.faults.configure(options.faults)
  }

  /** Restores the initial options, and clears log, counts and windows. The clock continues. */
  reset(): void {
    this.apply(this.startSettings, this.startFleet)
    this.faults.configure(this.startSettings.faults)
    this.meter.reset()
    this.log.clear()
  }

  /** Begins an event of a device, unless one of the same kind and channel is already in progress. */
  begin(event: DeviceEvent): void {
    const now = Math.floor(this.clock.now() / 1000)
    this.changeEvents(event, (events) =>
      events.some((current) => isSameInProgress(current, event, now))
        ? events
        : [...events, { ...withoutTimes(event), from: now }],
    )
  }

  /** Ends the events of a device that are in progress and have this kind and channel. */
  end(event: DeviceEvent): void {
    const now = Math.floor(this.clock.now() / 1000)
    this.changeEvents(event, (events) =>
      events.map((current) => (isSameInProgress(current, event, now) ? { ...current, until: now } : current)),
    )
  }

  /** The events in progress. */
  currentEvents(): DeviceEvent[] {
    const now = Math.floor(this.clock.now() / 1000)
    return this.fleet.flatMap(({ serial, base, events = [] }) =>
      events
        .filter((event) => isInProgress(event, now))
        .map((event) => ({ serial, ...(base && { base: base.serial }), ...withoutTimes(event) })),
    )
  }

  counts(): Counts {
    return this.log.counts()
  }

  /** Simulates requests of another client of the account. They count toward the limit and are reported as `foreign`. */
  spend(endpoint: EndpointName, count = 1): void {
    if (!endpointNames.includes(endpoint))
      throw new Error(`endpoint: expected one of ${endpointNames.join(', ')}`)
    this.meter.spend(endpoint, count, this.limitsNow())
    this.log.foreign(endpoint, count)
  }

  handle(incoming: Incoming): Delivery {
    const { endpoint, headers, body } = incoming
    const faults = this.faults.pick(endpoint, serialsIn(parseParameters(body) ?? {}))
    const counts = faults.every((fault) => fault.counts !== false)
    const request = { endpoint, headers, body, counts, now: this.clock.now(), limitsNow: this.limitsNow() }
    const response = this.service.respond(request)
    const complete = { how: 'complete', delay: 0 } as const
    const delivery = applyFaults(
      { ...complete, status: response.status, headers: response.headers, body: response.body },
      faults,
      (why, code) => Buffer.from(errorBody(why, '', this.settings.variants, code)),
    )
    this.logRequest(incoming, response, delivery, faults)
    return delivery
  }

  logWithoutEndpoint(path: string, status: number): void {
    const entry = { endpoint: null, path, params: {}, status, counted: false, over: false }
    this.add({ ...entry, time: this.clock.now(), remaining: null, records: 0, faults: [] })
  }

  private logRequest(
    incoming: Incoming,
    response: ServiceResponse,
    delivery: Delivery,
    faults: readonly Fault[],
  ): void {
    const { params, counted, over, remaining, records } = response
    this.add({
      time: this.clock.now(),
      endpoint: incoming.endpoint,
      path: incoming.path,
      params,
      status: delivery.status,
      counted,
      over,
      remaining,
      records,
      faults: faults.map((fault) => fault.kind),
    })
  }

  private add(entry: LogEntry): void {
    this.log.add(entry)
    this.options.onRequest?.(entry)
  }

  private apply(settings: Settings, fleet: readonly DeviceDefinition[]): void {
    if (fleet !== this.fleet) {
      this.directory = this.buildDirectory(fleet)
      this.fleet = fleet
    }
    this.settings = settings
    this.meter.configure(settings)
    this.service.configure(settings, this.directory)
  }

  private changeEvents(
    { serial, base }: DeviceEvent,
    change: (events: readonly EventDefinition[]) => readonly EventDefinition[],
  ): void {
    const device = this.fleet.find(
      (candidate) => candidate.serial === serial && candidate.base?.serial === base,
    )
    if (!device) throw new OptionError(`no device ${serial}${base === undefined ? '' : ` under ${base}`}`)
    const changedDevice = { ...device, events: change(device.events ?? []) }
    this.apply(
      this.settings,
      this.fleet.map((other) => (other === device ? changedDevice : other)),
    )
  }

  private buildDirectory(fleet = this.fleet): Directory {
    return createDirectory(fleet, this.seed, this.startTime)
  }

  private limitsNow(): number {
    return this.settings.limitsClock === 'real' ? Date.now() : this.clock.now()
  }

  private fleetAtStart(): readonly DeviceDefinition[] {
    const { fleet, devices, story } = this.options
    if (fleet) return fleet
    if (story) return storyFleet(this.startTime)
    return devices === undefined ? demoFleet(this.startTime) : createFleet(devices, this.seed, this.startTime)
  }
}

/** The settings, overridden by the given options. Variants are overridden one by one. */
function withOptions(settings: Settings, options: RuntimeOptions): Settings {
  const given = Object.entries(options).filter(([name, value]) => name in defaults && value !== undefined)
  const variants = { ...settings.variants, ...options.variants }
  return { ...settings, ...Object.fromEntries(given), variants }
}
