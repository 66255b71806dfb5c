import type { Node, NodeAPI, NodeDef, NodeMessage } from 'node-red'
import type { Account } from '../../../lib/account'
import { inBackground } from '../../../lib/background'
import { systemClock } from '../../../lib/clock'
import { EnvlogError } from '../../../lib/errors'
import type { Changes } from '../../../lib/limits/alarm-list'
import { readMeasurements } from '../../../lib/limits/measurements'
import { Monitor } from '../../../lib/limits/monitor'
import { readSavedLimits, type SavedLimits } from '../../../lib/limits/saved-limits'
import { type StateStore, StoredState } from '../../../lib/stored-state'
import { MINUTE_MS } from '../../../shared/local-clock'
import { LimitRows } from './limit-rows'

/** How often conditions that depend on the clock are judged. */
export const TICK_MS = 5000
/** Most changes that wait for a node that is being deployed. */
export const MAX_WAITING = 1000

const toMs = (minutes: number | null) => (minutes === null ? Number.POSITIVE_INFINITY : minutes * MINUTE_MS)

/** What has changed, for a node in the flow. */
export interface Delivery {
  changes: Changes
  /** Resolves when the change is saved: nothing is sent before. */
  saved: Promise<unknown> | undefined
}

/** The message that causes a change, and how to send what it causes. */
export interface Cause {
  msg: NodeMessage
  send(msg: NodeMessage): void
}

/** A node in the flow that sends what has changed. */
export interface Listener {
  /** @param cause only if the message has arrived at this node */
  deliver(delivery: Delivery, cause?: Cause): void
  /** The state is another one, or it cannot be judged. */
  show(failure?: unknown): void
}

/** The one list of alarms of all envlog-alarms with the same envlog-limits. */
export class PlantAlarms {
  readonly account: Account
  readonly monitor: Monitor
  readonly silentAfterMs: number
  readonly #rows: LimitRows
  readonly #store: StateStore
  readonly #state: StoredState<SavedLimits>
  readonly #listeners = new Map<string, Listener>()
  /** For nodes that are being deployed again: what has changed meanwhile. */
  readonly #waiting = new Map<string, Delivery[]>()
  /** During the deploy that opens the list: what has changed before all of its nodes have joined. */
  #early: Delivery[] | undefined = []
  /** What arrived last. */
  #turn: Promise<void> = Promise.resolve()
  #isRestored = false
  #isClosed = false
  #cancelTick = () => {}

  /** @throws EnvlogError `ENVLOG_CONFIG` */
  constructor(
    RED: NodeAPI,
    node: Node,
    config: NodeDef,
    { account, store }: { account: Account; store: StateStore },
  ) {
    this.account = account
    this.#rows = new LimitRows(RED, node, config)
    const { errorAfter, silentAfter, battery, remind } = this.#rows.settings
    this.silentAfterMs = toMs(silentAfter)
    this.monitor = new Monitor(systemClock, {
      errorAfterMs: toMs(errorAfter),
      silentAfterMs: this.silentAfterMs,
      battery,
      remindMs: remind * MINUTE_MS,
    })
    this.#store = store
    this.#state = new StoredState(systemClock, {
      read: readSavedLimits,
      restore: (saved, from) => this.#restore(saved, from),
      toSave: () => this.monitor.toSave(),
    })
    this.#state.open(store)
    inBackground(this.#tick())
  }

  /** Whether measurements or a saved state show how things are. */
  get isKnown(): boolean {
    const { devices, noDataSince } = this.monitor.summarize()
    return this.#isRestored || devices > 0 || noDataSince !== null
  }

  /**
   * From now on, a node is told of all changes, first of those since it was closed to be deployed again, or since the list
   * was opened by the same deploy.
   */
  join(id: string, listener: Listener): void {
    this.#listeners.set(id, listener)
    for (const delivery of this.#waiting.get(id) ?? this.#early ?? []) listener.deliver(delivery)
    this.#waiting.delete(id)
  }

  /** A deploy is complete: a node that has not joined has other limits now, or its subflow is gone. */
  endDeploy(): void {
    this.#waiting.clear()
    this.#early = undefined
  }

  /** @param removed whether the node is not deployed again */
  leave(id: string, removed: boolean): void {
    this.#listeners.delete(id)
    if (!removed) this.#waiting.set(id, [])
  }

  /**
   * Does something after what arrived before, and when the saved state has been read.
   * @throws EnvlogError `store-newer`, `store-damaged`, `store-unreadable`, `closed`; what `work` throws
   */
  inTurn(work: () => void | Promise<void>): Promise<void> {
    const done = this.#turn.then(async () => {
      await this.#state.ready()
      await work()
    })
    this.#turn = done.catch(() => {})
    return done
  }

  /**
   * Judges the measurements of a message.
   * @param id the node at which it arrived @param cause the message, whose other properties are kept
   * @throws EnvlogError `limits-unreadable`; `ENVLOG_INPUT` after it has judged what it can
   */
  async judge(payload: unknown, id: string, cause: Cause): Promise<void> {
    const { devices, problem } = readMeasurements(payload)
    const limits = await this.#rows.read()
    if (this.#isClosed) throw new EnvlogError('closed')
    try {
      this.monitor.receive(devices, limits)
    } finally {
      this.deliver(this.monitor.alarms.collect(), id, cause)
    }
    if (problem) throw problem
  }

  /**
   * Saves and tells what has changed.
   * @param id the node at which the cause arrived, if there is one
   * @throws what a node has thrown, after all have been told
   */
  deliver(changes: Changes, id?: string, cause?: Cause): void {
    const { save } = changes
    if (save) this.#state.save()
    const delivery = { changes, saved: save === 'now' ? this.#state.written() : undefined }
    if (changes.reports.length + changes.states.length + changes.latched.length > 0) this.#keep(delivery)
    const failures: unknown[] = []
    for (const [other, listener] of this.#listeners) {
      try {
        listener.deliver(delivery, other === id ? cause : undefined)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  /** Keeps what has changed for nodes that have not joined. */
  #keep(delivery: Delivery): void {
    for (const waiting of [...this.#waiting.values(), this.#early]) {
      if (!waiting) continue
      waiting.push(delivery)
      if (waiting.length > MAX_WAITING) waiting.shift()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTick()
    await this.#state.close(this.#store)
  }

  #restore(saved: SavedLimits | undefined, store: StateStore): void {
    if (saved) this.monitor.restore(saved)
    else store.onMissing?.()
    this.#isRestored = saved !== undefined
    if (this.#rows.table) this.monitor.setLimits(this.#rows.table)
  }

  /** Judges what depends on the clock, now and every few seconds. */
  async #tick(): Promise<void> {
    try {
      await this.#state.ready()
      if (this.#isClosed) return
      // Without a node in the flow, what happens waits for one.
      if (this.#listeners.size + this.#waiting.size > 0) {
        this.monitor.passTime()
        this.deliver(this.monitor.alarms.collect(true))
      }
      for (const listener of this.#listeners.values()) listener.show()
    } catch (error) {
      for (const listener of this.#listeners.values()) listener.show(error)
    }
    if (!this.#isClosed) this.#cancelTick = systemClock.after(TICK_MS, () => inBackground(this.#tick()))
  }
}
