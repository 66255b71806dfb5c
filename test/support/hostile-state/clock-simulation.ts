/** Simulates a device, its service and a host, each with its own clock that can be changed at any time. */
import { createAccount } from '../../../src/lib/account'
import type { PolledData } from '../../../src/lib/collect/fetch'
import { NodeState } from '../../../src/lib/collect/node-state'
import { pollRecords } from '../../../src/lib/collect/poll'
import { MAX_LATEST_RECORDS } from '../../../src/lib/endpoints'
import { EnvlogError } from '../../../src/lib/errors'
import { Registry } from '../../../src/lib/registry'
import { graph, patient, relayGraph } from '../../unit/lib/responses'
import { createVirtualClock } from '../clock'
import { createRecordingStore } from '../collect/recording-store'
import { type RecordOrder, selectRecords, sortRecords } from '../collect/selection'
import { fakeTransport, json } from '../fake-transport'

export interface ClockProfile {
  standalone: boolean
  ids: 'counted' | 'zero' | 'absent'
  firstId: number
  /** Seconds between two records. */
  interval: number
  /** Which records count as the newest. */
  newestBy: 'time' | 'arrival'
  inclusive: boolean
  order: RecordOrder
  /** Records per hour: a larger backfill takes several triggers. */
  recordsPerHour: number
}

export interface ClockedRecord {
  seq: number
  /** Seconds, by the device's clock. */
  unixtime: number
  id: number
}

export type ClockAct =
  | { act: 'measure'; count: number }
  /** Records that are measured now, but arrive after newer ones. */
  | { act: 'hold'; count: number }
  | { act: 'release' }
  /** The device's clock is moved by this number of seconds. */
  | { act: 'device'; by: number }
  /** The error of the host's clock from now on, ms. */
  | { act: 'host'; off: number }
  /** Daylight saving time starts or ends. */
  | { act: 'saving' }
  | { act: 'restart' }
  | { act: 'deploy' }
  /** @param meanwhile acts before the second request, before the third, … */
  | { act: 'poll'; meanwhile: ClockAct[] }

/** The events of a run, in order. */
export type ClockEvent =
  | { kind: 'answered'; at: number; records: ClockedRecord[]; stored: ClockedRecord[] }
  | {
      kind: 'delivered'
      seqs: number[]
      times: number[]
      texts: string[]
      overflow: boolean
      offset: number | null
    }
  | { kind: 'failed'; code: string }
  | { kind: 'completed' }

export const HOUR_SECONDS = 3600
export const DAY_SECONDS = 86_400
const ID_MODULUS = 65_536
/** Measuring during a request lets time pass, so the timeout is long. */
const TIMEOUT_SECONDS = 365 * DAY_SECONDS
/** Triggers until a backfill is complete, one per hour. */
const MAX_TRIGGERS = 60
const OFFSET = 60
const login = { apiKey: `${'k'.repeat(44)}1`, loginId: 'user0001', loginPass: 'password' }

