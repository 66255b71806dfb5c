import { inBackground } from '../../../lib/background'
import { type DeviceState, MAX_QUIET_RESENDS } from '../../../lib/collect/device-state'
import {
  type DeviceFailure,
  deviceKey,
  type ResolvedDevice,
  resolveDevices,
} from '../../../lib/collect/devices'
import { Filling } from '../../../lib/collect/fill'
import { forEachConcurrent, isShortOfQuota } from '../../../lib/collect/for-each'
import { EnvlogError, isAmbiguous, isShortOfRecords } from '../../../lib/errors'
import type { RequestContext } from '../../../lib/request'
import type { ActionType } from '../../../shared/action'
import { OUTPUT_TRAITS, type Output } from '../../../shared/outputs'
import { formatTime } from '../report/times'
import { translate } from '../report/translate'
import { type DeviceWork, type RoundOptions, Run } from './run'

/** If all devices of a round are refused, and there are at least this many, the cause is assumed to be the account. */
const MIN_REFUSED_ALL = 3

/**
 * The processing of a trigger by a deployed node. A failure of a single device is reported once, and the other devices
 * continue. Reporting is delayed by one: each failure is reported when the next one occurs or at the end. If all
 * devices failed, the last failure is thrown instead, so that `done` reports it.
 */
export class TriggerRun<T extends ActionType> extends Run<T> {
  readonly #refusals: { device: ResolvedDevice; error: EnvlogError }[] = []
  /** Devices at the end of the round, because their record quota is used up, or a page of them is being fetched. */
  readonly #putOffDevices: ResolvedDevice[] = []
  /** The devices that were not requested, because they await a receipt. */
  readonly #awaited = new Set<ResolvedDevice>()
  /** The devices of which a response is awaited. */
  readonly #busy = new Set<ResolvedDevice>()
  #filling: Filling | undefined
  #lastFailure: DeviceFailure | undefined
  #hasSucceeded = false

  override get awaitedCount(): number {
    return this.#awaited.size
  }

