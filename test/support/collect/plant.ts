import { Client } from '../../../src/lib/api/client'
import { sleep } from '../../../src/lib/clock'
import type { ResolvedDevice } from '../../../src/lib/collect/devices'
import type { Delivery } from '../../../src/lib/collect/fetch'
import { NodeState } from '../../../src/lib/collect/node-state'
import { pollRecords } from '../../../src/lib/collect/poll'
import { readReceipt } from '../../../src/lib/collect/receipt'
import { EnvlogError } from '../../../src/lib/errors'
import { limitsWith } from '../../../src/lib/quota/account-limits'
import { Quota } from '../../../src/lib/quota/quota'
import { TriggerRun } from '../../../src/nodes/kit/action/trigger-run'
import { Problems } from '../../../src/nodes/kit/report/device-problems'
import { graph, NO_LIST, relayGraph } from '../../unit/lib/responses'
import { createVirtualClock } from '../clock'
import { fakeTransport, json } from '../fake-transport'
import { SETTINGS } from '../quota/simulation'
import { createDisk, nextTurn } from './recording-store'

const BASE = '5839F001'
const MINUTE = 60_000
/** A page takes this many turns of the event loop. */
const TURNS = 12
const nothing = () => {}

async function manyTurns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await nextTurn()
}

export interface PlantOptions {
  units: number
  isStandalone?: boolean
  /** Number of records that a response of the newest ones has at most, and that the service keeps. */
  newest?: number
  keeps?: number
  /** Between two records of a unit, ms. */
  intervalMs?: number
  /** *Wait at most*, seconds. */
  wait?: number | null
  /** *Resend after*, ms; `null` without receipts. */
  receiptTimeoutMs?: number | null
  /** How long a response takes, ms. @param records number of its records */
  responseMs?: (isPage: boolean, records: number) => number
}

/** A node that polls many units each minute, with the service's limits, in virtual time. */
export class Plant {
  readonly clock = createVirtualClock(0, undefined, manyTurns)
  /** Called for each delivery with records; may throw. @returns whether its receipt is returned a second later */
  sink: (unit: number, records: readonly number[], isPage: boolean) => boolean = () => true
  /** The numbers of the delivered records of each unit; a record that came twice is there twice. */
  readonly delivered: number[][]
  /** When each page was requested, ms since 1970 UTC. */
  readonly pages: number[] = []
  readonly polls: number[] = []
  readonly failures: string[] = []
  readonly warnings: string[] = []
  /** Number of reported losses. */
  losses = 0
  /** Number of units, from the first one on, that the node requests. */
  selected: number
  /** *Wait at most*, seconds. */
  wait: number | null
  /** Whether the service cannot be reached. */
  isAway = false
  readonly disk = createDisk([])
  nodeState!: NodeState
  readonly #options: Required<PlantOptions>
  readonly #devices: ResolvedDevice[]
  readonly #begin: number
  readonly #quota: Quota
  #node = new AbortController()

