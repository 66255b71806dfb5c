import type { Account } from '../../../lib/account'
import { nextTurn } from '../../../lib/clock'
import { type DeviceState, MAX_QUIET_RESENDS } from '../../../lib/collect/device-state'
import {
  type DeviceFailure,
  deviceKey,
  type ResolvedDevice,
  resolveDevices,
  type Selection,
} from '../../../lib/collect/devices'
import type { ResponseFormat } from '../../../lib/collect/fetch'
import { forEachConcurrent } from '../../../lib/collect/for-each'
import type { NodeState } from '../../../lib/collect/node-state'
import type { PollPorts } from '../../../lib/collect/poll'
import type { TimeStyle } from '../../../lib/decode/time'
import { EnvlogError, mayConcernOneDevice } from '../../../lib/errors'
import { planMessages } from '../../../lib/output/plan'
import { countOf } from '../../../lib/readings/content'
import { convertTemperatures } from '../../../lib/readings/temperature'
import type { RequestContext } from '../../../lib/request'
import type { ActionType } from '../../../shared/action'
import { DEFAULT_CHUNK, type Output } from '../../../shared/outputs'
import { localizeError } from '../report/localize'
import { formatPastTime, type RunStatus } from '../report/status'
import { createWaitStatus } from '../report/wait-status'
import type { SettingsOf } from '../settings/action-settings'
import { evaluateSelection } from '../settings/device-selection'
import { createEvaluator, type Evaluate } from '../settings/typed-input'
import { createMessageBuilder, type Delivery, type MessagePorts } from './message'

/** What the `run` of a node file works with, for one trigger. */
export interface RunContext<T extends ActionType> {
  settings: SettingsOf<T>
  account: Account
  /** For requests that are not about one device. */
  requestContext: RequestContext
  /** How messages write times. */
  time: TimeStyle
  /** What the chosen output needs of the answers. */
  format: ResponseFormat
  /** The devices that the settings or the message name. @throws EnvlogError `ENVLOG_INPUT` */
  evaluateSelection(): Promise<Selection>
  /**
   * Calls `work` for each device. Errors of one device are reported, and the others go on.
   * @param concurrency devices at the same time; by default that of the account
   * @throws EnvlogError an error that concerns the account; that of the last device, if all devices failed
   */
  forEachDevice(
    work: (device: ResolvedDevice, requestContext: RequestContext) => Promise<void>,
    concurrency?: number,
  ): Promise<void>
  evaluateTypedInput: Evaluate
  /** Sends the data in the chosen output, and reports its failures; with `isEmpty` it only reports. */
  deliver(delivery: Delivery, isEmpty?: boolean): Promise<void>
  nodeState: NodeState
  nodeId: string
  /** For polling: delivers the data of one device. */
  pollPorts: PollPorts
  setStatus(status: RunStatus): void
}

export interface RunPorts<T extends ActionType> extends MessagePorts<T> {
  nodeState: NodeState
  /** Aborts when the node closes. */
  signal: AbortSignal
  setStatus(status: RunStatus): void
}

/** A refusal of all devices of a round is that of the account, if there are so many. */
const MIN_REFUSED_ALL = 3

/** Node-RED delivers each message in a callback of its own, after the sender has yielded. */
const MESSAGES_PER_TURN = 64

/**
 * Creates what one trigger works with.
 * @returns also how many readings, records or alerts were delivered, `undefined` where no device was due; and how many
 * devices were left out because the service has refused them
 */
