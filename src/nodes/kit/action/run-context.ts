import type { Account } from '../../../lib/account'
import {
  type DeviceFailure,
  type ResolvedDevice,
  resolveDevices,
  type Selection,
} from '../../../lib/collect/devices'
import type { ResponseFormat } from '../../../lib/collect/fetch'
import { forEachConcurrent } from '../../../lib/collect/for-each'
import type { NodeState } from '../../../lib/collect/node-state'
import { isAwaitingReceipt, type PollPorts } from '../../../lib/collect/poll'
import { runCooperatively } from '../../../lib/cooperative'
import { EnvlogError, mayConcernOneDevice } from '../../../lib/errors'
import { countOf } from '../../../lib/output/content'
import { planMessages } from '../../../lib/output/plan'
import type { RequestContext } from '../../../lib/quota/types'
import type { ActionType } from '../../../shared/action'
import type { Output } from '../../../shared/outputs'
import { localizeError } from '../report/localize'
import type { RunStatus } from '../report/status'
import { createWaitStatus } from '../report/wait-status'
import type { SettingsOf } from '../settings/action-settings'
import { evaluateSelection } from '../settings/device-selection'
import { createEvaluator, type Evaluate } from '../settings/typed-input'
import type { RefusedDevices } from '../state/refused-devices'
import { createMessageBuilder, type Delivery, type MessagePorts } from './message'

/** One trigger at work: what the `run` of a node file gets. */
export interface RunContext<T extends ActionType> {
  settings: SettingsOf<T>
  account: Account
  /** Who asks, for what is not about one device alone. */
  requestContext: RequestContext
  /** How answers are wanted, as the chosen output says. */
  format: ResponseFormat
  /** The devices that the settings or the message name. @throws EnvlogError `ENVLOG_INPUT` */
  selection(): Promise<Selection>
  /**
   * Works on each of them, so many side by side (the account's `concurrency` unless told). What concerns one device is reported and the others go on.
   * @throws EnvlogError the account's failure; the last device's, where none was answered
   */
  forEachDevice(
    work: (target: ResolvedDevice, requestContext: RequestContext) => Promise<void>,
    side?: number,
  ): Promise<void>
  /** A value from message, context, environment or JSONata. */
  evaluate: Evaluate
  /** Sends it in the chosen output, each message a clone of the trigger; where it is nothing, only what failed is told. */
  deliver(delivery: Delivery, isNothing?: boolean): Promise<void>
  /** What the node knows of its devices. */
  nodeState: NodeState
  /** The node's id. */
  node: string
  /** For news of single devices: delivery, and a warning that a device's clock was set back. */
  news: PollPorts
  show(outcome: RunStatus): void
}

export interface RunPorts<T extends ActionType> extends MessagePorts<T> {
  nodeState: NodeState
  refused: RefusedDevices
  signal: AbortSignal
  show(outcome: RunStatus): void
}

/** A task, and how many readings, records or alerts came; nothing where nobody was asked. */
export function createRunContext<T extends ActionType>(
  parts: RunPorts<T>,
): { task: RunContext<T>; sent(): number | undefined } {
  const { RED, node, trigger, settings, account, nodeState, refused, signal, show } = parts
  let sent: number | undefined

  const report = ({ device, error }: DeviceFailure) => {
    if (error.reason === 'reply-left-out' && 'serial' in device && !nodeState.isFirstReport(device)) return
    const about = RED.util.cloneMessage({ ...trigger.msg, envlog: { device: { ...device } } } as never)
    node.error(localizeError(RED, error), about)
  }

  const evaluate = createEvaluator(RED, node, trigger.msg)
  const selection = () => evaluateSelection(settings, evaluate)
  const waits = createWaitStatus(account.quota, show)
  const askWith = (inner: AbortSignal): RequestContext => ({
    signal: inner,
    queueKey: node.id,
    maxWaitMs: settings.wait === null ? null : settings.wait * 1000,
    onWait: waits.listen(),
  })
  const requestContext = askWith(signal)

  async function deliver(delivery: Delivery, isNothing = false): Promise<void> {
    sent ??= 0
    if (!isNothing) {
      const plan = planMessages(delivery.content, {
        fieldNames: 'channel',
        ...settings,
        group: delivery.group,
      })
      const make = createMessageBuilder({ ...parts, delivery, plan })
      await runCooperatively(plan.drafts[Symbol.iterator](), signal, (draft, yielder) => {
        if (!draft) return
        trigger.send(make(draft))
        yielder.countMessage()
      })
      sent += countOf(delivery.content)
    }
    delivery.failed?.forEach(report)
  }

  const warn = ({ serial }: ResolvedDevice, what: 'goes-on' | 'stops') =>
    node.warn(
      what === 'stops'
        ? RED._('warnings.clock-set-back-stops', { serial } as never)
        : RED._('warnings.clock-set-back-goes-on', { serial } as never),
    )

  /** Who is worth asking now: not who was refused today, nor whose records wait for their receipt. */
  const isDue = (target: ResolvedDevice) =>
    !refused.has(target) && !isAwaitingReceipt(nodeState, target, account.monotonic())

  const task: RunContext<T> = {
    nodeState,
    node: node.id,
    deliver,
    news: { nodeState, deliver, warn },
    settings,
    account,
    requestContext,
    format: FORMATS[settings.output],
    selection,
    show,
    evaluate,

    async forEachDevice(work, side = account.concurrency) {
      const failures = failureLog(report)
      const needsDirectory = namesGroup(node.type as ActionType, settings)
      const { devices: targets, unknown } = await resolveDevices(
        await selection(),
        settings.exclude,
        account.directory,
        requestContext,
      )
      nodeState.setDevices(targets, ({ serial, base }) => account.directory.has(serial, base) === false)
      const due = targets.filter(isDue)
      waits.expect(due.length)
      for (const failure of unknown) failures.add(failure)
      try {
        await forEachConcurrent(
          nodeState.pollingOrder.leastRecentlyPolledFirst(due),
          side,
          signal,
          async (target, inner) => {
            const { serial, base } = target
            const own = askWith(inner)
            // Asked before the device is: a failure here must not cost an answer that came.
            const told =
              needsDirectory && target.group === undefined
                ? await account.directory.describe(serial, base, own)
                : {}
            try {
              await work({ ...target, ...told }, own)
            } catch (error) {
              if (wasAsked(error)) nodeState.pollingOrder.markPolled(target, isAnybodys(error))
              throw error
            } finally {
              waits.asked()
            }
            nodeState.pollingOrder.markPolled(target)
            sent ??= 0
            failures.answered()
          },
          (target, error) => {
            const { serial, base } = target
            if (error.reason === 'device-refused') refused.add(target)
            failures.add({ device: { serial, base }, error: error.with({ serial, base }) })
          },
          (target) => nodeState.pollingOrder.isSuspect(target),
        )
      } catch (error) {
        failures.flush()
        throw error
      }
      nodeState.save()
      failures.end()
    },
  }
  return { task, sent: () => sent }
}

/** What waited for quota in vain, or was given up, goes first the next time; whatever else came was an answer to it. */
function wasAsked(error: unknown): boolean {
  return error instanceof EnvlogError && error.code !== 'ENVLOG_QUOTA' && error.code !== 'ENVLOG_CLOSED'
}

const isAnybodys = (error: unknown) => error instanceof EnvlogError && mayConcernOneDevice(error)

/** Output → how its answers are wanted. */
const FORMATS: Record<Output, ResponseFormat> = {
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
