import type { Node, NodeAPI, NodeMessage } from 'node-red'
import { inBackground } from '../../lib/background'
import { systemClock } from '../../lib/clock'
import { EnvlogError } from '../../lib/errors'
import type { Changes } from '../../lib/limits/alarm-list'
import { toTest } from '../../lib/limits/event'
import { readMeasurements } from '../../lib/limits/measurements'
import { Monitor } from '../../lib/limits/monitor'
import { readSavedLimits, type SavedLimits } from '../../lib/limits/saved-limits'
import { orNoResponse, type StateStore, StoredState } from '../../lib/stored-state'
import { type Limit, type LimitsSettings, limitsSchema, readLimits } from '../../shared/limits-schema'
import { findAccountNode } from '../kit/action/account-node'
import { sendInTurns } from '../kit/action/send-in-turns'
import type { NodeConfig, StartedNode, Trigger } from '../kit/action/start-node'
import { toNodeStatus } from '../kit/report/status'
import { readSettings } from '../kit/settings/read-settings'
import { createEvaluator, formatTypedInput } from '../kit/settings/typed-input'
import { type Command, readCommand } from './command'
import { Messages } from './messages'
import { Sentences } from './sentences'
import { toLimitsStatus } from './status'

/** How often conditions that depend on the clock are judged. */
const TICK_MS = 5000
const MINUTE_MS = 60_000
const NEVER = Number.POSITIVE_INFINITY

const toMs = (minutes: number | null) => (minutes === null ? NEVER : minutes * MINUTE_MS)

/** A deployed envlog-limits. */
export class LimitsNode implements StartedNode {
  readonly #RED: NodeAPI
  readonly #node: Node
  readonly #settings: LimitsSettings
  /** The rows of the form; `undefined` if they are read for each message. */
  readonly #table: readonly Limit[] | undefined
  readonly #monitor: Monitor
  readonly #messages: Messages
  readonly #store: StateStore
  readonly #state: StoredState<SavedLimits>
  /** The events that were sent last. Those of the next message are sent after them. */
  #sending: Promise<void> = Promise.resolve()
  #cancelTick = () => {}
  #isClosed = false
  /** Why the last message could not be processed. */
  #failure: unknown
  #shown = ''