export function createRunContext<T extends ActionType>(
  ports: RunPorts<T>,
): { context: RunContext<T>; deliveredCount(): number | undefined; refusedCount(): number } {
  const { RED, node, trigger, settings, account, nodeState, signal, setStatus } = ports
  const stateOf = (device: ResolvedDevice): DeviceState => nodeState.device(deviceKey(device))
  const time = settings.time === 'local' ? account.localTime : 'utc'
  let deliveredCount: number | undefined
  let refusedCount = 0

  /** The error of a device, whose sentence begins with the device if it does not name it. */
  function errorOf({ device, error }: DeviceFailure): EnvlogError {
    if (!('serial' in device) || error.subject || error.reason === 'device-unknown') return error
    return error.about({ serial: device.serial, name: account.devices.nameOf(device) })
  }

  const report = ({ device, error }: DeviceFailure) => {
    if (
      error.reason === 'reply-left-out' &&
      'serial' in device &&
      !nodeState.isFirstReport(device, 'unreadable')
    )
      return
    const msg = RED.util.cloneMessage({ ...trigger.msg, envlog: { device: { ...device } } } as never)
    node.error(localizeError(RED, errorOf({ device, error })), msg)
  }

  const evaluateTypedInput = createEvaluator(RED, node, trigger.msg)
  const waitStatus = createWaitStatus(account.quota, setStatus)
  const createRequestContext = (requestSignal: AbortSignal): RequestContext => ({
    signal: requestSignal,
    queueKey: node.id,
    maxWaitMs: settings.wait === null ? null : settings.wait * 1000,
    onWait: waitStatus.createListener(),
  })
  const requestContext = createRequestContext(signal)

  /**
   * Lets Node-RED hand over what was sent. Once this node is being closed, its receivers may be gone, and what was sent
   * does not count as delivered.
   */
  async function endTurn(): Promise<void> {
    await nextTurn()
    if (signal.aborted) throw new EnvlogError('closed')
  }

  async function deliver(delivery: Delivery, isEmpty = false): Promise<void> {
    deliveredCount ??= 0
    if (!isEmpty) {
      const content = await convertTemperatures(delivery.content, account.temperatureUnit)
      const plan = planMessages(content, {
        fieldNames: 'channel',
        chunk: DEFAULT_CHUNK,
        ...settings,
        time,
        group: delivery.group,
      })
      const buildMessage = createMessageBuilder({ ...ports, delivery, plan })
      let sent = 0
      for (const draft of plan.messages) {
        if (draft) trigger.send(buildMessage(draft))
        const isTurnOver = !draft || ++sent % MESSAGES_PER_TURN === 0
        if (isTurnOver) await endTurn()
      }
      await endTurn()
      deliveredCount += countOf(delivery.content)
    }
    delivery.failed?.forEach(report)
  }

  /** Once for what was sent again and again without a receipt. */
  function warnIfUnacknowledged(device: ResolvedDevice): void {
    const { unacknowledged } = stateOf(device)
    if (unacknowledged?.resends !== MAX_QUIET_RESENDS + 1) return
    const params = { serial: device.serial, time: formatPastTime(unacknowledged.since) }
    node.warn(RED._('warnings.unacknowledged', params as never))
  }

  /** Once: the records of a wrong clock stay among the newest until there are 300 later ones. */
  function warnIfFarAhead(device: ResolvedDevice): void {
    if (!stateOf(device).isFarAhead || !nodeState.isFirstReport(device, 'far-ahead')) return
    node.warn(RED._('warnings.far-ahead', { serial: device.serial } as never))
  }

  const isAwaited = (device: ResolvedDevice) => stateOf(device).isAwaitingReceipt(account.monotonic())
  const isRefused = (device: ResolvedDevice) => stateOf(device).isPaused(account.monotonic())

  const evaluateDevices = () => evaluateSelection(settings, evaluateTypedInput)

  async function forEachDevice(
    work: (device: ResolvedDevice, requestContext: RequestContext) => Promise<void>,
    concurrency = account.concurrency,
  ): Promise<void> {
    const failures = createFailureLog(report)
    const refusals: { device: ResolvedDevice; error: EnvlogError }[] = []
    let asked = 0
    const needsNames = needsGroupNames(node.type as ActionType, settings)
    const { devices, unknown } = await resolveDevices(
      await evaluateDevices(),
      settings.exclude,
      account.devices,
      requestContext,
    )
    nodeState.setDevices(devices, ({ serial, base }) => account.devices.has(serial, base) === false)
    // A device that awaits its receipt is not asked, but has answered before.
    const awaited = new Set(devices.filter(isAwaited))
    const due = devices.filter((device) => !isRefused(device) && !awaited.has(device))
    waitStatus.setTotal(due.length)
    for (const failure of unknown) failures.add(failure)

    async function addNames(device: ResolvedDevice, context: RequestContext): Promise<ResolvedDevice> {
      const { name = '', group = '' } =
        (await account.devices.find(device.serial, device.base, context)) ?? {}
      return { ...device, name, group }
    }

    async function runOne(device: ResolvedDevice, deviceSignal: AbortSignal): Promise<void> {
      const deviceContext = createRequestContext(deviceSignal)
      asked++
      // The list is read first: its failure must not cost an answer that was received already.
      const named = needsNames && device.group === undefined ? await addNames(device, deviceContext) : device
      try {
        await work(named, deviceContext)
      } catch (error) {
        if (wasPolled(error)) nodeState.markPolled(device, isSuspicious(error))
        throw error
      } finally {
        waitStatus.countDone()
      }
      nodeState.markPolled(device)
      stateOf(device).markAnswered()
      warnIfUnacknowledged(device)
      warnIfFarAhead(device)
      deliveredCount ??= 0
      failures.markSuccess()
    }

    function onFailure(device: ResolvedDevice, error: EnvlogError): void {
      const { serial, base } = device
      if (error.reason === 'device-refused') refusals.push({ device, error })
      else failures.add({ device: { serial, base }, error: error.with({ serial, base }) })
    }

    /** A refusal of all devices says nothing of any of them: it is a failure of the account. */
    function findRefusalOfAll(): EnvlogError | undefined {
      const [first] = refusals
      if (!first || refusals.length < MIN_REFUSED_ALL || refusals.length < asked || awaited.size > 0)
        return undefined
      const { serial: _, base: __, ...cause } = first.error.cause
      return new EnvlogError('service-refused', first.error.params, cause)
    }

    function addRefusals(): void {
      for (const { device, error } of refusals) {
        const { serial, base } = device
        const state = stateOf(device)
        const hasAnswered = state.hasAnswered || state.cursor !== null || state.backfill !== null
        const retryAt = new Date(Date.now() + state.refuse(account.monotonic())).toISOString()
        // Most likely its kind has no such data.
        if (!hasAnswered && !nodeState.isFirstReport(device, 'refused')) continue
        failures.add({ device: { serial, base }, error: error.with({ serial, base, retryAt }) })
      }
    }

    try {
      await forEachConcurrent(
        nodeState.leastRecentlyPolledFirst(due),
        concurrency,
        signal,
        runOne,
        onFailure,
        (device) => stateOf(device).isSuspect,
      )
    } catch (error) {
      addRefusals()
      nodeState.save()
      failures.flush()
      throw error
    }
    const refusalOfAll = findRefusalOfAll()
    if (refusalOfAll) {
      failures.flush()
      throw refusalOfAll
    }
    addRefusals()
    refusedCount = devices.filter(isRefused).length
    const lastFailure = failures.finish()
    if (lastFailure) throw errorOf(lastFailure)
  }

  const context: RunContext<T> = {
    settings,
    account,
    requestContext,
    time,
    format: FORMATS[settings.output],
    evaluateSelection: evaluateDevices,
    forEachDevice,
    evaluateTypedInput,
    deliver,
    nodeState,
    nodeId: node.id,
    pollPorts: { nodeState, deliver },
    setStatus,
  }
  return { context, deliveredCount: () => deliveredCount, refusedCount: () => refusedCount }
}

