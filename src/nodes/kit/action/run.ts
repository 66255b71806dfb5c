import type { Node, NodeAPI } from 'node-red'
import type { Account } from '../../../lib/account'
import { nextTurn } from '../../../lib/clock'
import {
  type DeviceFailure,
  deviceKey,
  isUnknown,
  type ResolvedDevice,
  type Selection,
} from '../../../lib/collect/devices'
import type { Delivery, ResponseFormat } from '../../../lib/collect/fetch'
import type { LostPeriod } from '../../../lib/collect/holes'
import type { FillRun, OpenDevice } from '../../../lib/collect/next-page'
import type { NodeState } from '../../../lib/collect/node-state'
import type { TimeStyle } from '../../../lib/decode/time'
import { EnvlogError } from '../../../lib/errors'
import { planMessages } from '../../../lib/output/plan'
import { type Content, countOf } from '../../../lib/readings/content'
import { convertTemperatures } from '../../../lib/readings/convert-temperatures'
import { MAX_AGE_MS, type RequestContext } from '../../../lib/request'
import type { ActionType } from '../../../shared/action'
import type { SettingsOf } from '../../../shared/action-schemas'
import { hasLocalTimes, OUTPUT_TRAITS } from '../../../shared/outputs'
import type { DeviceProblems, Problems } from '../report/device-problems'
import { formatLoss, localizeError } from '../report/localize'
import { Progress } from '../report/progress'
import type { RunStatus } from '../report/status'
import { translate } from '../report/translate'
import { evaluateSelection } from '../settings/device-selection'
import { createEvaluator, type Evaluate } from '../settings/typed-input'
import { createMessageBuilder } from './message'
import { sendInTurns } from './send-in-turns'
import type { Trigger } from './start-node'

/** The parts of a deployed action node that all its runs use. */
export interface Deployed<T extends ActionType> {
  RED: NodeAPI
  node: Node
  settings: SettingsOf<T>
  account: Account
  nodeState: NodeState
  /** Aborts when the node closes. */
  signal: AbortSignal
  problems: Problems
  setStatus(status: RunStatus): void
}

export type DeviceWork = (device: ResolvedDevice, requestContext: RequestContext) => Promise<void>

export interface RoundOptions {
  /** Number of devices at the same time; the account's setting by default. */
  concurrency?: number
  /** Whether missing records are fetched between the devices, and afterwards until another trigger waits. */
  fills?: boolean
}

/** The processing of a trigger. The `run` function in the node's file requests devices and delivers results with it. */
export abstract class Run<T extends ActionType> implements FillRun {
  readonly progress: Progress
  /** For requests that are not about a single device. */
  readonly requestContext: RequestContext
  /** Evaluates a typed input for the trigger's message. */
  readonly evaluateTypedInput: Evaluate = (value, type) => {
    const { RED, node } = this.deployed
    return createEvaluator(RED, node, this.trigger.msg)(value, type)
  }
  /** Number of delivered readings, records or alerts; `undefined` if no device was due. */
  deliveredCount: number | undefined
  /** When the first response arrived, monotonic ms. */
  respondedAt: number | undefined
  /** Maximum number of pages of a period. */
  readonly maxPages: number = Number.POSITIVE_INFINITY
  /** Number of devices without records in the requested period. */
  emptyCount = 0
  /** Number of devices that are currently skipped because the service refused them. */
  refusedCount = 0

  constructor(
    readonly deployed: Deployed<T>,
    readonly trigger: Trigger,
    readonly interrupt: AbortSignal,
  ) {
    const { node, settings, account, nodeState, signal, setStatus } = deployed
    this.progress = new Progress(account, setStatus)
    this.requestContext = {
      signal,
      queueKey: node.id,
      maxWaitMs: settings.wait === null ? null : settings.wait * 1000,
      onWait: this.progress.createListener(),
      // A node does not get its last response again.
      ...(trigger.isOwn && {
        maxAgeMs: Math.min(MAX_AGE_MS, account.monotonic() - nodeState.respondedAt),
      }),
    }
  }

  get settings(): SettingsOf<T> {
    return this.deployed.settings
  }

  get account(): Account {
    return this.deployed.account
  }

  get nodeState(): NodeState {
    return this.deployed.nodeState
  }

  get nodeId(): string {
    return this.deployed.node.id
  }

  /** Format of times in messages. */
  get time(): TimeStyle {
    return hasLocalTimes(this.settings) ? this.account.localTime : 'utc'
  }

  /** The response format that the chosen output needs. */
  get format(): ResponseFormat {
    return OUTPUT_TRAITS[this.settings.output].format
  }

  /** Determines the devices from the settings or the message. @throws EnvlogError `ENVLOG_INPUT` */
  evaluateSelection(): Promise<Selection> {
    return evaluateSelection(this.settings, this.evaluateTypedInput)
  }

  /** An account is hardly ever really empty: its login may no longer see the devices. @throws EnvlogError `account-empty` */
  async checkAccount(selection: Selection): Promise<void> {
    const { account, requestContext } = this
    if (selection === 'all' && (await account.devices.all(requestContext)).length === 0)
      throw new EnvlogError('account-empty')
  }