export function createClockSimulation(
  profile: ClockProfile,
  { start, time }: { start: 'all' | 'now'; time: 'utc' | 'local' },
) {
  const { standalone, interval, newestBy, inclusive, order } = profile
  const target = { serial: '5212A1B2', base: standalone ? '5212A1B2' : '5839F001' }
  const clock = createVirtualClock(0)
  const epoch = clock.now()
  const log: ClockedRecord[] = []
  /** The service's records in order of arrival, and those that it does not have yet. */
  const stored: ClockedRecord[] = []
  const waiting: ClockedRecord[] = []
  const events: ClockEvent[] = []
  const store = createRecordingStore()
  let ahead = 0
  let off = 0
  let isSaving = false
  let meanwhile: ClockAct[] = []
  let nodeState = new NodeState(clock)
  nodeState.open(store)

  /** The true time, in seconds. */
  const trueSeconds = () => Math.floor((epoch + clock.monotonic()) / 1000)

  function measure(count: number, to = stored): void {
    for (let each = 0; each < count; each++) {
      clock.advance(interval * 1000)
      const counted = profile.firstId + log.length
      const id = profile.ids === 'counted' ? (standalone ? counted : counted % ID_MODULUS) : 0
      const measured = { seq: log.length, unixtime: trueSeconds() + ahead, id }
      log.push(measured)
      to.push(measured)
    }
  }

  const byTime = () => stored.toSorted((a, b) => a.unixtime - b.unixtime || a.seq - b.seq)

  function toResponse(records: readonly ClockedRecord[]) {
    const data = sortRecords([...records], order).map(({ seq, unixtime, id }) => ({
      unixtime,
      ...(profile.ids !== 'absent' && { 'data-id': id }),
      ch1: seq,
    }))
    return standalone
      ? graph({ data, time_diff: isSaving ? OFFSET : 0 })
      : relayGraph({ data, 'time-diff': '0', 'dst-flg': isSaving ? '1' : '0', 'dst-bias': String(OFFSET) })
  }

  let requests = 0
  const transport = fakeTransport(async ({ url, body }) => {
    if (requests++ > 0) for (const act of meanwhile.splice(0, 1)) await perform(act)
    const params = JSON.parse(body)
    if (url.includes('latest-data')) {
      const records =
        newestBy === 'time' ? byTime().slice(-MAX_LATEST_RECORDS) : stored.slice(-MAX_LATEST_RECORDS)
      events.push({ kind: 'answered', at: trueSeconds(), records, stored: [...stored] })
      return json(toResponse(records.toSorted((a, b) => a.unixtime - b.unixtime || a.seq - b.seq)))
    }
    const { 'unixtime-from': from, 'unixtime-to': to, number } = params
    return json(toResponse(selectRecords(byTime(), { from: +from, to: +to, number: +number }, inclusive)))
  })
  const limits = { limit: 1_000_000, window: 1, records: profile.recordsPerHour, recordsWindow: 3600 }
  const account = createAccount(
    {
      name: 'Plant A',
      baseUrl: 'https://service.example',
      relaySuffix: 'relay',
      timeout: TIMEOUT_SECONDS,
      concurrency: 1,
      retries: 0,
      series1Models: [],
      credentials: login,
      limits: { data: limits, 'data-relay': limits },
    },
    { transport, clock, random: () => 0.5, registry: new Registry(clock) },
  )

  async function deliver({ content, overflow = false }: PolledData): Promise<void> {
    if (content.kind !== 'series') throw new TypeError(content.kind)
    const { records, utcOffset } = content.series
    events.push({
      kind: 'delivered',
      seqs: records.map(({ ch1 }) => Number(ch1)),
      times: records.map(({ timestamp }) => Number(timestamp)),
      texts: records.map(({ time }) => String(time)),
      overflow,
      offset: utcOffset,
    })
  }

  /**
   * Polls until the device's records are complete; each trigger that fails because of the records limit is followed by
   * another one.
   */
  async function poll(): Promise<void> {
    const run = { account, nodeState, nodeId: 'node', time, deliver }
    requests = 0
    for (let trigger = 0; trigger < MAX_TRIGGERS; trigger++) {
      nodeState.setDevices([target])
      try {
        await runToEnd(pollRecords(run, target, { start, backfill: true }, patient))
        events.push({ kind: 'completed' })
        return
      } catch (error) {
        if (!(error instanceof EnvlogError)) throw error
        events.push({ kind: 'failed', code: error.code })
        if (error.code !== 'ENVLOG_QUOTA') return
        clock.advance(HOUR_SECONDS * 1000)
      }
    }
  }

  /** Lets time pass until the work has ended. */
  async function runToEnd(work: Promise<void>): Promise<void> {
    let isOver = false
    work.finally(() => (isOver = true)).catch(() => {})
    for (let ms = 0; !isOver; ms = 1000) await clock.pass(ms)
    return work
  }

  async function perform(act: ClockAct): Promise<void> {
    if (act.act === 'measure') measure(act.count)
    else if (act.act === 'hold') measure(act.count, waiting)
    else if (act.act === 'release') stored.push(...waiting.splice(0).reverse())
    else if (act.act === 'device') ahead += act.by
    else if (act.act === 'saving') isSaving = !isSaving
    else if (act.act === 'host') {
      clock.jump(act.off - off)
      off = act.off
    } else if (act.act === 'poll') {
      meanwhile = [...act.meanwhile]
      await poll()
    } else {
      await clock.settle()
      await nodeState.close(store)
      if (act.act === 'restart') nodeState = new NodeState(clock)
      nodeState.open(store)
      await nodeState.ready()
    }
  }

  return { log, events, perform }
}

export type ClockSimulation = ReturnType<typeof createClockSimulation>
