import type { Account } from '../../../src/lib/account'
import type { PolledData } from '../../../src/lib/collect/fetch'
import { pollRecords } from '../../../src/lib/collect/poll'
import { readEnvelope } from '../../../src/lib/decode/envelopes'
import type { EndpointName } from '../../../src/lib/endpoints'
import { EnvlogError, type Reason } from '../../../src/lib/errors'
import type { RequestContext } from '../../../src/lib/request'
import { context, type Json } from '../../unit/lib/responses'
import { createVirtualClock } from '../clock'
import { createDevice, type DeviceProfile, type MeasuredRecord, type Step } from './device'
import { createDeviceService } from './device-service'
import type { JournalEntry } from './journal'
import type { PollSettings } from './oracle'
import { nextTurn } from './recording-store'
import { createSimulatedNode, ProcessDied } from './simulated-node'

/** Events during a request, and its result. */
export interface RequestPlan {
  fails: Reason | 'dies' | null
  /** Maximum number of records in a response, because the device's limit is nearly used up. */
  maxRecords: number
  meanwhile: Act[]
}

export type Act =
  | { act: 'measure'; steps: Step[] }
  /** @param dies whether the process ends as soon as it has delivered */
  | { act: 'trigger'; requests: RequestPlan[]; dies: boolean }
  | { act: 'receipt'; back: number }
  | { act: 'pass'; ms: number }
  | { act: 'host'; behind: number }
  /** The device's clock is moved by this number of seconds. */
  | { act: 'clock'; by: number }
  | { act: 'forget' }
  | { act: 'deploy' }
  | { act: 'crash'; older: number }

/** The start of each run, ms since 1970 UTC. */
export const NOON = 1_795_161_600_000
type Query = Partial<Record<'number' | 'unixtime-from' | 'unixtime-to', number>>

/** More requests per trigger than any backfill needs. */
const MAX_REQUESTS = 300

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
  /** How long each request may wait for records of the device. */
  const maxRecordsWaits: (number | undefined)[] = []
  let requestPlans: RequestPlan[] = []
  let requests = 0
  /** How far the host's clock is behind, ms. */
  let behind = 0

  async function read(endpoint: EndpointName, params: Json, { maxRecordsWaitMs }: RequestContext) {
    maxRecordsWaits.push(maxRecordsWaitMs)
    if (++requests > MAX_REQUESTS) throw new RangeError('it never ends')
    const { fails, maxRecords, meanwhile } = requestPlans.shift() ?? {
      fails: null,
      maxRecords: 16_000,
      meanwhile: [],
    }
    await Promise.resolve()
    if (fails === 'dies') throw new ProcessDied()
    if (fails) throw new EnvlogError(fails)
    const isLatest = endpoint.startsWith('latest')
    const { number: wanted = 0, 'unixtime-from': from = 0, 'unixtime-to': to = 0 } = params as Query
    const number = Math.min(wanted, maxRecords)
    const records = isLatest ? service.newest() : service.between(from, to, number)
    const receivedAt = time.now() - behind
    if (isLatest)
      journal.push({ kind: 'answered', response: { records, stored: device.stored(), receivedAt } })
    for (const act of meanwhile) await perform(act)
    const body = readEnvelope(endpoint, JSON.stringify(service.answer(records)))
    return { endpoint, body, receivedAt, quota: {}, ...(isLatest ? {} : { number }) }
  }
  const account = { monotonic: () => time.monotonic(), client: { read } } as unknown as Account

  function deliver({ content, overflow = false, receipt }: PolledData): void {
    if (content.kind !== 'series') throw new TypeError(content.kind)
    const { records, gaps } = content.series
    const measured = records.map(({ ch1 }) => device.log[Number(ch1)] as MeasuredRecord)
    journal.push({
      kind: 'delivered',
      records: measured,
      gaps,
      isOverflow: overflow,
      receipt,
      at: time.monotonic(),
    })
  }

  async function poll(dies: boolean): Promise<void> {
    const sink = async (data: PolledData) => {
      deliver(data)
      if (dies) throw new ProcessDied()
    }
    const run = { account, nodeState: node.nodeState(), nodeId: 'node', time: 'utc', deliver: sink } as const
    await pollRecords(run, target, { ...options, newest: profile.newest }, context)
  }

  async function trigger({ requests: planned, dies }: Extract<Act, { act: 'trigger' }>): Promise<void> {
    requestPlans = [...planned]
    requests = 0
    if (await node.trigger(() => poll(dies)))
      journal.push({ kind: 'completed', stored: device.stored(), requests })
  }

  async function perform(act: Act): Promise<void> {
    await node.nodeState().ready()
    // Changes by an act are written before the next one.
    await nextTurn()
    if (act.act === 'measure') act.steps.forEach(device.measure)
    else if (act.act === 'trigger') await trigger(act)
    else if (act.act === 'receipt') node.receive(act.back)
    else if (act.act === 'pass') time.advance(act.ms)
    else if (act.act === 'host') behind = act.behind
    else if (act.act === 'clock') device.moveClock(act.by)
    else if (act.act === 'forget') node.forget()
    else if (act.act === 'deploy') await node.deploy()
    else await node.crash(act.older)
  }

  return { journal, log: device.log, maxRecordsWaits, perform }
}

export type PollSimulation = ReturnType<typeof createPollSimulation>