/** False for a device whose wait for quota failed or was aborted: it is polled first the next time. */
function wasPolled(error: unknown): boolean {
  return error instanceof EnvlogError && error.code !== 'ENVLOG_QUOTA' && error.code !== 'ENVLOG_CLOSED'
}

const isSuspicious = (error: unknown) => error instanceof EnvlogError && mayConcernOneDevice(error)

/** Output → what it needs of the answers. */
const FORMATS: Record<Output, ResponseFormat> = {
  readings: 'read',
  rows: 'read',
  points: 'read',
  values: 'read',
  raw: 'json',
  csv: 'csv',
  csv2: 'csv2',
}

/** True where messages contain the group, or the name of a device that its answer lacks: only `current` has these. */
function needsGroupNames(type: ActionType, { output, topic }: { output: Output; topic: string }): boolean {
  if (topic.includes('{group}')) return true
  // A table has no name of the device.
  if (output === 'csv' || output === 'csv2') return true
  return output === 'points' || output === 'values' || (output === 'rows' && type !== 'envlog-alerts')
}

/**
 * Reports the device failures of one trigger, each once. The last one is retained until the next one or the end: where
 * all devices failed, it is returned, so that `done` reports it.
 */
function createFailureLog(report: (failure: DeviceFailure) => void) {
  let last: DeviceFailure | undefined
  let hasSucceeded = false
  const flush = () => {
    if (last) report(last)
    last = undefined
  }
  return {
    /** Reports the retained failure. */
    flush,
    add(failure: DeviceFailure) {
      flush()
      last = failure
    },
    /** A device has succeeded. */
    markSuccess() {
      hasSucceeded = true
    },
    /** @returns the last failure, not reported, if no device has succeeded */
    finish() {
      if (last && !hasSucceeded) return last
      flush()
      return undefined
    },
  }
}
