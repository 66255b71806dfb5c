import type { Account } from '../../lib/account'
import { type DeviceFailure, resolveDevices, type Selection, type Target } from '../../lib/collect/devices'
import { eachOf } from '../../lib/collect/each'
import type { Form } from '../../lib/collect/records'
import { countOf } from '../../lib/output/content'
import { planMessages } from '../../lib/output/plan'
import type { Asker } from '../../lib/quota/asker'
import type { ActionType } from '../../shared/action'
import type { Output } from '../../shared/outputs'
import { selectionFrom } from './inputs'
import { type Delivery, type MessageParts, messageMaker } from './message'
import { evaluator } from './period'
import type { SettingsOf } from './settings'
import type { Outcome } from './status'
import { createWaits } from './waits'
import { inWords } from './words'

/** One trigger at work: what the `run` of a node file gets. */
export interface Task<T extends ActionType> {
  settings: SettingsOf<T>
  account: Account
  /** Who asks, for what is not about one device alone. */
  asker: Asker
  /** How answers are wanted, as the chosen output says. */
  form: Form
  /** The devices that the settings or the message name. @throws EnvlogError `ENVLOG_INPUT` */
  selection(): Selection
  /**
   * Works on each of them, side by side. What concerns one device is reported and the others go on.
   * @throws EnvlogError the account's failure; the last device's, where none was answered
   */
  eachTarget(work: (target: Target, asker: Asker) => Promise<void>): Promise<void>
  /** A value from message, context, environment or JSONata. */
  evaluate(value: string, type: string): Promise<unknown>
  /** Sends it in the chosen output, each message a clone of the trigger. */
  deliver(delivery: Delivery): void
  show(outcome: Outcome): void
}

export interface TaskParts<T extends ActionType> extends MessageParts<T> {
  signal: AbortSignal
  show(outcome: Outcome): void
}

/** A task, and how many readings, records or alerts came; nothing where nobody was asked. */
export function createTask<T extends ActionType>(
  parts: TaskParts<T>,
): { task: Task<T>; sent(): number | undefined } {
  const { RED, node, trigger, settings, account, signal, show } = parts
  let sent: number | undefined

  const report = ({ device, error }: DeviceFailure) => {
    const about = RED.util.cloneMessage({ ...trigger.msg, envlog: { device: { ...device } } } as never)
    node.error(inWords(RED, error), about)
  }

  const selection = () => selectionFrom(settings, RED, trigger.msg)
  const waits = createWaits(account.quota, show)
  const askWith = (inner: AbortSignal): Asker => ({
    signal: inner,
    line: node.id,
    wait: settings.wait === null ? null : settings.wait * 1000,
    waiting: waits.listen(),
  })
  const asker = askWith(signal)

  const task: Task<T> = {
    settings,
    account,
    asker,
    form: FORMS[settings.output],
    selection,
    show,
    evaluate: evaluator(RED, node, trigger.msg),

    deliver(delivery) {
      const plan = planMessages(delivery.content, { ...settings, group: delivery.group })
      const make = messageMaker({ ...parts, delivery, plan })
      for (const draft of plan.drafts) trigger.send(make(draft))
      delivery.failed?.forEach(report)
      sent = (sent ?? 0) + countOf(delivery.content)
    },

    async eachTarget(work) {
      const failures = failureLog(report)
      const needsDirectory = namesGroup(node.type as ActionType, settings)
      const { targets, unknown } = await resolveDevices(
        selection(),
        settings.exclude,
        account.directory,
        asker,
      )
      const round = account.round(node.id)
      waits.expect(targets.length)
      for (const failure of unknown) failures.add(failure)
      try {
        await eachOf(
          round.order(targets),
          account.concurrency,
          signal,
          async (target, inner) => {
            const { serial, base } = target
            const own = askWith(inner)
            // Asked before the device is: a failure here must not cost an answer that came.
            const told =
              needsDirectory && target.group === undefined
                ? await account.directory.describe(serial, base, own)
                : {}
            await work({ ...target, ...told }, own)
            round.asked(target)
            waits.asked()
            failures.answered()
          },
          (target, error) => {
            const { serial, base } = target
            // What it waited for in vain is its own: it goes first the next time.
            if (error.code !== 'ENVLOG_QUOTA') round.asked(target)
            waits.asked()
            failures.add({ device: { serial, base }, error: error.with({ serial, base }) })
          },
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
function namesGroup(type: ActionType, { output, topic }: { output: Output; topic: string }): boolean {
  if (topic.includes('{group}')) return true
  // A table does not tell the device's name.
  if (output === 'csv' || output === 'csv2') return true
  return output === 'points' || output === 'values' || (output === 'rows' && type !== 'envlog-alerts')
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
