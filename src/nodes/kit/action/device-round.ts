import type { Node, NodeAPI } from 'node-red'
import type { Account } from '../../../lib/account'
import { type DeviceState, MAX_QUIET_RESENDS } from '../../../lib/collect/device-state'
import {
  type DeviceFailure,
  deviceKey,
  type ResolvedDevice,
  resolveDevices,
  type Selection,
} from '../../../lib/collect/devices'
import { forEachConcurrent } from '../../../lib/collect/for-each'
import type { NodeState } from '../../../lib/collect/node-state'
import { EnvlogError, mayConcernOneDevice } from '../../../lib/errors'
import type { RequestContext } from '../../../lib/request'
import type { ActionType } from '../../../shared/action'
import { OUTPUT_TRAITS, type Output } from '../../../shared/outputs'
import type { DeviceFailures } from '../report/device-failures'
import { formatPastTime } from '../report/status'
import type { createWaitStatus } from '../report/wait-status'

export type DeviceWork = (device: ResolvedDevice, requestContext: RequestContext) => Promise<void>

interface RoundPorts {
  RED: NodeAPI
  node: Node
  account: Account
  nodeState: NodeState
  settings: { exclude: readonly string[]; output: Output; topic: string }
  waitStatus: ReturnType<typeof createWaitStatus>
  failures: DeviceFailures
  createRequestContext(signal: AbortSignal): RequestContext
}

/** A refusal of all devices of a round concerns the account, if there are at least this many. */
const MIN_REFUSED_ALL = 3

/**
 * Processes each chosen device for one trigger. Each failure of a single device is reported once, and the others
 * continue. The last failure is held back until the next one or the end: if all devices failed, it is thrown, so that
 * `done` reports it.
 */
export class DeviceRound {
  hasSucceeded = false
  /** Devices that were skipped because the service has refused them. */
  refusedCount = 0
  readonly #ports: RoundPorts
  readonly #refusals: { device: ResolvedDevice; error: EnvlogError }[] = []
  #lastFailure: DeviceFailure | undefined
  #requested = 0

  constructor(ports: RoundPorts) {
    this.#ports = ports
  }

  /**
   * @param signal aborts when the node closes
   * @throws EnvlogError an error that concerns the account; the error of the last device if all devices failed
   */
  async run(selection: Selection, work: DeviceWork, concurrency: number, signal: AbortSignal): Promise<void> {
    const { account, nodeState, settings, waitStatus, failures, createRequestContext } = this.#ports
    const context = createRequestContext(signal)
    const { devices, unknown } = await resolveDevices(selection, settings.exclude, account.devices, context)
    nodeState.setDevices(devices, ({ serial, base }) => account.devices.has(serial, base) === false)
    // A device that awaits its receipt is not requested, but it has responded before.
    const isAnyAwaited = devices.some((device) => this.#isAwaited(device))
    const due = devices.filter((device) => !this.#isRefused(device) && !this.#isAwaited(device))
    waitStatus.setTotal(due.length)
    for (const failure of unknown) this.#fail(failure)
    try {
      await forEachConcurrent(
        nodeState.leastRecentlyPolledFirst(due),
        concurrency,
        signal,
        (device, deviceSignal) => this.#runOne(device, work, createRequestContext(deviceSignal)),
        (device, error) => this.#failOne(device, error),
        (device) => this.#stateOf(device).isSuspect,
      )
    } catch (error) {
      this.#reportRefusals()
      nodeState.save()
      this.#reportLast()
      throw error
    }
    if (this.#isRefusalOfAll(isAnyAwaited)) {
      this.#reportLast()
      throw this.#refusalOfAll()
    }
    this.#reportRefusals()
    this.refusedCount = devices.filter((device) => this.#isRefused(device)).length
    if (this.#lastFailure && !this.hasSucceeded) throw failures.errorOf(this.#lastFailure)
    this.#reportLast()
  }

  async #runOne(device: ResolvedDevice, work: DeviceWork, context: RequestContext): Promise<void> {
    const { nodeState, waitStatus } = this.#ports
    this.#requested++
    // The list is read first, so that its failure does not waste a response.
    const named = await this.#withNames(device, context)
    try {
      await work(named, context)
    } catch (error) {
      if (wasPolled(error)) nodeState.markPolled(device, isSuspicious(error))
      throw error
    } finally {
      waitStatus.countDone()
    }
    nodeState.markPolled(device)
    this.#stateOf(device).markAnswered()
    this.#warnIfUnacknowledged(device)
    this.#warnIfFarAhead(device)
    this.hasSucceeded = true
  }

  async #withNames(device: ResolvedDevice, context: RequestContext): Promise<ResolvedDevice> {
    const { node, account, settings } = this.#ports
    if (!needsNames(node.type as ActionType, settings) || device.group !== undefined) return device
    const { name = '', group = '' } = (await account.devices.find(device.serial, device.base, context)) ?? {}
    return { ...device, name, group }
  }

  #failOne(device: ResolvedDevice, error: EnvlogError): void {
    const { serial, base } = device
    if (error.reason === 'device-refused') this.#refusals.push({ device, error })
    else this.#fail({ device: { serial, base }, error: error.with({ serial, base }) })
  }

  #fail(failure: DeviceFailure): void {
    this.#reportLast()
    this.#lastFailure = failure
  }

