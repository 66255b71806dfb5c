import type { Account } from '../../../src/lib/account'
import type { Delivery } from '../../../src/lib/collect/fetch'
import { fillHoles } from '../../../src/lib/collect/fill'
import type { LostPeriod } from '../../../src/lib/collect/holes'
import { type PollOptions, pollRecords } from '../../../src/lib/collect/poll'
import { readEnvelope } from '../../../src/lib/decode/envelopes'
import type { EndpointName } from '../../../src/lib/endpoints'
import { EnvlogError, type Reason } from '../../../src/lib/errors'
import { context, type Json } from '../../unit/lib/responses'
import { createVirtualClock } from '../clock'
import { createDevice, type DeviceProfile, MAX_PER_SECOND, type MeasuredRecord, type Step } from './device'
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

/** Simulates a node, its device, a service and a sink, over several processes. */
export function createPollSimulation(
  profile: DeviceProfile,
  options: PollSettings,
  receiptTimeoutMs: number | null = null,
) {
  const target = { serial: '5212A1B2', base: profile.standalone ? '5212A1B2' : '5839F001' }
  const key = `${target.base}/${target.serial}`
  const time = createVirtualClock(0, NOON + 123)
  const device = createDevice(profile, time)
  const service = createDeviceService(profile, device)
  const journal: JournalEntry[] = []
  const node = createSimulatedNode(time, key, receiptTimeoutMs, journal)
  let requestPlans: RequestPlan[] = []
  let requests = 0
  let interrupt = new AbortController()
  const lost: (LostPeriod | undefined)[] = []
  /** How far the host's clock is behind, ms. */
  let behind = 0

  async function read(endpoint: EndpointName, params: Json) {
    if (++requests > MAX_REQUESTS) throw new RangeError('it never ends')
    const { fails, maxRecords, sendsAtMost, lag, meanwhile } = requestPlans.shift() ?? plainRequest
    await Promise.resolve()
    if (fails === 'dies') throw new ProcessDied()
    const isLatest = endpoint.startsWith('latest')
    if (fails) throw new EnvlogError(fails, {}, { endpoint })
    const { number: wanted = 0, 'unixtime-from': from = 0, 'unixtime-to': to = 0 } = params as Query
    const number = Math.min(wanted, maxRecords)
    const records = isLatest
      ? service.newest(lag, Math.min(profile.newest, sendsAtMost))
      : service.between(from, to, Math.min(number, Math.max(sendsAtMost, MIN_PAGE)), lag)
    const receivedAt = time.now() - behind
    const measured = device.log.length
    const stored = device.stored()
    if (isLatest)
      journal.push({ kind: 'answered', response: { records, stored, measured, receivedAt, isOld: lag > 0 } })
    else journal.push({ kind: 'page' })
    for (const act of meanwhile) await perform(act)
    const body = readEnvelope(endpoint, JSON.stringify(service.answer(records)))
    return { endpoint, body, receivedAt, quota: {}, ...(isLatest ? {} : { number }) }
  }
  const account = { client: { read } } as unknown as Account

  function deliver({ content, overflow = false, backfill = false, receipt }: Delivery): void {
    if (content.kind !== 'series') throw new TypeError(content.kind)
    const { records, gaps } = content.series
    const measured = records.map(({ ch1 }) => device.log[Number(ch1)] as MeasuredRecord)
    const [isOverflow, isBackfill, at] = [overflow, backfill, time.monotonic()]
    journal.push({ kind: 'delivered', records: measured, gaps, isOverflow, isBackfill, receipt, at })
  }

  async function trigger({ requests: planned, dies, stores, storesLate }: Extract<Act, { act: 'trigger' }>) {
    requestPlans = [...planned]
    requests = 0
    interrupt = new AbortController()
    const sink = async (data: Delivery) => {
      deliver(data)
      if (dies) throw new ProcessDied()
      if (stores) node.receive(0)
    }
    const isAwaiting = node.nodeState().devices.get(key).receiptWait(time.monotonic()) > 0
    const run = {
      awaited: new Set(isAwaiting ? [target] : []),
      poll: () => poll(),
      account,
      nodeState: node.nodeState(),
      nodeId: 'node',
      time: 'utc',
      deliver: sink,
      interrupt: interrupt.signal,
      newest: profile.newest,
      reportLoss: (_: unknown, period?: LostPeriod) => void lost.push(period),
      onFill() {},
      onFillWait() {},
      reportPage: (_: unknown, { reason }: EnvlogError) => void journal.push({ kind: 'reported', reason }),
    } as const
    const poll = () => pollRecords(run, target, { ...options, newest: profile.newest }, context)
    const fill = () => (options.backfill ? fillHoles(run, [target], context) : Promise.resolve())
    let isOver = false
    const triggered = node.trigger(poll, fill).finally(() => {
      isOver = true
    })
    // A trigger that awaits a receipt ends with the next one.
    let idle = 0
    let seen = journal.length
    while (!isOver) {
      await nextTurn()
      idle = journal.length === seen ? idle + 1 : 0
      seen = journal.length
      if (idle === IDLE_TURNS / 2 && storesLate) node.receive(0)
      if (idle === IDLE_TURNS) interrupt.abort()
    }
    if (await triggered) journal.push({ kind: 'completed', stored: device.stored(), requests })
  }

  async function perform(act: Act): Promise<void> {
    await node.nodeState().ready()
    // Changes that are due to be written are written before the next act.
    for (let turn = 0; turn < 3; turn++) await nextTurn()
    if (act.act === 'measure') act.steps.forEach(device.measure)
    else if (act.act === 'trigger') await trigger(act)
    else if (act.act === 'interrupt') interrupt.abort()
    else if (act.act === 'receipt') node.receive(act.back)
    else if (act.act === 'pass') time.advance(act.ms)
    else if (act.act === 'host') behind = act.behind
    else if (act.act === 'clock') device.moveClock(act.by)
    else if (act.act === 'forget') node.forget()
    else if (act.act === 'deploy') await node.deploy()
    else await node.crash(act.older)
  }

  return {
    journal,
    /** The periods of the reported losses. */
    lost,
    log: device.log,
    perform,
    cursor: () => node.nodeState().devices.get(key).cursor,
    hasHoles: () => node.nodeState().devices.get(key).holes.length > 0,
  }
}

export type PollSimulation = ReturnType<typeof createPollSimulation>
