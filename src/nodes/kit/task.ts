import type { Node, NodeAPI, NodeMessage } from 'node-red'
import type { Account } from '../../lib/account'
import { type NamedDevice, resolveDevices, type Selection, type Target } from '../../lib/collect/devices'
import { eachOf } from '../../lib/collect/each'
import type { EnvlogError } from '../../lib/errors'
import type { About } from '../../lib/output/about'
import { makeTopic } from '../../lib/output/topic'
import type { Device } from '../../lib/readings/device'
import { type ActionType, TOPICS } from '../../shared/action'
import { selectionFrom } from './inputs'
import { evaluator } from './period'
import type { SettingsOf } from './settings'
import type { Outcome } from './status'
import { inWords } from './words'

/** What a node adds to the message it sends. */
export interface Outgoing {
  payload: unknown
  envlog: About
  /** Left as it came where absent. */
  topic?: string | undefined
}

/** One trigger at work: what the `run` of a node file gets. */
export interface Task<T extends ActionType> {
  settings: SettingsOf<T>
  account: Account
  signal: AbortSignal
  /** The devices that the settings or the message name. @throws EnvlogError `ENVLOG_INPUT` */
  selection(): Selection
  /**
   * Works on each of them, side by side. What concerns one device is reported and the others go on.
   * @throws EnvlogError the account's failure; the last device's, where none was answered
   */
  eachTarget(work: (target: Target, signal: AbortSignal) => Promise<void>): Promise<void>
  /** A value from message, context, environment or JSONata. */
  evaluate(value: string, type: string): Promise<unknown>
  /** The topic of a message about a whole device; nothing where the template is blank. */
  topic(device: Device): Promise<string | undefined>
  /** Sends a clone of the trigger with what is added; `count` of what the node counts came. */
  send(outgoing: Outgoing, count: number): void
  show(outcome: Outcome): void
}

export interface TaskParts<T extends ActionType> {
  RED: NodeAPI
  node: Node
  trigger: { msg: NodeMessage; send(msg: NodeMessage): void }
  settings: SettingsOf<T>
  account: Account
  signal: AbortSignal
  show(outcome: Outcome): void
}

/** A task, and how many of what it counts it has sent. */
export function createTask<T extends ActionType>(parts: TaskParts<T>): { task: Task<T>; sent(): number } {
  const { RED, node, trigger, settings, account, signal, show } = parts
  let sent = 0

  /** The trigger's own properties, never its payload: it is about to be replaced. */
  const clone = (): NodeMessage =>
    RED.util.cloneMessage({ ...trigger.msg, payload: undefined, envlog: undefined } as never)

  const report = ({ device, error }: DeviceFailure) => {
    const about = RED.util.cloneMessage({ ...trigger.msg, envlog: { device: { ...device } } } as never)
    node.error(inWords(RED, error), about)
  }

  const selection = () => selectionFrom(settings, RED, trigger.msg)

  const task: Task<T> = {
    settings,
    account,
    signal,
    selection,
    show,
    evaluate: evaluator(RED, node, trigger.msg),

    async topic({ serial, name, base }) {
      const template = settings.topic ?? TOPICS[node.type as ActionType]
      const group = template.includes('{group}')
        ? await account.directory.group(serial, base.serial, signal)
        : ''
      return makeTopic(template, { account: account.name, base: base.serial, serial, name, group })
    },

    send({ payload, envlog, topic }, count) {
      const msg = clone()
      msg.payload = payload
      msg.envlog = envlog
      if (topic !== undefined) msg.topic = topic
      sent += count
      trigger.send(msg)
    },

    async eachTarget(work) {
      const failures = failureLog(report)
      const { targets, unknown } = await resolveDevices(
        selection(),
        settings.exclude,
        account.directory,
        signal,
      )
      for (const failure of unknown) failures.add(failure)
      try {
        await eachOf(
          targets,
          account.concurrency,
          signal,
          async (target, inner) => {
            await work(target, inner)
            failures.answered()
          },
          (device, error) => failures.add({ device, error }),
        )
      } catch (error) {
        failures.flush()
        throw error
      }
      failures.end()
    },
  }
  return { task, sent: () => sent }
}

interface DeviceFailure {
  device: NamedDevice
  error: EnvlogError
}

/**
 * Device failures of one trigger: each is reported once; the last is held back, because `done` reports it
 * where no device was answered.
 */
function failureLog(report: (failure: DeviceFailure) => void) {
  let held: DeviceFailure | undefined
  let anyAnswered = false
  const flush = () => {
    if (held) report(held)
    held = undefined
  }
  return {
    flush,
    add(failure: DeviceFailure) {
      flush()
      held = failure
    },
    answered() {
      anyAnswered = true
    },
    end() {
      if (held && !anyAnswered) throw held.error
      flush()
    },
  }
}
