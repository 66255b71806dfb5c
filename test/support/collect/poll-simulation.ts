import type { Account } from '../../../src/lib/account'
import type { Delivery } from '../../../src/lib/collect/fetch'
import { Filling } from '../../../src/lib/collect/fill'
import { type LostPeriod, MAX_HOLES } from '../../../src/lib/collect/holes'
import { type PollOptions, pollRecords } from '../../../src/lib/collect/poll'
import { readEnvelope } from '../../../src/lib/decode/envelopes'
import type { EndpointName } from '../../../src/lib/endpoints'
import { EnvlogError, type Reason } from '../../../src/lib/errors'
import { context, type Json, NO_LIST } from '../../unit/lib/responses'
import { createVirtualClock, type VirtualClock } from '../clock'
import { type DeviceProfile, MAX_PER_SECOND, type MeasuredRecord, SimulatedDevice, type Step } from './device'
import { createDeviceService } from './device-service'
import type { JournalEntry } from './journal'
import { nextTurn } from './recording-store'
import { createSimulatedNode, ProcessDied } from './simulated-node'

/** Settings of a node for new records. */
export type PollSettings = Pick<PollOptions, 'start' | 'backfill'>

/** Events during a request, and its result. */
export interface RequestPlan {
  fails: Reason | 'dies' | null
  /** Maximum number of records in a response, because the device's limit is nearly used up. */
  maxRecords: number
  /** Maximum number of records that the service sends, without saying so. */
  sendsAtMost: number
  /** Number of the last records that the answering replica lacks. */
  lag: number
  meanwhile: Act[]
}

export type Act =
  | { act: 'measure'; steps: Step[] }
  /**
   * @param dies whether the process ends as soon as it has delivered
   * @param stores whether a sink returns each receipt at once
   * @param storesLate whether it returns each receipt after some time
   */
  | { act: 'trigger'; requests: RequestPlan[]; dies: boolean; stores?: boolean; storesLate?: boolean }
  /** Another trigger arrives during the current one. */
  | { act: 'interrupt' }
  | { act: 'receipt'; back: number }
  | { act: 'pass'; ms: number }
  | { act: 'host'; behind: number }
  /** The device's clock is moved by this number of seconds. */
  | { act: 'clock'; by: number }
  | { act: 'forget' }
  | { act: 'deploy' }
  | { act: 'crash'; older: number }

export const plainRequest: RequestPlan = {
  fails: null,
  maxRecords: 16_000,
  sendsAtMost: 16_000,
  lag: 0,
  meanwhile: [],
}

/** The start of each run, ms since 1970 UTC. */
export const NOON = 1_795_161_600_000
type Query = Partial<Record<'number' | 'unixtime-from' | 'unixtime-to', number>>

/** More requests per trigger than any hole needs. */
const MAX_REQUESTS = 300
/** A page of a service that sends too little still has more than the records of one second. */
const MIN_PAGE = MAX_PER_SECOND + 1
/** Turns of the event loop after which a trigger that does nothing waits for a receipt. */
const IDLE_TURNS = 20

/** Responds to the requests of a trigger as planned. */
class PlannedResponses {
  plans: RequestPlan[] = []
  /** Number of requests of the trigger. */
  requests = 0
  /** How far the host's clock is behind, ms. */
  behind = 0

  constructor(
    private readonly profile: DeviceProfile,
    private readonly device: SimulatedDevice,
    private readonly time: VirtualClock,
    private readonly journal: JournalEntry[],
    private readonly perform: (act: Act) => Promise<void>,
  ) {}

  async read(endpoint: EndpointName, params: Json) {
    if (++this.requests > MAX_REQUESTS) throw new RangeError('it never ends')
    const plan = this.plans.shift() ?? plainRequest
    await Promise.resolve()
    if (plan.fails === 'dies') throw new ProcessDied()
    if (plan.fails) throw new EnvlogError(plan.fails, {}, { endpoint })
    const service = createDeviceService(this.profile, this.device)
    const { number: wanted = 0, 'unixtime-from': from = 0, 'unixtime-to': to = 0 } = params as Query
    const number = Math.min(wanted, plan.maxRecords)
    const isLatest = endpoint.startsWith('latest')
    const records = isLatest
      ? service.newest(plan.lag, Math.min(this.profile.newest, plan.sendsAtMost))
      : service.between(from, to, Math.min(number, Math.max(plan.sendsAtMost, MIN_PAGE)), plan.lag)
    const receivedAt = this.time.now() - this.behind
    this.journal.push(isLatest ? this.#answered(records, receivedAt, plan) : { kind: 'page' })
    for (const act of plan.meanwhile) await this.perform(act)
    const body = readEnvelope(endpoint, JSON.stringify(service.answer(records)))
    return { endpoint, body, receivedAt, quota: {}, ...(isLatest ? {} : { number }) }
  }

  #answered(records: MeasuredRecord[], receivedAt: number, { lag }: RequestPlan): JournalEntry {
    const { log } = this.device
    const [measured, stored] = [log.length, this.device.stored()]
    return { kind: 'answered', response: { records, stored, measured, receivedAt, isOld: lag > 0 } }
  }
}

/** Simulates a node, its device, a service and a sink, over several processes. */
export class PollSimulation {
  readonly journal: JournalEntry[] = []
  /** The periods of the reported losses. */
  readonly lost: (LostPeriod | undefined)[] = []
  readonly #options: PollOptions
  readonly #target: { serial: string; base: string }
  readonly #time = createVirtualClock(0, NOON + 123)
  readonly #device: SimulatedDevice
  readonly #node: ReturnType<typeof createSimulatedNode>
  readonly #responses: PlannedResponses
  #interrupt = new AbortController()