  constructor(options: PlantOptions) {
    this.#options = {
      ...{ isStandalone: false, newest: 6, keeps: 30, intervalMs: 50 * MINUTE, wait: null },
      ...{ receiptTimeoutMs: null, responseMs: (isPage) => (isPage ? 1000 : 300), ...options },
    }
    this.selected = options.units
    this.wait = this.#options.wait
    this.#begin = this.clock.now()
    this.delivered = Array.from({ length: options.units }, () => [])
    this.#devices = this.delivered.map((_, unit) => {
      const serial = String(10_000_000 + unit)
      return { serial, base: this.#options.isStandalone ? serial : BASE }
    })
    this.#quota = new Quota(this.clock)
    this.#quota.join({ concurrency: 2, limits: limitsWith() })
  }

  /** Number of the newest record at the service. */
  get last(): number {
    return Math.floor((this.clock.now() - this.#begin) / this.#options.intervalMs)
  }

  /** Starts the node, at first or after a crash, and lets it poll each minute. */
  async start(): Promise<void> {
    this.nodeState = new NodeState(this.clock)
    await this.#deploy('')
  }

  /** Deploys the node with settings that give its data another form. */
  async redeploy(settingsKey: string): Promise<void> {
    this.#node.abort()
    await this.nodeState.close(this.disk.store)
    await this.#deploy(settingsKey)
  }

  /** Kills the node. @param older number of the last writes that are lost, as by the backup of an older state */
  kill(older = 0): void {
    this.#node.abort()
    this.disk.crash(older)
  }

  /** How many records from a number on were not delivered, without the newest one of each unit. */
  missing(first: number): number {
    const { last } = this
    const countOf = (ids: readonly number[]) => new Set(ids.filter((id) => id >= first && id < last)).size
    return this.delivered.reduce((sum, ids) => sum + last - first - countOf(ids), 0)
  }

  async #deploy(settingsKey: string): Promise<void> {
    this.#node = new AbortController()
    const { signal } = this.#node
    const { receiptTimeoutMs } = this.#options
    this.nodeState.open(this.disk.store, { settingsKey, receiptTimeoutMs })
    await this.nodeState.ready()
    void this.#repeat(signal).catch((error) => {
      if (!signal.aborted) throw error
    })
  }

  async #repeat(signal: AbortSignal): Promise<void> {
    for (;;) {
      const due = this.clock.now() + MINUTE
      const interrupt = new AbortController()
      const cancel = this.clock.after(MINUTE, () => interrupt.abort('due'))
      await this.#trigger(interrupt.signal, signal).catch((error) => {
        if (signal.aborted || !(error instanceof EnvlogError)) throw error
        this.failures.push(error.reason)
      })
      cancel()
      await sleep(this.clock, Math.max(0, due - this.clock.now()), signal)
    }
  }

  async #trigger(interrupt: AbortSignal, signal: AbortSignal): Promise<void> {
    const { newest } = this.#options
    const devices = this.#devices.slice(0, this.selected)
    const account = {
      ...{ name: 'Plant', concurrency: 2, quota: this.#quota, client: this.#client(), temperatureUnit: null },
      devices: { ...NO_LIST, has: () => true, all: async () => devices, requestNames: nothing },
      ...{ localTime: 'local', now: () => this.clock.now(), monotonic: () => this.clock.monotonic() },
    }
    const settings = { wait: this.wait, select: 'list', devices, bases: [], exclude: [] }
    const deployed = {
      ...{ RED: { _: (key: string) => key, util: { cloneMessage: structuredClone } }, account, signal },
      node: {
        id: 'node',
        type: 'envlog-latest',
        warn: (text: string) => this.warnings.push(text),
        error: nothing,
      },
      settings: { ...settings, output: 'readings', topic: '', time: 'utc' },
      ...{ nodeState: this.nodeState, problems: new Problems(), setStatus: nothing },
    }
    const run = new TriggerRun(deployed as never, { msg: {}, send: nothing, isOwn: true } as never, interrupt)
    run.deliver = (delivery) => this.#deliver(delivery, signal)
    run.reportLoss = () => void this.losses++
    const options = { start: 'all', backfill: true, newest } as const
    Object.assign(run, { newest })
    await run.forEachDevice((device, own) => pollRecords(run, device, options, own), { fills: true })
  }

  async #deliver({ content, backfill = false, receipt }: Delivery, signal: AbortSignal): Promise<void> {
    if (content.kind !== 'series' || signal.aborted) return
    const { serial, records } = content.series
    const unit = Number(serial) - 10_000_000
    const ids = records.map(({ ch1 }) => Number(ch1))
    const isStored = this.sink(unit, ids, backfill)
    if (isStored) this.delivered[unit]?.push(...ids)
    if (!isStored || receipt === undefined) return
    const { nodeState } = this
    const { device = '', issuedAt = 0 } = readReceipt('node', receipt) ?? {}
    this.clock.after(1000, () => !signal.aborted && nodeState.acknowledge(device, issuedAt))
  }

  #client(): Client {
    const { isStandalone, newest, keeps, responseMs } = this.#options
    const transport = fakeTransport(async ({ url, body }) => {
      if (this.isAway) throw new EnvlogError('no-connection')
      const query = JSON.parse(body)
      const isPage = !url.includes('latest')
      const log = isPage ? this.pages : this.polls
      log.push(this.clock.now())
      const data = isPage
        ? this.#between(query['unixtime-from'], query['unixtime-to'], query.number)
        : this.#records(Math.max(this.last - Math.min(newest, keeps) + 1, 0), this.last)
      await sleep(this.clock, responseMs(isPage, data.length), new AbortController().signal)
      const serial = query['remote-serial']
      return json(isStandalone ? graph({ serial, data }) : relayGraph({ 'remote-serial': serial, data }))
    })
    return new Client(SETTINGS, { transport, clock: this.clock, quota: this.#quota, random: () => 0.5 })
  }

  #between(from: number, to: number, number: number) {
    const { intervalMs, keeps } = this.#options
    const indexOf = (seconds: number) => (seconds * 1000 - this.#begin) / intervalMs
    const last = Math.min(this.last, Math.ceil(indexOf(to)) - 1)
    const oldest = Math.max(0, this.last - keeps + 1, Math.floor(indexOf(from)) + 1)
    return this.#records(Math.max(oldest, last - number + 1), last)
  }

  #records(first: number, last: number) {
    const { intervalMs, isStandalone } = this.#options
    const format = (id: number) => (isStandalone ? id : String(id))
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => ({
      unixtime: (this.#begin + (first + index) * intervalMs) / 1000,
      'data-id': format(first + index),
      ch1: format(first + index),
    }))
  }
}
