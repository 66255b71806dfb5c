import { type DeviceState, MAX_QUIET_RESENDS } from '../../../lib/collect/device-state'
import {
  type DeviceFailure,
  deviceKey,
  type ResolvedDevice,
  resolveDevices,
  type Selection,
} from '../../../lib/collect/devices'
import { forEachConcurrent } from '../../../lib/collect/for-each'
import { EnvlogError, isAmbiguous } from '../../../lib/errors'
import type { RequestContext } from '../../../lib/request'
import type { ActionType } from '../../../shared/action'
import { OUTPUT_TRAITS, type Output } from '../../../shared/outputs'
import { nameDevice, reportFailure } from '../report/device-failures'
import { formatTime } from '../report/status'
import type { WaitStatus } from '../report/wait-status'
import type { RunContext } from './run-context'

export type DeviceWork = (device: ResolvedDevice, requestContext: RequestContext) => Promise<void>

/** If all devices of a round are refused, and there are at least this many, the cause is assumed to be the account. */
const MIN_REFUSED_ALL = 3

/**
 * Processes all chosen devices for one trigger. A failure of a single device is reported once, and the other devices
 * continue. Reporting is delayed by one: each failure is reported when the next one occurs or at the end. If all
 * devices failed, the last failure is thrown instead, so that `done` reports it.
 */
export class DeviceRound<T extends ActionType> {
  readonly #context: RunContext<T>
  readonly #requestContext: RequestContext
  readonly #waitStatus: WaitStatus
  readonly #refusals: { device: ResolvedDevice; error: EnvlogError }[] = []
  #lastFailure: DeviceFailure | undefined
  #hasSucceeded = false

  /** @param requestContext for requests that are not about a single device */
  constructor(context: RunContext<T>, requestContext: RequestContext, waitStatus: WaitStatus) {
    this.#context = context
    this.#requestContext = requestContext
    this.#waitStatus = waitStatus
  }