  constructor(profile: DeviceProfile, options: PollSettings, receiptTimeoutMs: number | null = null) {
    this.#options = { ...options, newest: profile.newest }
    this.#target = { serial: '5212A1B2', base: profile.standalone ? '5212A1B2' : '5839F001' }
    this.#device = new SimulatedDevice(profile, this.#time)
    this.#node = createSimulatedNode(this.#time, this.#key, receiptTimeoutMs, this.journal)
    const perform = (act: Act) => this.perform(act)
    this.#responses = new PlannedResponses(profile, this.#device, this.#time, this.journal, perform)
  }

  get log(): readonly MeasuredRecord[] {
    return this.#device.log
  }

  get cursor() {
    return this.#state.cursor
  }

  /** Whether there were so many holes that two may have become one. */
  hadManyHoles = false

  get hasHoles(): boolean {
    return this.#state.holes.length > 0
  }

  async perform<K extends Act['act']>(act: Extract<Act, { act: K }>): Promise<void> {
    await this.#node.nodeState().ready()
    // Changes that are due to be written are written before the next act.
    for (let turn = 0; turn < 3; turn++) await nextTurn()
    await this.#acts[act.act as K](act)
  }

  readonly #acts: { [K in Act['act']]: (act: Extract<Act, { act: K }>) => unknown } = {
    measure: ({ steps }) => {
      for (const step of steps) this.#device.measure(step)
    },
    trigger: (act) => this.#trigger(act),
    interrupt: () => this.#interrupt.abort(),
    receipt: ({ back }) => this.#node.receive(back),
    pass: ({ ms }) => this.#time.advance(ms),
    host: ({ behind }) => Object.assign(this.#responses, { behind }),
    clock: ({ by }) => this.#device.moveClock(by),
    forget: () => this.#node.forget(),
    deploy: () => this.#node.deploy(),
    crash: ({ older }) => this.#node.crash(older),
  }

  get #key(): string {
    return `${this.#target.base}/${this.#target.serial}`
  }

  get #state() {
    return this.#node.nodeState().devices.get(this.#key)
  }

  async #trigger({ requests, dies, stores, storesLate }: Extract<Act, { act: 'trigger' }>): Promise<void> {
    Object.assign(this.#responses, { plans: [...requests], requests: 0 })
    this.#interrupt = new AbortController()
    const run = this.#run(async (data) => {
      this.journal.push(toDelivered(data, this.log, this.#time.monotonic()))
      if (dies) throw new ProcessDied()
      if (stores) this.#node.receive(0)
    })
    const fill = async () => {
      const { awaited, poll } = run
      const round = { devices: [this.#target], awaited, busy: new Set<never>(), poll }
      if (this.#options.backfill) await new Filling(run, round, context).complete()
    }
    const isCompleted = await whileActive(this.#node.trigger(run.poll, fill), this.journal, {
      [IDLE_TURNS / 2]: () => storesLate && this.#node.receive(0),
      // A trigger that awaits a receipt ends with the next one.
      [IDLE_TURNS]: () => this.#interrupt.abort(),
    })
    this.hadManyHoles ||= this.#state.holes.length >= MAX_HOLES
    const stored = this.#device.stored()
    if (isCompleted) this.journal.push({ kind: 'completed', stored, requests: this.#responses.requests })
  }

  #run(deliver: (data: Delivery) => Promise<void>) {
    const [target, options] = [this.#target, this.#options]
    const isAwaiting = this.#state.receiptWait(this.#time.monotonic()) > 0
    const awaited = new Set(isAwaiting ? [this.#target] : [])
    const run = {
      awaited,
      async poll(): Promise<void> {
        await pollRecords(run, target, options, context)
        awaited.clear()
      },
      account: { client: this.#responses, devices: NO_LIST } as unknown as Account,
      nodeState: this.#node.nodeState(),
      nodeId: 'node',
      time: 'utc',
      deliver,
      interrupt: this.#interrupt.signal,
      newest: this.#options.newest as number,
      reportAhead() {},
      reportLoss: (_: unknown, period?: LostPeriod) => void this.lost.push(period),
      onFill() {},
      reportPage: (_: unknown, { reason }: EnvlogError) =>
        void this.journal.push({ kind: 'reported', reason }),
    } as const
    return run
  }
}

function toDelivered(data: Delivery, log: readonly MeasuredRecord[], at: number): JournalEntry {
  const { content, overflow: isOverflow = false, backfill: isBackfill = false, receipt } = data
  if (content.kind !== 'series') throw new TypeError(content.kind)
  const { records, gaps } = content.series
  const measured = records.map(({ ch1 }) => log[Number(ch1)] as MeasuredRecord)
  return { kind: 'delivered', records: measured, gaps, isOverflow, isBackfill, receipt, at }
}

/** Waits for a trigger. @param whenIdle called after so many turns of the event loop without an entry in the journal */
async function whileActive(
  triggered: Promise<boolean>,
  journal: readonly JournalEntry[],
  whenIdle: Readonly<Record<number, () => unknown>>,
): Promise<boolean> {
  let isOver = false
  const ended = triggered.finally(() => {
    isOver = true
  })
  let idle = 0
  let seen = journal.length
  while (!isOver) {
    await nextTurn()
    idle = journal.length === seen ? idle + 1 : 0
    seen = journal.length
    whenIdle[idle]?.()
  }
  return ended
}
