import type { Node, NodeAPI, NodeMessage } from 'node-red'
import type { Account } from '../../../lib/account'
import { systemClock } from '../../../lib/clock'
import type { DeviceFailure } from '../../../lib/collect/devices'
import type { Delivery } from '../../../lib/collect/fetch'
import { NodeState } from '../../../lib/collect/node-state'
import { concernsOneDevice, EnvlogError } from '../../../lib/errors'
import { toLines } from '../../../lib/output/lines'
import { shorten } from '../../../lib/output/shorten'
import type { RequestContext } from '../../../lib/request'
import type { StateStore } from '../../../lib/stored-state'
import { ACTION_TYPES, type ActionType } from '../../../shared/action'
import type { SettingsOf } from '../../../shared/action-schemas'
import type { Trial, TrialLine } from '../../../shared/admin'
import { isEnvVariable } from '../../../shared/schema'
import { Problems } from '../report/device-problems'
import { toNodeStateOptions } from '../settings/node-state-options'
import { readActionSettings } from '../settings/read-settings'
import { createEvaluator, type Evaluate } from '../settings/typed-input'
import { findAction } from './register-action'
import { type Deployed, type DeviceWork, Run } from './run'
import { findDevices, requestNames } from './trigger-run'

/** Maximum number of messages to show. */
export const MAX_MESSAGES = 3

/** The properties of a node, as a flow contains them. */
export type Saved = Readonly<Record<string, unknown>>

/**
 * Handles one message as an action node with these properties would, deployed or not, but for its first device only and
 * with at most two requests. The messages go nowhere. It starts without a cursor, and what it remembers is discarded.
 * @param saved the properties, as a flow contains them
 * @throws EnvlogError what `done` would report
 */
export async function tryAction(
  RED: NodeAPI,
  account: Account,
  saved: Saved,
  requestContext: RequestContext,
): Promise<Omit<Trial, 'requests' | 'left' | 'failures'> & { errors: EnvlogError[] }> {
  const action = findAction(saved.type)
  if (!action) {
    const params = { property: 'type', problem: 'choice', choices: ACTION_TYPES.join(', ') }
    throw new EnvlogError('setting-invalid', params)
  }
  const { type } = action
  const scope = findScope(RED, saved)
  const settings = readActionSettings(type, resolveVariables(RED, saved, scope, account))
  const nodeState = new NodeState(systemClock)
  nodeState.open(NO_STORE, toNodeStateOptions(type, account, settings))
  await nodeState.ready()
  const messages: NodeMessage[] = []
  let count = 0
  const send = (msg: NodeMessage) => {
    if (++count <= MAX_MESSAGES) messages.push(msg)
  }
  const deployed = {
    ...{ RED, account, nodeState, signal: requestContext.signal },
    node: { id: String(saved.id), type } as Node,
    settings: withEverything(settings),
    problems: new Problems(),
    setStatus() {},
  }
  const run = new TrialRun(
    deployed,
    send,
    requestContext,
    createEvaluator(RED, scope ?? ({} as Node), {} as NodeMessage),
  )
  try {
    await action.run(run)
  } finally {
    await nodeState.close(NO_STORE)
  }
  const { lines, lineCount, device, isPartial, errors } = run
  const shown = messages.map(toShown)
  return { lines, lineCount, messages: shown, count, ...(device && { device }), isPartial, errors }
}

const NO_STORE: StateStore = { place: '', load: async () => undefined, save: async () => {} }

/** With *On first run, send: only what is new from now on*, there would be nothing to show. */
function withEverything<S extends SettingsOf<ActionType>>(settings: S): S {
  return 'start' in settings && settings.start === 'now' ? { ...settings, start: 'all' } : settings
}

/** A message in the order of the example messages. */
function toShown(msg: NodeMessage): object {
  const { topic, ...others } = shorten(msg) as NodeMessage
  return { ...(topic !== undefined && { topic }), ...others }
}

class TrialRun<T extends ActionType> extends Run<T> {
  override readonly requestContext: RequestContext
  override readonly evaluateTypedInput: Evaluate
  override readonly maxPages = 1
  device: Trial['device']
  isPartial = false
  lines: readonly TrialLine[] = []
  lineCount = 0
  /** The failures that do not fail the trigger. */
  readonly errors: EnvlogError[] = []

  constructor(
    deployed: Deployed<T>,
    send: (msg: NodeMessage) => void,
    requestContext: RequestContext,
    evaluate: Evaluate,
  ) {
    super(deployed, { msg: {} as NodeMessage, send }, requestContext.signal)
    this.requestContext = requestContext
    this.evaluateTypedInput = evaluate
  }

  override async forEachDevice(work: DeviceWork): Promise<void> {
    const { devices, unknown } = await findDevices(this)
    const [device] = devices
    const last = unknown.at(-1)
    if (!device && last) throw this.withDeviceName(last)
    for (const failure of unknown) this.report(failure)
    if (!device) return
    const { serial, base } = device
    this.device = { serial, count: devices.length }
    // The user looks at a single message, so it waits for its names.
    await requestNames(this, [device])
    try {
      await work(device, this.requestContext)
    } catch (error) {
      const isOfDevice = error instanceof EnvlogError && concernsOneDevice(error)
      throw isOfDevice ? this.withDeviceName({ device: { serial, base }, error }) : error
    }
    this.device.name = this.account.devices.nameOf(device)
  }

  override async deliver(delivery: Delivery, isEmpty?: boolean): Promise<void> {
    this.isPartial ||= delivery.isPartial === true
    if (this.lineCount === 0) {
      const content = await this.toAccountUnit(delivery.content)
      const { lines, count } = toLines(content)
      this.lines = lines
      this.lineCount = count
    }
    await super.deliver(delivery, isEmpty)
  }

  override report(failure: DeviceFailure): void {
    this.errors.push(this.withDeviceName(failure))
  }

  /** The message says it with `overflow`. */
  override reportLoss(): void {}

  /** The message shows the times. */
  override reportAhead(): void {}
}

/** The running node whose variables and context apply: the node itself or, before its first deploy, one of its flow. */
export function findScope(RED: NodeAPI, { id, z }: Saved): Node | undefined {
  let scope = RED.nodes.getNode(String(id)) ?? undefined
  RED.nodes.eachNode((node) => {
    if (z !== undefined && (node as { z?: unknown }).z === z)
      scope ??= RED.nodes.getNode(node.id) ?? undefined
  })
  return scope
}

type GetSetting = (node: object, name: string, flow: unknown) => unknown

/**
 * Replaces environment variables as Node-RED does when it creates the node, except those with the account's secrets,
 * because messages would show them.
 */
export function resolveVariables(
  RED: NodeAPI,
  saved: Saved,
  scope: Node | undefined,
  { client }: Account,
): Saved {
  const { getSetting } = RED.util as unknown as { getSetting: GetSetting }
  const { _flow: flow } = (scope ?? {}) as { _flow?: unknown }
  const node = Object.fromEntries(['id', 'name', 'g'].map((key) => [key, saved[key] && String(saved[key])]))
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, resolve(field)]))
    if (!isEnvVariable(value)) return value
    const found = getSetting(node, String(value).slice(2, -1), flow) ?? value
    return client.revealsSecret(String(found)) ? value : found
  }
  return resolve(saved) as Saved
}