  /**
   * Calls `work` for each device. An error of a single device is reported, and the others continue.
   * @throws EnvlogError if the account fails or, with the error of the last device, if all devices failed
   */
  abstract forEachDevice(work: DeviceWork, options?: RoundOptions): Promise<void>

  /** Number of devices that were not requested, because they await a receipt. */
  get awaitedCount(): number {
    return 0
  }

  get problems(): DeviceProblems {
    const { losses, unknown } = this.deployed.problems
    const { refusedCount: refused, awaitedCount: awaited, emptyCount: empty } = this
    return { refused, losses, unknown, awaited, empty }
  }

  /**
   * Notes the chosen devices and groups that the account does not have. If the node triggers itself, it reports only
   * those that were there at the last trigger, and does not fail because of them.
   * @returns the failures that are still to be reported
   */
  checkUnknown(failures: readonly DeviceFailure[]): readonly DeviceFailure[] {
    const added = this.deployed.problems.setUnknown(failures)
    if (!this.trigger.isOwn) return failures
    for (const failure of added) this.report(failure)
    return failures.filter((failure) => !isUnknown(failure))
  }

  onFill(open: readonly OpenDevice[]): void {
    this.progress.showFilling(this.problems, open)
  }

  reportPage({ serial, base }: ResolvedDevice, error: EnvlogError, retryAt: number | undefined): void {
    const cause = { serial, base, ...(retryAt !== undefined && { retryAt: new Date(retryAt).toISOString() }) }
    this.report({ device: { serial, base }, error: error.with(cause) })
  }

  reportLoss(device: ResolvedDevice, lost?: LostPeriod): void {
    const { RED, node } = this.deployed
    this.deployed.problems.addLoss(deviceKey(device))
    // The same period, or one that overlaps it, may be requested again and again.
    if (node.type === 'envlog-range' && !this.nodeState.isFirstReport(device, 'lost')) return
    const what = node.type === 'envlog-alerts' ? 'alerts' : 'records'
    const name = this.account.devices.nameOf(device)
    node.warn(formatLoss(RED, what, { serial: device.serial, name }, lost, this.account.localTime))
  }

  reportAhead(device: ResolvedDevice): void {
    const { RED, node } = this.deployed
    const { serial } = device
    if (this.nodeState.isFirstReport(device, 'ahead')) node.warn(translate(RED, 'warnings.ahead', { serial }))
  }

  /** Sends the data in the chosen output and reports its failures. With `isEmpty`, it only reports failures. */
  async deliver(delivery: Delivery, isEmpty = false): Promise<void> {
    this.deliveredCount ??= 0
    if (!isEmpty) {
      // The flow may change what it receives.
      const count = countOf(delivery.content)
      await this.#send(delivery)
      this.deliveredCount += count
      if (delivery.backfill) this.progress.filled += count
    }
    for (const failure of delivery.failed ?? []) this.report(failure)
  }

  /**
   * Reports the failure of a single device to Catch nodes, with the trigger's message and the device in `msg.envlog`.
   * If the node triggers itself, unreadable parts of a response are reported once per device.
   */
  report(failure: DeviceFailure): void {
    const { RED, node } = this.deployed
    const { device, error } = failure
    const isRepeated = this.trigger.isOwn && 'serial' in device && error.reason === 'response-left-out'
    if (isRepeated && !this.nodeState.isFirstReport(device, 'unreadable')) return
    const msg = RED.util.cloneMessage({ ...this.trigger.msg, envlog: { device: { ...device } } } as never)
    node.error(localizeError(RED, this.withDeviceName(failure)), msg)
  }

  /** The error with the device at the beginning of its text, unless the text already contains the device. */
  withDeviceName({ device, error }: DeviceFailure): EnvlogError {
    if (!('serial' in device) || error.subject || error.reason === 'device-unknown') return error
    return error.about({ serial: device.serial, name: this.account.devices.nameOf(device) })
  }

  /** Converts temperatures to the account's unit, if it has one. */
  protected async toAccountUnit(content: Content): Promise<Content> {
    const { temperatureUnit } = this.account
    return temperatureUnit ? convertTemperatures(content, temperatureUnit) : content
  }

  async #send(delivery: Delivery): Promise<void> {
    const content = await this.toAccountUnit(delivery.content)
    const plan = await planMessages(content, {
      fieldNames: 'channel',
      ...this.settings,
      time: this.time,
      group: delivery.group,
    })
    const buildMessage = createMessageBuilder({ ...this.deployed, trigger: this.trigger }, delivery, plan)
    // If this node is closing, the receivers may no longer exist, so the messages do not count as delivered.
    const throwIfClosed = () => {
      if (this.deployed.signal.aborted) throw new EnvlogError('closed')
    }
    await sendInTurns(plan.messages, (draft) => {
      throwIfClosed()
      this.trigger.send(buildMessage(draft))
    })
    // Node-RED delivers the last ones.
    await nextTurn()
    throwIfClosed()
  }
}