  /** @throws EnvlogError `ENVLOG_CONFIG` */
  constructor(RED: NodeAPI, node: Node, config: NodeConfig) {
    this.#RED = RED
    this.#node = node
    const accountNode = findAccountNode(RED, config.account)
    if (!accountNode) throw new EnvlogError('no-account')
    const { account, store } = accountNode.acquire(node)
    this.#settings = readSettings(limitsSchema, config)
    const { limitsType, limits, remember } = this.#settings
    this.#table = limitsType === 'table' ? parseLimits(limits, 'limit-invalid') : undefined
    this.#monitor = this.#createMonitor(remember)
    const { name, localTime } = account
    const sentences = new Sentences(RED, localTime, { silentAfterMs: toMs(this.#settings.silentAfter) })
    this.#messages = new Messages(RED, this.#settings, name, sentences)
    this.#store = store
    this.#state = new StoredState(systemClock, {
      read: readSavedLimits,
      restore: (saved, from) => this.#restore(saved, from),
      toSave: () => this.#monitor.toSave(),
    })
    this.#state.open(store)
    // For the form (account/admin/routes.ts).
    Object.assign(node, { usualPause: () => this.#monitor.usualPause })
    inBackground(this.#tick())
  }

  async receive(trigger: Trigger): Promise<void> {
    try {
      await this.#state.ready()
      const command = readCommand(trigger.msg)
      if (command) this.#apply(command, trigger)
      else if (this.#settings.remember) await this.#judge(this.#monitor, trigger)
      else await this.#judge(this.#createMonitor(false), trigger)
      this.#failure = undefined
    } catch (error) {
      this.#failure = error
      throw error
    } finally {
      this.#showState()
    }
    await this.#sending
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelTick()
    await orNoResponse(this.#sending, systemClock).catch(() => {})
    await this.#state.close(this.#store)
  }

  #createMonitor(remembers: boolean): Monitor {
    const { errorAfter, silentAfter, battery, remind } = this.#settings
    return new Monitor(systemClock, {
      errorAfterMs: remembers ? toMs(errorAfter) : NEVER,
      silentAfterMs: remembers ? toMs(silentAfter) : NEVER,
      battery: remembers && battery,
      remindMs: remembers ? remind * MINUTE_MS : 0,
      leavesOutPast: remembers,
    })
  }

  #restore(saved: SavedLimits | undefined, store: StateStore): void {
    const { remember } = this.#settings
    if (saved && remember) this.#monitor.restore(saved)
    if (!saved && remember) store.onMissing?.()
    if (this.#table && remember) this.#monitor.setLimits(this.#table)
  }

  async #judge(monitor: Monitor, { msg, send }: Trigger): Promise<void> {
    const { payload, ...others } = msg
    // If events cannot have a copy of these properties, this fails before an event counts as sent.
    const cause = this.#RED.util.cloneMessage(others)
    const { devices, problem } = readMeasurements(payload)
    const limits = this.#table ?? (await this.#evaluateLimits(msg))
    try {
      monitor.receive(devices, limits)
    } finally {
      this.#sendChanges(monitor.alarms.collect(), cause, send)
    }
    if (problem) throw problem
  }

  /** @throws EnvlogError `limits-unreadable`, `expression-failed` */
  async #evaluateLimits(msg: NodeMessage): Promise<readonly Limit[]> {
    const { limits, limitsType } = this.#settings
    const source = formatTypedInput(String(limits), limitsType)
    const evaluate = createEvaluator(this.#RED, this.#node, msg)
    return parseLimits(await evaluate(String(limits), limitsType), 'limits-unreadable', source)
  }

  /** @throws EnvlogError `not-remembered` */
  #apply(command: Command, { msg, send }: Trigger): void {
    if (!this.#settings.remember && command.kind !== 'test') throw new EnvlogError('not-remembered')
    const monitor = this.#monitor
    const { alarms } = monitor
    const now = systemClock.now()
    switch (command.kind) {
      case 'acknowledge':
        alarms.acknowledge(command.serials)
        break
      case 'mute':
        alarms.mute(command.ms, command.serials)
        break
      case 'forget':
        monitor.forget(command.serials)
        break
      case 'report':
        this.#enqueue(
          [
            ...this.#messages.ofReports(alarms.alarms(), msg),
            ...this.#messages.ofStates(monitor.conditions(), now, msg),
          ],
          send,
        )
        return
      case 'test':
        this.#enqueue(this.#messages.ofTest(toTest(now), msg), send)
        return
    }
    this.#sendChanges(monitor.alarms.collect())
  }

  /** Judges what depends on the clock, now and every few seconds. */
  async #tick(): Promise<void> {
    try {
      await this.#state.ready()
      if (this.#isClosed) return
      this.#monitor.passTime()
      this.#sendChanges(this.#monitor.alarms.collect(true))
      this.#showState()
    } catch (error) {
      this.#showFailure(error)
    }
    if (!this.#isClosed) this.#cancelTick = systemClock.after(TICK_MS, () => inBackground(this.#tick()))
  }

  /** Sends what has changed. @param cause the message that caused it, if any */
  #sendChanges(
    { reports, states, save }: Changes,
    cause?: NodeMessage,
    send = (msg: NodeMessage) => this.#node.send(msg),
  ): void {
    const messages = [
      ...this.#messages.ofReports(reports, cause),
      ...this.#messages.ofStates(states, systemClock.now(), cause),
    ]
    if (save && this.#settings.remember) this.#state.save()
    this.#enqueue(messages, send, save === 'now' && this.#settings.remember)
  }

  /** Sends messages after earlier ones. @param isSaved whether the state is written first */
  #enqueue(messages: readonly NodeMessage[], send: (msg: NodeMessage) => void, isSaved = false): void {
    if (!isSaved && messages.length === 0) return
    const sent = this.#sending.then(async () => {
      if (isSaved) await this.#state.written()
      await sendInTurns(messages, send)
    })
    inBackground(sent)
    this.#sending = sent.catch(() => {})
  }

  /** Shows the last failure until the next message, or the state. */
  #showState(): void {
    if (this.#failure === undefined) this.#showStatus(toLimitsStatus(this.#RED, this.#monitor.summarize()))
    else this.#showFailure(this.#failure)
  }

  #showFailure(error: unknown): void {
    this.#showStatus(toNodeStatus(this.#RED, { kind: 'failed', error }))
  }

  #showStatus(status: ReturnType<typeof toNodeStatus>): void {
    if (this.#isClosed || this.#shown === JSON.stringify(status)) return
    this.#shown = JSON.stringify(status)
    this.#node.status(status)
  }
}

/** @throws EnvlogError `reason` */
function parseLimits(
  value: unknown,
  reason: 'limit-invalid' | 'limits-unreadable',
  source = '',
): readonly Limit[] {
  const found = readLimits(value)
  if (!('problem' in found)) return found
  throw new EnvlogError(reason, { source, property: found.property, ...found.problem })
}
