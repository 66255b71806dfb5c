/** One simulated service with its state: options, clock, log, limits and faults. */
import { type Account, accountFor } from './account'
import { type MovableClock, movable, runningClock } from './clock'
import { type EndpointName, endpointNames } from './endpoints'
import { errorBody } from './errors'
import { applyFaults, type Delivery } from './faults/effects'
import { type Fault, FaultPlan } from './faults/faults'
import type { DeviceDefinition, EventDefinition, Happening } from './fleet/definition'
import { demoFleet } from './fleet/demo'
import { type Directory, directoryOf } from './fleet/directory'
import { isInProgress } from './fleet/event-effects'
import { fleetOf } from './fleet/many'
import { storyFleet } from './fleet/story'
import { type Counts, type LogEntry, RequestLog } from './log'
import { Meter } from './meter'
import { OptionError } from './option-error'
import type { RuntimeOptions, Settings, SimulatorOptions } from './options'
import { namedSerials, type Parameters } from './parameters'
import { replayOf } from './replay'
import { type Answer, Service, type ServiceRequest } from './service'
import { type Truth, truthOf } from './truth'
import { described } from './variants'

const defaults: Settings = {
  relaySuffix: 'relay',
  limits: {},
  windows: 'fixed',
  windowPhase: 0,
  countRefused: false,
  budgetRule: 'exceeding',
  limitsClock: 'simulated',
  variants: described,
  faults: [],
}

export interface Incoming {
  endpoint: EndpointName
  path: string
  headers: ServiceRequest['headers']
  body: Buffer
}

const eventOf = ({ kind, channel, code }: Pick<EventDefinition, 'kind' | 'channel' | 'code'>) => ({
  kind,
  ...(channel !== undefined && { channel }),
  ...(code !== undefined && { code }),
})

/** Whether an event of this kind, at the same door, is in progress. */
function isLike(event: EventDefinition, other: Omit<EventDefinition, 'from'>, now: number): boolean {
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
    this.account = { ...accountFor(this.seed), ...options.account }
    this.clock = options.clock ? movable(options.clock) : runningClock(options)
    this.startTime = this.clock.now()
    this.settings = withOptions(defaults, options)
    this.startSettings = this.settings
    const replay = options.replay === undefined ? undefined : replayOf(options.replay)
    this.startFleet = replay?.fleet ?? this.fleetAtStart()
    this.fleet = this.startFleet
    this.directory = this.directoryNow()
    this.log = new RequestLog(options.logSize ?? 1000)
    this.meter = new Meter(this.settings)
    this.faults = new FaultPlan(this.seed, this.settings.faults)
    const accounts = [this.account, ...(options.moreAccounts ?? [])]
    this.service = new Service(accounts, this.meter, this.directory, this.settings, replay)
    this.truth = truthOf(
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

  /** An event of a device begins now; nothing changes if such an event is in progress. */
  begin(happening: Happening): void {
    const now = Math.floor(this.clock.now() / 1000)
    this.change(happening, (events) =>
      events.some((event) => isLike(event, happening, now))
        ? events
        : [...events, { ...eventOf(happening), from: now }],
    )
  }

  /** Ends an event of a device. */
  end(happening: Happening): void {
    const now = Math.floor(this.clock.now() / 1000)
    this.change(happening, (events) =>
      events.map((event) => (isLike(event, happening, now) ? { ...event, until: now } : event)),
    )
  }

  /** The current events. */
  happening(): Happening[] {
    const now = Math.floor(this.clock.now() / 1000)
    return this.fleet.flatMap(({ serial, base, events = [] }) =>
      events
        .filter((event) => isLike(event, event, now))
        .map((event) => ({ serial, ...(base && { base: base.serial }), ...eventOf(event) })),
    )
  }

  counts(): Counts {
    return this.log.counts()
  }

  /** Simulates requests by another client of the account: they count in the window, and as `foreign`. */
  spend(endpoint: EndpointName, count = 1): void {
    if (!endpointNames.includes(endpoint))
      throw new Error(`endpoint: expected one of ${endpointNames.join(', ')}`)
    this.meter.spend(this.account.loginId, endpoint, count, this.limitsNow())
    this.log.foreign(endpoint, count)
  }

  handle(incoming: Incoming): Delivery {
    const { endpoint, headers, body } = incoming
    const faults = this.faults.pick(endpoint, namedSerials(peek(body)))
    const counts = faults.every((fault) => fault.counts !== false)
    const request = { endpoint, headers, body, counts, now: this.clock.now(), limitsNow: this.limitsNow() }
    const answer = this.service.answer(request)
    const whole = { how: 'whole', delay: 0, share: 1, pause: 0, piece: 1 } as const
    const { status } = answer
    const delivery = applyFaults(
      { ...whole, status, headers: answer.headers, body: answer.body },
      faults,
      (why, code) => Buffer.from(errorBody(why, '', this.settings.variants, code)),
    )
    this.note(incoming, answer, delivery, faults)
    return delivery
  }

  noteUnknown(path: string, status: number): void {
    const entry = { endpoint: null, path, user: null, params: {}, status, counted: false, over: false }
    this.add({ ...entry, time: this.clock.now(), remaining: null, records: 0, faults: [] })
  }

  private note(incoming: Incoming, answer: Answer, delivery: Delivery, faults: readonly Fault[]): void {
    const { user, params, counted, over, remaining, records } = answer
    this.add({
      time: this.clock.now(),
      endpoint: incoming.endpoint,
      path: incoming.path,
      user,
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
      this.directory = this.directoryNow(fleet)
      this.fleet = fleet
    }
    this.settings = settings
    this.meter.configure(settings)
    this.service.configure(settings, this.directory)
  }

  private change(
    { serial, base }: Happening,
    changeEvents: (events: readonly EventDefinition[]) => readonly EventDefinition[],
  ): void {
    const device = this.fleet.find((each) => each.serial === serial && each.base?.serial === base)
    if (!device) throw new OptionError(`no device ${serial}${base === undefined ? '' : ` under ${base}`}`)
    const changedDevice = { ...device, events: changeEvents(device.events ?? []) }
    this.apply(
      this.settings,
      this.fleet.map((each) => (each === device ? changedDevice : each)),
    )
  }

  private directoryNow(fleet = this.fleet): Directory {
    return directoryOf(fleet, this.seed, this.startTime)
  }

  private limitsNow(): number {
    return this.settings.limitsClock === 'real' ? Date.now() : this.clock.now()
  }

  private fleetAtStart(): readonly DeviceDefinition[] {
    const { fleet, devices, story } = this.options
    if (fleet) return fleet
    if (story) return storyFleet(this.startTime)
    return devices === undefined ? demoFleet(this.startTime) : fleetOf(devices, this.seed, this.startTime)
  }
}

/** Settings with the given options replaced; variants individually. */
function withOptions(settings: Settings, options: RuntimeOptions): Settings {
  const given = Object.entries(options).filter(([name, value]) => name in defaults && value !== undefined)
  const variants = { ...settings.variants, ...options.variants }
  return { ...settings, ...Object.fromEntries(given), variants }
}

function peek(body: Buffer): Parameters {
  try {
    return (JSON.parse(body.toString()) as Parameters | null) ?? {}
  } catch {
    return {}
  }
}