  override async forEachDevice(work: DeviceWork, options: RoundOptions = {}): Promise<void> {
    const { account, nodeState, requestContext } = this
    const { devices, unknown } = await findDevices(this)
    for (const { serial, base } of nodeState.devices.mayHaveMoved(devices))
      await account.devices.filter((other) => other.serial === serial && other.base === base, requestContext)
    nodeState.devices.select(devices, ({ serial, base }) => account.devices.has(serial, base) === false)
    const now = account.monotonic()
    for (const device of devices) if (this.#stateOf(device).receiptWait(now) > 0) this.#awaited.add(device)
    for (const failure of this.checkUnknown(unknown)) this.#fail(failure)
    if (!this.trigger.isOwn) this.#reportPaused(devices)
    if (options.fills) this.#filling = this.#beginFilling(devices, work)
    try {
      await this.#round(devices, work, options)
    } catch (error) {
      // Pages have a quota of their own.
      if (isShortOfQuota(error)) await this.#filling?.complete()
      else await this.#filling?.pause()
      throw error
    }
    this.refusedCount = devices.filter((device) => this.#stateOf(device).refusal.left(now) > 0).length
    await this.#filling?.complete()
  }

  #beginFilling(devices: readonly ResolvedDevice[], work: DeviceWork): Filling {
    const [awaited, busy] = [this.#awaited, this.#busy]
    const poll: DeviceWork = async (device, context) => {
      await work(device, context)
      awaited.delete(device)
    }
    return new Filling(this, { devices, awaited, busy, poll }, this.requestContext)
  }

  /** Polls the devices that do not await a receipt. */
  async #round(
    devices: readonly ResolvedDevice[],
    work: DeviceWork,
    { concurrency = this.account.concurrency }: RoundOptions,
  ): Promise<void> {
    const { account, nodeState, requestContext, progress } = this
    const awaited = this.#awaited
    const now = account.monotonic()
    const due = devices.filter(
      (device) => !awaited.has(device) && this.#stateOf(device).refusal.left(now) === 0,
    )
    progress.total = due.length
    const forEach = (list: readonly ResolvedDevice[], isLast: boolean) =>
      forEachConcurrent(list, concurrency, requestContext.signal, {
        work: (device, signal, passOn) => {
          if (this.#busy.has(device)) return this.#putOff(device)
          if (this.#filling && this.#stateOf(device).receiptWait(account.monotonic()) > 0)
            return this.#await(device)
          return this.#processOne(device, work, {
            ...{ ...requestContext, signal, onWait: progress.createListener() },
            ...(!isLast && { maxRecordsWaitMs: 0 }),
            ...(needsNames(this) && { onNamesWait: passOn }),
          })
        },
        reportFailure: (device, error) => this.#failOne(device, error),
        hasFailedAmbiguously: (device) => nodeState.devices.hasFailedAmbiguously(device),
      })
    let failure: unknown
    try {
      const round = forEach(nodeState.devices.leastRecentlyPolledFirst(due), false)
      inBackground(requestNames(this, due))
      await round
      if (this.#putOffDevices.length > 0) await this.#filling?.pause()
      await forEach(this.#putOffDevices.splice(0), true)
      if (awaited.size === 0) failure = this.#refusalOfAll(due.length)
    } catch (error) {
      failure = error
      // The next trigger continues here, even after a crash.
      nodeState.save()
    }
    this.#reportRefusals()
    // A device that awaits its receipt is not requested, but it has succeeded before.
    const hasSucceeded = this.#hasSucceeded || awaited.size > 0
    if (!failure && this.#lastFailure && !hasSucceeded) throw this.withDeviceName(this.#lastFailure)
    if (this.#lastFailure) this.report(this.#lastFailure)
    if (failure) throw failure
    if (this.#hasSucceeded) this.deliveredCount ??= 0
  }

  /** Puts a device at the end of the round. */
  async #putOff(device: ResolvedDevice): Promise<void> {
    this.#putOffDevices.push(device)
  }

  /** A page of the device was sent during the round, and its receipt is awaited. */
  async #await(device: ResolvedDevice): Promise<void> {
    this.#awaited.add(device)
    this.progress.done++
  }

  /** @param context if `maxRecordsWaitMs` is 0, a device whose record quota is used up is put at the end of the round */
  async #processOne(device: ResolvedDevice, work: DeviceWork, context: RequestContext): Promise<void> {
    const { account, nodeState, progress } = this
    this.#busy.add(device)
    try {
      await work(device, context)
    } catch (error) {
      if (context.maxRecordsWaitMs === 0 && error instanceof EnvlogError && isShortOfRecords(error))
        return this.#putOff(device)
      progress.done++
      if (wasPolled(error)) nodeState.devices.markPolled(device, isAmbiguous(error))
      throw error
    } finally {
      this.#busy.delete(device)
    }
    progress.done++
    nodeState.devices.markPolled(device)
    this.respondedAt ??= account.monotonic()
    this.#stateOf(device).markResponded()
    this.#warnOnce(device)
    this.#hasSucceeded = true
    this.#filling?.polled()
  }

  #failOne(device: ResolvedDevice, error: EnvlogError): void {
    const { serial, base } = device
    if (error.reason === 'device-refused') this.#refusals.push({ device, error })
    else this.#fail({ device: { serial, base }, error: error.with({ serial, base }) })
  }

  #fail(failure: DeviceFailure): void {
    if (this.#lastFailure) this.report(this.#lastFailure)
    this.#lastFailure = failure
  }

  /** The error of the account if all devices were refused; `undefined` otherwise. */
  #refusalOfAll(requested: number): EnvlogError | undefined {
    const refusals = this.#refusals
    const [first] = refusals
    if (!first || refusals.length < MIN_REFUSED_ALL || refusals.length < requested) return undefined
    const { serial: _, base: __, ...cause } = first.error.cause
    const { trigger } = this
    for (const { device, error } of refusals.splice(0)) if (!trigger.isOwn) this.#reportDevice(device, error)
    return new EnvlogError('service-refused', first.error.params, cause)
  }

  /** Reports the devices that are not requested because the service has refused them. */
  #reportPaused(devices: readonly ResolvedDevice[]): void {
    const { account } = this
    for (const device of devices) {
      const leftMs = this.#stateOf(device).refusal.left(account.monotonic())
      if (leftMs > 0 && !this.#awaited.has(device)) this.#reportRefused(device, leftMs)
    }
  }

  /**
   * Reports that a device is skipped, which does not fail the trigger.
   * @param ms how long it is still skipped
   * @param error of this trigger; absent if an earlier one was refused
   */
  #reportRefused(device: ResolvedDevice, ms: number, error?: EnvlogError): void {
    // In whole seconds, so that it is the same each time.
    const retryAt = new Date(Math.ceil((this.account.now() + ms) / 1000) * 1000).toISOString()
    this.#reportDevice(device, (error ?? new EnvlogError('device-paused', { retryAt })).with({ retryAt }))
  }

