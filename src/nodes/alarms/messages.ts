import type { NodeAPI, NodeMessage } from 'node-red'
import type { AlarmList } from '../../lib/limits/alarm-list'
import type { Condition } from '../../lib/limits/condition'
import type { LimitEvent, Report } from '../../lib/limits/event'
import type { Summary } from '../../lib/limits/monitor'
import { topicText } from '../../lib/output/topic'
import { version } from '../../lib/version'
import type { AlarmsSettings } from '../../shared/alarms-schema'
import type { Sentences } from './sentences'

/** An event as it is sent (docs/limits.md, *Events*). */
export interface AlarmEvent extends LimitEvent {
  text: string
}

/** The payload of the output `summary` (docs/limits.md, *Summary*). Times are ISO 8601 in UTC. */
export interface AlarmsSummary {
  alarms: number
  unacknowledged: number
  pending: number
  devices: number
  since: string | null
  noDataSince: string | null
  mutedUntil: string | null
  mutedDevices: number
}

/** `msg.envlog` of envlog-alarms. */
export interface AlarmsMetadata {
  node: 'alarms'
  /** The version of this package. */
  version: string
  account: string
  event?: AlarmEvent
  /** All events, if they are in one message. */
  events?: AlarmEvent[]
}

const toIso = (time: number | null) => (time === null ? null : new Date(time).toISOString())

/** Builds the messages of envlog-alarms (docs/limits.md, *Messages*). */
export class Messages {
  readonly #RED: NodeAPI
  readonly #settings: AlarmsSettings
  readonly #account: string
  readonly #sentences: Sentences

  constructor(RED: NodeAPI, settings: AlarmsSettings, account: string, sentences: Sentences) {
    this.#RED = RED
    this.#settings = settings
    this.#account = account
    this.#sentences = sentences
  }

  /** @param cause the message that caused the events, if any */
  ofReports(reports: readonly Report[], cause?: NodeMessage): NodeMessage[] {
    const { output, send } = this.#settings
    if (output === 'states' || output === 'summary') return []
    if (send === 'each') {
      return reports.map((report) => {
        const event = this.#toEvent(report)
        const topic = output === 'text' ? this.#sentences.subject([report]) : topicOf(report.event)
        return this.#build(
          cause,
          { payload: output === 'text' ? event.text : { ...event }, topic },
          { event },
        )
      })
    }
    const events = reports.map((report) => this.#toEvent(report))
    if (output === 'event') {
      const isWanted = cause !== undefined || events.length > 0
      return isWanted
        ? [this.#build(cause, { payload: events.map((event) => ({ ...event })) }, { events })]
        : []
    }
    if (events.length === 0) return []
    const payload = events.map(({ text }) => text).join('\n')
    return [this.#build(cause, { payload, topic: this.#sentences.subject(reports) }, { events })]
  }

  /** @param alarms the list to which the conditions belong */
  ofStates(conditions: Iterable<Condition>, alarms: AlarmList, cause?: NodeMessage): NodeMessage[] {
    const { output, latch } = this.#settings
    if (output !== 'states') return []
    return Array.from(conditions, (condition) => {
      const report = latch ? alarms.toLatchedState(condition) : alarms.toState(condition)
      const payload = latch ? alarms.isLatched(condition) : condition.isAlarm
      const event = this.#toEvent(report)
      return this.#build(cause, { payload, topic: topicOf(report.event) }, { event })
    })
  }

  /**
   * The answer to a question. If nothing is to be told, a text says so.
   * @param hours the time that the question is about; `undefined`: now
   */
  ofAnswer(reports: readonly Report[], cause: NodeMessage, hours?: number): NodeMessage[] {
    if (reports.length > 0 || this.#settings.output !== 'text') return this.ofReports(reports, cause)
    return [this.#build(cause, this.#sentences.nothing(hours), {})]
  }

  /** The message of a test, through the wires of an alarm. */
  ofTest(report: Report, cause: NodeMessage): NodeMessage[] {
    if (this.#settings.output !== 'states') return this.ofReports([report], cause)
    const event = this.#toEvent(report)
    return [this.#build(cause, { payload: true, topic: topicOf(event) }, { event })]
  }

  /** How things are, in numbers. Times are ISO 8601 in UTC. */
  ofSummary(summary: Summary, cause?: NodeMessage): NodeMessage[] {
    if (this.#settings.output !== 'summary') return []
    const { alarms, unacknowledged, pending, devices, since, noDataSince, mutedUntil, mutedDevices } = summary
    const payload: AlarmsSummary = {
      ...{ alarms, unacknowledged, pending, devices },
      ...{ since: toIso(since), noDataSince: toIso(noDataSince) },
      ...{ mutedUntil: toIso(mutedUntil), mutedDevices },
    }
    return [this.#build(cause, { payload, topic: 'envlog/_/_/device/summary' }, {})]
  }

  #toEvent(report: Report): AlarmEvent {
    return { ...report.event, text: this.#sentences.sentence(report) }
  }

  #build(
    cause: NodeMessage | undefined,
    properties: object,
    about: Pick<AlarmsMetadata, 'event' | 'events'>,
  ): NodeMessage {
    const {
      payload: _,
      envlog: _envlog,
      topic: _topic,
      parts,
      ...kept
    } = (cause ?? {}) as Record<string, unknown>
    const envlog: AlarmsMetadata = { node: 'alarms', version, account: this.#account, ...about }
    return { ...this.#RED.util.cloneMessage(kept as NodeMessage), ...properties, envlog } as NodeMessage
  }
}

/** `envlog/{base}/{serial}/{channel}/{limit or condition}`, with `_` for what does not apply. */
function topicOf({ base, serial, channel, limit, condition, state, leftOut, test }: LimitEvent): string {
  const last = test
    ? 'test'
    : leftOut !== undefined
      ? 'left-out'
      : limit === null
        ? (condition ?? state)
        : limit || 'limit'
  const parts = ['envlog', base, serial, channel === null ? 'device' : `ch${channel}`, last]
  return parts.map((part) => topicText(part ?? '') || '_').join('/')
}
