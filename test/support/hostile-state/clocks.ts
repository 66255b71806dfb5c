/** One device, its service and a host, each with a clock of its own that may be set at any moment. */
import { createAccount } from '../../../src/lib'
import type { PolledData } from '../../../src/lib/collect/feeds'
import { createNodeState } from '../../../src/lib/collect/node-state'
import { type PollOptions, pollRecords } from '../../../src/lib/collect/poll'
import { EnvlogError } from '../../../src/lib/errors'
import { createRegistry } from '../../../src/lib/registry'
import { graph, patient, relayGraph } from '../../lib/answers'
import { createVirtualClock } from '../clock'
import { inOrder, type Order, selected } from '../collect/selection'
import { shelf } from '../collect/shelf'
import { fakeTransport, json } from '../fake-transport'

export interface Habits {
  standalone: boolean
  ids: 'counted' | 'zero' | 'absent'
  firstId: number
  /** Seconds between two records. */
  interval: number
  /** Records that an answer holds, and which are the newest. */
  holds: number
  newestBy: 'time' | 'arrival'
  inclusive: boolean
  order: Order
  /** Records that may be fetched in an hour: a larger hole takes several triggers. */
  budget: number
}

export interface Measured {
  seq: number
  /** Seconds, by the device's clock. */
  unixtime: number
  id: number
}

export type Act =
  | { act: 'measure'; count: number }
  /** The device's clock is set by so many seconds. */
  | { act: 'device'; by: number }
  /** The host's clock is so far off from now on, ms. */
  | { act: 'host'; off: number }
  /** Daylight saving begins or ends. */
  | { act: 'saving' }
  | { act: 'restart' }
  | { act: 'deploy' }
  /** @param meanwhile before the second request, before the third, … */
  | { act: 'poll'; meanwhile: Act[] }

/** What came of it, one after the other. */
export type Told =
  | { kind: 'answered'; at: number; records: Measured[]; measured: number }
  | { kind: 'delivered'; seqs: number[]; times: number[]; texts: string[]; overflow: boolean; offset: number }
  | { kind: 'warned'; what: string }
  | { kind: 'failed'; code: string }
  | { kind: 'completed' }

export const AN_HOUR = 3600
export const A_DAY = 86_400
const TURN = 65_536
/** What is measured while a request is on its way takes its time. */
const A_YEAR = 365 * A_DAY
/** Of a backfill that may take so many hours of records. */
const TRIGGERS = 60
const OFFSET = 60
const login = { apiKey: `${'k'.repeat(44)}1`, loginId: 'user0001', loginPass: 'password' }

export function createHall(habits: Habits, wish: Pick<PollOptions, 'start' | 'time'>) {
  const { standalone, interval, holds, newestBy, inclusive, order } = habits
  const target = { serial: '5212A1B2', base: standalone ? '5212A1B2' : '5839F001' }
  const clock = createVirtualClock(0)
  const epoch = clock.now()
  const log: Measured[] = []
  const told: Told[] = []
  const store = shelf()
  let ahead = 0
  let off = 0
  let isSaving = false
  let meanwhile: Act[] = []
  let nodeState = createNodeState(clock)
  nodeState.open(store)

  /** What really is the time, seconds. */
  const truly = () => Math.floor((epoch + clock.monotonic()) / 1000)

  function measure(count: number): void {
    for (let each = 0; each < count; each++) {
      clock.advance(interval * 1000)
      const counted = habits.firstId + log.length
      const id = habits.ids === 'counted' ? (standalone ? counted : counted % TURN) : 0
      log.push({ seq: log.length, unixtime: truly() + ahead, id })
    }
  }

  const byTime = () => log.toSorted((a, b) => a.unixtime - b.unixtime || a.seq - b.seq)

  function wired(records: readonly Measured[]) {
    const data = inOrder([...records], order).map(({ seq, unixtime, id }) => ({
      unixtime,
      ...(habits.ids !== 'absent' && { 'data-id': id }),
      ch1: seq,
    }))
    return standalone
      ? graph({ data, time_diff: isSaving ? OFFSET : 0 })
      : relayGraph({ data, 'time-diff': '0', 'dst-flg': isSaving ? '1' : '0', 'dst-bias': String(OFFSET) })
  }

  let requests = 0
  const transport = fakeTransport(async ({ url, body }) => {
    if (requests++ > 0) for (const act of meanwhile.splice(0, 1)) await perform(act)
    const asked = JSON.parse(body)
    if (url.includes('latest-data')) {
      const records = newestBy === 'time' ? byTime().slice(-holds) : log.slice(-holds)
      told.push({ kind: 'answered', at: truly(), records, measured: log.length })
      return json(wired(records.toSorted((a, b) => a.unixtime - b.unixtime || a.seq - b.seq)))
    }
    const { 'unixtime-from': from, 'unixtime-to': to, number } = asked
    return json(wired(selected(byTime(), { from: +from, to: +to, number: +number }, inclusive)))
  })
  const often = { limit: 1_000_000, window: 1, records: habits.budget, recordsWindow: 3600 }
  const account = createAccount(
    {
      ...{ name: 'Plant A', baseUrl: 'https://service.example', relaySuffix: 'relay', timeout: A_YEAR },
      ...{ concurrency: 1, retries: 0, series1Models: [], credentials: login },
      limits: { data: often, 'data-relay': often },
    },
    { transport, clock, random: () => 0.5, registry: createRegistry(clock) },
  )

  async function deliver({ content, overflow = false }: PolledData): Promise<void> {
    if (content.kind !== 'series') throw new TypeError(content.kind)
    const { records, utcOffset } = content.series
    told.push({
      kind: 'delivered',
      seqs: records.map(({ ch1 }) => Number(ch1)),
      times: records.map(({ timestamp }) => Number(timestamp)),
      texts: records.map(({ time }) => String(time)),
      overflow,
      offset: utcOffset,
    })
  }

  /** Until the device's records are complete: each trigger that fails for records is one later. */
  async function poll(): Promise<void> {
    const ports = {
      nodeState,
      deliver,
      warn: (_: unknown, what: string) => void told.push({ kind: 'warned', what }),
    }
    const how = { ...wish, node: 'node', backfill: true, receipts: null }
    requests = 0
    for (let trigger = 0; trigger < TRIGGERS; trigger++) {
      nodeState.setDevices([target])
      try {
        await ended(pollRecords(account, target, how, ports, patient))
        told.push({ kind: 'completed' })
        return
      } catch (error) {
        if (!(error instanceof EnvlogError)) throw error
        told.push({ kind: 'failed', code: error.code })
        if (error.code !== 'ENVLOG_QUOTA') return
        clock.advance(AN_HOUR * 1000)
      }
    }
  }

  /** Time passes as long as it takes. */
  async function ended(work: Promise<void>): Promise<void> {
    let isOver = false
    work.finally(() => (isOver = true)).catch(() => {})
    for (let ms = 0; !isOver; ms = 1000) await clock.pass(ms)
    return work
  }

  async function perform(act: Act): Promise<void> {
    if (act.act === 'measure') measure(act.count)
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
      if (act.act === 'restart') nodeState = createNodeState(clock)
      nodeState.open(store)
      await nodeState.ready()
    }
  }

  return { log, told, perform, isAhead: () => ahead > 0 }
}

export type Hall = ReturnType<typeof createHall>