  #reportDevice({ serial, base }: ResolvedDevice, error: EnvlogError): void {
    this.report({ device: { serial, base }, error: error.with({ serial, base }) })
  }

  #reportRefusals(): void {
    const { account, nodeState, trigger } = this
    for (const { device, error } of this.#refusals) {
      const state = this.#stateOf(device)
      const { hasResponded } = state
      const pauseMs = state.refuse(account.monotonic(), this.deployed.node.type === 'envlog-alerts')
      // Devices of this type probably never provide this data, so the node's own triggers report it only once.
      if (trigger.isOwn && !hasResponded && !nodeState.isFirstReport(device, 'refused')) continue
      this.#reportRefused(device, pauseMs, error)
    }
  }

  /**
   * Warns about records that were sent repeatedly without a receipt, and about a page that is never confirmed
   * (docs/collecting.md); once each.
   */
  #warnOnce(device: ResolvedDevice): void {
    const { deployed, nodeState } = this
    const { RED, node } = deployed
    const { serial } = device
    const { unacknowledged, pages } = this.#stateOf(device)
    if (unacknowledged?.resends === MAX_QUIET_RESENDS + 1) {
      const time = formatTime(unacknowledged.since)
      node.warn(translate(RED, 'warnings.unacknowledged', { serial, time }))
    }
    if (pages.isRefused && nodeState.isFirstReport(device, 'refused-page'))
      node.warn(translate(RED, 'warnings.refused-page', { serial }))
  }

  #stateOf(device: ResolvedDevice): DeviceState {
    return this.nodeState.devices.get(deviceKey(device))
  }
}

/**
 * The chosen devices, and those that the account does not have.
 * @throws EnvlogError `ENVLOG_INPUT`, `account-empty`, or if the request for the account's list fails
 */
export async function findDevices<T extends ActionType>(
  run: Run<T>,
): Promise<{ devices: readonly ResolvedDevice[]; unknown: readonly DeviceFailure[] }> {
  const { account, requestContext, settings } = run
  const selection = await run.evaluateSelection()
  await run.checkAccount(selection)
  return resolveDevices(selection, settings.exclude, account.devices, requestContext)
}

/** Requests the account's list if messages need what only the list has. If it fails, they are sent without it. */
export async function requestNames<T extends ActionType>(
  run: Run<T>,
  devices: readonly ResolvedDevice[],
): Promise<void> {
  if (devices.length === 0 || !needsNames(run)) return
  await run.account.devices.requestNames(devices, run.requestContext)
}

/** False if the wait for quota failed or was aborted, so that the device comes first in the next round. */
function wasPolled(error: unknown): error is EnvlogError {
  return error instanceof EnvlogError && error.code !== 'ENVLOG_QUOTA' && error.code !== 'ENVLOG_CLOSED'
}

/** Whether messages need the group or the name of the device, which only responses of `current` reliably contain. */
function needsNames<T extends ActionType>({ deployed, settings }: Run<T>): boolean {
  const { output, topic }: { output: Output; topic: string } = settings
  if (topic.includes('{group}')) return true
  // Of the outputs of alerts, only points have the group.
  return OUTPUT_TRAITS[output].needsNames && (deployed.node.type !== 'envlog-alerts' || output === 'points')
}