  #reportLast(): void {
    if (this.#lastFailure) this.#ports.failures.report(this.#lastFailure)
    this.#lastFailure = undefined
  }

  /** If all devices are refused, the refusal says nothing about any of them: it is a failure of the account. */
  #isRefusalOfAll(isAnyAwaited: boolean): boolean {
    const { length } = this.#refusals
    return length >= MIN_REFUSED_ALL && length === this.#requested && !isAnyAwaited
  }

  #refusalOfAll(): EnvlogError {
    const { error } = this.#refusals[0] as { error: EnvlogError }
    const { serial: _, base: __, ...cause } = error.cause
    return new EnvlogError('service-refused', error.params, cause)
  }

  #reportRefusals(): void {
    const { account, nodeState } = this.#ports
    for (const { device, error } of this.#refusals) {
      const { serial, base } = device
      const state = this.#stateOf(device)
      const hasAnswered = state.hasAnswered || state.cursor !== null || state.backfill !== null
      const retryAt = new Date(account.now() + state.refuse(account.monotonic())).toISOString()
      // Most likely, its kind has no such data.
      if (!hasAnswered && !nodeState.isFirstReport(device, 'refused')) continue
      this.#fail({ device: { serial, base }, error: error.with({ serial, base, retryAt }) })
    }
  }

  /** Warns once about records that were repeatedly sent without a receipt. */
  #warnIfUnacknowledged(device: ResolvedDevice): void {
    const { RED, node } = this.#ports
    const { unacknowledged } = this.#stateOf(device)
    if (unacknowledged?.resends !== MAX_QUIET_RESENDS + 1) return
    const params = { serial: device.serial, time: formatPastTime(unacknowledged.since) }
    node.warn(RED._('warnings.unacknowledged', params as never))
  }

  /** Warns once: the records of a wrong clock stay among the newest until there are 300 later ones. */
  #warnIfFarAhead(device: ResolvedDevice): void {
    const { RED, node, nodeState } = this.#ports
    if (!this.#stateOf(device).isFarAhead || !nodeState.isFirstReport(device, 'far-ahead')) return
    node.warn(RED._('warnings.far-ahead', { serial: device.serial } as never))
  }

  #stateOf(device: ResolvedDevice): DeviceState {
    return this.#ports.nodeState.device(deviceKey(device))
  }

  #isAwaited(device: ResolvedDevice): boolean {
    return this.#stateOf(device).isAwaitingReceipt(this.#ports.account.monotonic())
  }

  #isRefused(device: ResolvedDevice): boolean {
    return this.#stateOf(device).isPaused(this.#ports.account.monotonic())
  }
}

/** False if the wait for quota failed or was aborted: the device is polled first the next time. */
function wasPolled(error: unknown): boolean {
  return error instanceof EnvlogError && error.code !== 'ENVLOG_QUOTA' && error.code !== 'ENVLOG_CLOSED'
}

const isSuspicious = (error: unknown) => error instanceof EnvlogError && mayConcernOneDevice(error)

/** True if messages contain the group, or the device's name, and its response may lack them: only `current` has both. */
function needsNames(type: ActionType, { output, topic }: { output: Output; topic: string }): boolean {
  if (topic.includes('{group}')) return true
  // Rows of alerts have no group.
  return OUTPUT_TRAITS[output].needsNames && !(output === 'rows' && type === 'envlog-alerts')
}
