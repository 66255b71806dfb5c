import type { Node, NodeAPI, NodeMessage } from 'node-red'
import type { Account } from '../../lib/account'
import { type NamedDevice, resolveDevices, type Selection, type Target } from '../../lib/collect/devices'
import { eachOf } from '../../lib/collect/each'
import type { Collected, Form } from '../../lib/collect/records'
import type { EnvlogError } from '../../lib/errors'
import { countOf, deviceOf } from '../../lib/output/content'
import { planMessages } from '../../lib/output/plan'
import type { ActionType } from '../../shared/action'
import type { Output } from '../../shared/outputs'
import { selectionFrom } from './inputs'
import { messageMaker } from './message'
import { evaluator } from './period'
import type { SettingsOf } from './settings'
import type { Outcome } from './status'
import { inWords } from './words'

/** What a node delivers: what was collected, and what only that node says of it. */
export interface Delivery extends Collected {
  range?: { from: string; to: string }
}

/** One trigger at work: what the `run` of a node file gets. */
export interface Task<T extends ActionType> {
  settings: SettingsOf<T>
  account: Account
  signal: AbortSignal
  /** How answers are wanted, as the chosen output says. */
  form: Form
  /** The devices that the settings or the message name. @throws EnvlogError `ENVLOG_INPUT` */
  selection(): Selection
  /**
   * Works on each of them, side by side. What concerns one device is reported and the others go on.
   * @throws EnvlogError the account's failure; the last device's, where none was answered
   */
  eachTarget(work: (target: Target, signal: AbortSignal) => Promise<void>): Promise<void>
  /** A value from message, context, environment or JSONata. */
  evaluate(value: string, type: string): Promise<unknown>
  /** Sends it in the chosen output, each message a clone of the trigger. */
  deliver(delivery: Delivery): Promise<void>
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

/** A task, and how many readings, records or alerts it has sent. */
export function createTask<T extends ActionType>(parts: TaskParts<T>): { task: Task<T>; sent(): number } {
  const { RED, node, trigger, settings, account, signal, show } = parts
  let sent = 0

  const report = ({ device, error }: DeviceFailure) => {
    const about = RED.util.cloneMessage({ ...trigger.msg, envlog: { device: { ...device } } } as never)
    node.error(inWords(RED, error), about)
  }

  const selection = () => selectionFrom(settings, RED, trigger.msg)

  const task: Task<T> = {
    settings,
    account,
    signal,
    form: FORMS[settings.output],
    selection,
    show,
    evaluate: evaluator(RED, node, trigger.msg),

    async deliver(delivery) {
      const { content } = delivery
      const device = deviceOf(content)
      const group =
        device && namesGroup(settings)
          ? (await account.directory.describe(device.serial, device.base.serial, signal)).group
          : ''
      const plan = planMessages(content, { ...settings, group })
      const make = messageMaker({ ...parts, delivery, plan })
      for (const draft of plan.drafts) trigger.send(make(draft))
      sent += countOf(content)
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

/** Output → how its answers are wanted. */
const FORMS: Record<Output, Form> = {
  readings: 'read',
  rows: 'read',
  points: 'read',
  values: 'read',
  raw: 'json',
  csv: 'csv',
  csv2: 'csv2',
}

/** Groups stand in `current` alone: the directory is asked only where the messages name them. */
function namesGroup({ output, topic }: { output: Output; topic: string }): boolean {
  return output === 'rows' || output === 'points' || output === 'values' || topic.includes('{group}')
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