  /**
   * @returns whether a device was requested, and how many are skipped because the service has refused them
   * @throws EnvlogError if the account fails or, with the error of the last device, if all devices failed
   */
  async run(selection: Selection, work: DeviceWork, concurrency: number) {
    const { account, nodeState, settings, signal } = this.#context
    const context = this.#requestContext
    const { devices, unknown } = await resolveDevices(selection, settings.exclude, account.devices, context)
    nodeState.setDevices(devices, ({ serial, base }) => account.devices.has(serial, base) === false)
    const due = devices.filter((device) => !this.#isRefused(device) && !this.#isAwaited(device))
    // A device that awaits its receipt is not requested, but it has succeeded before.
    const isAnyAwaited = devices.some((device) => this.#isAwaited(device))
    this.#waitStatus.total = due.length
    for (const failure of unknown) this.#fail(failure)
    let failure: unknown
    try {
      await forEachConcurrent(
        nodeState.leastRecentlyPolledFirst(due),
        concurrency,
        signal,
        (device, deviceSignal) => this.#runOne(device, work, deviceSignal),
        (device, error) => this.#failOne(device, error),
        (device) => this.#stateOf(device).hasFailedAmbiguously,
      )
      if (!isAnyAwaited) failure = this.#refusalOfAll(due.length)
    } catch (error) {
      failure = error
      // The next trigger continues here, even after a crash.
      nodeState.save()
    }
    this.#reportRefusals()
    if (!failure && this.#lastFailure && !this.#hasSucceeded) throw nameDevice(account, this.#lastFailure)
    this.#reportLast()
    if (failure) throw failure
    const refused = devices.filter((device) => this.#isRefused(device)).length
    return { wasRequested: this.#hasSucceeded, refused }
  }

  async #runOne(device: ResolvedDevice, work: DeviceWork, signal: AbortSignal): Promise<void> {
    const { nodeState } = this.#context
    const requestContext = { ...this.#requestContext, signal, onWait: this.#waitStatus.createListener() }
    // The device list is fetched first, so that no response is wasted if that fails.
    const named = await this.#withNames(device, requestContext)
    try {
      await work(named, requestContext)
    } catch (error) {
      if (wasPolled(error)) nodeState.markPolled(device, isAmbiguous(error))
      throw error
    } finally {
      this.#waitStatus.done++
    }
    nodeState.markPolled(device)
    this.#stateOf(device).markResponded()
    this.#warnIfUnacknowledged(device)
    this.#warnIfFarAhead(device)
    this.#hasSucceeded = true
  }

  async #withNames(device: ResolvedDevice, requestContext: RequestContext): Promise<ResolvedDevice> {
    const { node, account, settings } = this.#context
    if (!needsNames(node.type as ActionType, settings) || device.group !== undefined) return device
    const { name = '', group = '' } =
      (await account.devices.find(device.serial, device.base, requestContext)) ?? {}
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
    if (this.#lastFailure) reportFailure(this.#context, this.#lastFailure)
    this.#lastFailure = undefined
  }

  /** The error of the account if all devices were refused; `undefined` otherwise. */
  #refusalOfAll(requested: number): EnvlogError | undefined {
    const refusals = this.#refusals
    const [first] = refusals
    if (!first || refusals.length < MIN_REFUSED_ALL || refusals.length < requested) return undefined
    const { serial: _, base: __, ...cause } = first.error.cause
    refusals.length = 0
    return new EnvlogError('service-refused', first.error.params, cause)
  }

  #reportRefusals(): void {
    const { account, nodeState } = this.#context
    for (const { device, error } of this.#refusals) {
      const { serial, base } = device
      const state = this.#stateOf(device)
      const hasResponded = state.hasResponded || state.cursor !== null || state.backfill !== null
      const retryAt = new Date(account.now() + state.refuse(account.monotonic())).toISOString()
      // Devices of this type probably never provide this data, so it is reported only once.
      if (!hasResponded && !nodeState.isFirstReport(device, 'refused')) continue
      this.#fail({ device: { serial, base }, error: error.with({ serial, base, retryAt }) })
    }
  }

  /** Warns once about records that were repeatedly sent without a receipt. */
  #warnIfUnacknowledged(device: ResolvedDevice): void {
    const { unacknowledged } = this.#stateOf(device)
    if (unacknowledged?.resends !== MAX_QUIET_RESENDS + 1) return
    this.#warn('unacknowledged', { serial: device.serial, time: formatTime(unacknowledged.since) })
  }

  /** Warns once if records with times far in the future hide the current ones (docs/collecting.md). */
  #warnIfFarAhead(device: ResolvedDevice): void {
    const { nodeState } = this.#context
    if (this.#stateOf(device).isFarAhead && nodeState.isFirstReport(device, 'far-ahead'))
      this.#warn('far-ahead', { serial: device.serial })
  }

  #warn(warning: string, params: Record<string, string>): void {
    const { RED, node } = this.#context
    node.warn(RED._(`warnings.${warning}`, params))
  }

  #stateOf(device: ResolvedDevice): DeviceState {
    return this.#context.nodeState.device(deviceKey(device))
  }

  #isAwaited(device: ResolvedDevice): boolean {
    return this.#stateOf(device).isAwaitingReceipt(this.#context.account.monotonic())
  }

  #isRefused(device: ResolvedDevice): boolean {
    return this.#stateOf(device).isPaused(this.#context.account.monotonic())
  }
}

/** False if the wait for quota failed or was aborted, so that the device comes first in the next round. */
function wasPolled(error: unknown): error is EnvlogError {
  return error instanceof EnvlogError && error.code !== 'ENVLOG_QUOTA' && error.code !== 'ENVLOG_CLOSED'
}

/** Whether messages need the group or the name of the device, which only responses of `current` reliably contain. */
function needsNames(type: ActionType, { output, topic }: { output: Output; topic: string }): boolean {
  if (topic.includes('{group}')) return true
  // Rows of alerts have no group.
  return OUTPUT_TRAITS[output].needsNames && !(output === 'rows' && type === 'envlog-alerts')
}
