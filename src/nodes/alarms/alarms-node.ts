import type { Node, NodeAPI, NodeDef, NodeMessage } from 'node-red'
import { inBackground } from '../../lib/background'
import { systemClock } from '../../lib/clock'
import { EnvlogError } from '../../lib/errors'
import { orNoResponse } from '../../lib/stored-state'
import { type AlarmsSettings, alarmsSchema } from '../../shared/alarms-schema'
import { HOUR_MS } from '../../shared/local-clock'
import { sendInTurns } from '../kit/action/send-in-turns'
import type { StartedNode, Trigger } from '../kit/action/start-node'
import { findLimitsNode } from '../kit/limits/limits-node'
import type { Cause, Delivery, Listener, PlantAlarms } from '../kit/limits/plant-alarms'
import { toNodeStatus } from '../kit/report/status'
import { readSettings } from '../kit/settings/read-settings'
import { type Command, MAX_HISTORY_HOURS, readCommand } from './command'
import { Messages } from './messages'
import { Sentences } from './sentences'
import { toAlarmsStatus } from './status'

const isInNumbers = ({ output }: AlarmsSettings) => output === 'states' || output === 'summary'

/** A deployed envlog-alarms. */
export class AlarmsNode implements StartedNode, Listener {
  readonly #RED: NodeAPI
  readonly #node: Node
  readonly #settings: AlarmsSettings
  readonly #alarms: PlantAlarms
  readonly #messages: Messages
  /** The messages that were sent last. The next ones are sent after them. */
  #sending: Promise<void> = Promise.resolve()
  #isClosed = false
  /** Why the last message could not be processed. */
  #failure: unknown
  #shown = ''
  #sentSummary = ''

  /** @throws EnvlogError `ENVLOG_CONFIG` */
  constructor(RED: NodeAPI, node: Node, config: NodeDef & { limits: string }) {
    this.#RED = RED
    this.#node = node
    this.#settings = readSettings(alarmsSchema, config)
    const limitsNode = findLimitsNode(RED, config.limits)
    if (!limitsNode) throw new EnvlogError('no-limits')
    this.#alarms = limitsNode.acquire(node)
    const { account, silentAfterMs } = this.#alarms
    const sentences = new Sentences(RED, account.localTime, { silentAfterMs })
    this.#messages = new Messages(RED, this.#settings, account.name, sentences)
    this.#alarms.join(node.id, this)
  }

  async receive(trigger: Trigger): Promise<void> {
    try {
      const command = readCommand(trigger.msg)
      await this.#alarms.inTurn(() => (command ? this.#apply(command, trigger) : this.#judge(trigger)))
      this.#failure = undefined
    } catch (error) {
      this.#failure = error
      throw error
    } finally {
      this.show()
    }
    await this.#sending
  }

  async close(removed: boolean): Promise<void> {
    this.#isClosed = true
    this.#alarms.leave(this.#node.id, removed)
    await orNoResponse(this.#sending, systemClock).catch(() => {})
  }

  deliver({ changes, saved }: Delivery, cause?: Cause): void {
    const { latch } = this.#settings
    const { monitor } = this.#alarms
    const messages = [
      ...this.#messages.ofReports(changes.reports, cause?.msg),
      ...this.#messages.ofStates(latch ? changes.latched : changes.states, monitor.alarms, cause?.msg),
      ...this.#newSummary(cause?.msg),
    ]
    this.#enqueue(messages, cause?.send, saved)
  }

  /** Shows the last failure until the next message, or the state. */
  show(failure = this.#failure): void {
    if (failure === undefined) this.#enqueue(this.#newSummary())
    this.#showStatus(
      failure === undefined
        ? toAlarmsStatus(this.#RED, this.#alarms.monitor.summarize())
        : toNodeStatus(this.#RED, { kind: 'failed', error: failure }),
    )
  }

  async #judge(trigger: Trigger): Promise<void> {
    await this.#alarms.judge(trigger.msg.payload, this.#node.id, this.#toCause(trigger))
  }

  /** If events cannot have a copy of the properties of a message, this fails before an event counts as sent. */
  #toCause({ msg: { payload: _, ...others }, send }: Trigger): Cause {
    return { msg: this.#RED.util.cloneMessage(others), send }
  }

  #apply(command: Command, trigger: Trigger): void {
    const { msg, send } = trigger
    const cause = this.#toCause(trigger)
    const { monitor } = this.#alarms
    const { alarms } = monitor
    const now = systemClock.now()
    switch (command.kind) {
      case 'acknowledge':
        alarms.acknowledge(command.of, { ...command.signature, ms: command.ms })
        break
      case 'mute':
        alarms.mute(command.ms, command.serials, command.signature)
        break
      case 'forget':
        monitor.forget(command.serials)
        break
      case 'report':
        this.#enqueue(
          [
            ...this.#messages.ofAnswer(alarms.alarms(), msg),
            ...this.#messages.ofStates(monitor.conditions(), alarms, msg),
            ...this.#messages.ofSummary(monitor.summarize(), msg),
          ],
          send,
        )
        return
      case 'history': {
        const { hours } = command
        if (isInNumbers(this.#settings))
          throw new EnvlogError('history-unreadable', { most: MAX_HISTORY_HOURS })
        this.#enqueue(this.#messages.ofAnswer(alarms.history(now - hours * HOUR_MS), msg, hours), send)
        return
      }
      case 'test':
        this.#enqueue(this.#messages.ofTest(monitor.test(command.serial), msg), send)
        return
    }
    this.#alarms.deliver(alarms.collect(), this.#node.id, cause)
  }

  /** The summary, if it is known and another one than before. */
  #newSummary(cause?: NodeMessage): NodeMessage[] {
    if (this.#settings.output !== 'summary' || !this.#alarms.isKnown) return []
    const messages = this.#messages.ofSummary(this.#alarms.monitor.summarize(), cause)
    const text = JSON.stringify(messages.map(({ payload }) => payload))
    if (text === this.#sentSummary) return []
    this.#sentSummary = text
    return messages
  }

  /** Sends messages after earlier ones. @param saved what is awaited before */
  #enqueue(messages: readonly NodeMessage[], send?: Cause['send'], saved?: Promise<unknown>): void {
    if (messages.length === 0) return
    const sent = this.#sending.then(async () => {
      await saved
      await sendInTurns(messages, send ?? ((msg) => this.#node.send(msg)))
    })
    inBackground(sent)
    this.#sending = sent.catch(() => {})
  }

  #showStatus(status: ReturnType<typeof toNodeStatus>): void {
    if (this.#isClosed || this.#shown === JSON.stringify(status)) return
    this.#shown = JSON.stringify(status)
    this.#node.status(status)
  }
}
