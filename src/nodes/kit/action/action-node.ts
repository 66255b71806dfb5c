import type { Node, NodeAPI, NodeDef, NodeMessage } from 'node-red'
import type { Account } from '../../../lib/account'
import { inBackground } from '../../../lib/background'
import { nextTurn, systemClock } from '../../../lib/clock'
import { EnvlogError, type ErrorCode } from '../../../lib/errors'
import type { ActionType } from '../../../shared/action'
import type { SettingsOf } from '../../../shared/action-schemas'
import { localizeError } from '../report/localize'
import { type CountUnit, type RunStatus, toNodeStatus } from '../report/status'
import { toNodeStateOptions } from '../settings/poll-options'
import { registry } from '../state/process-registry'
import { forgetRemovedNode } from '../state/removed-nodes'
import { acquireAccount, releaseAccount } from './account-node'
import { type ControlMessage, readControlMessage, readOwnReceipt } from './control-message'
import { runPeriodically } from './repeat-with-backoff'
import type { Run, RunPorts } from './run'
import { createTriggerQueue } from './trigger-queue'

/** What distinguishes one action node from the others. */
export interface ActionDefinition<T extends ActionType> {
  type: T
  /** What the status counts. */
  unit: CountUnit
  /** Handles one trigger. @throws EnvlogError if the whole trigger fails */
  run(run: Run<T>): Promise<void>
}

interface ActionConfig extends NodeDef {
  account: string
}

/** The timer continues without its message if a Node-RED hook has not let it arrive within this time. */
const MAX_RECEIVE_MS = 60_000

/** Loaded with the first trigger, so that Node-RED starts fast. */
let runModule: typeof import('./run') | undefined

type Trigger = RunPorts<ActionType>['trigger']

/** The timer's data for one of its messages. */
interface TimerRun {
  /** Call this with the result. */
  end(result: Promise<void>): void
  /** When the timer triggers next if this run ends now with that error, ms since 1970 UTC. */
  nextAfter(error: unknown): number
}

/** Codes of failures that persist until something outside changes. */
const LASTING: ReadonlySet<ErrorCode> = new Set([
  'ENVLOG_NETWORK',
  'ENVLOG_TIMEOUT',
  'ENVLOG_SERVICE',
  'ENVLOG_REPLY',
  'ENVLOG_AUTH',
])

/**
 * Registers an action node. All handlers, timers, statuses and calls of `done` are here; the `run` function of a node
 * file is async, gets a signal, and throws.
 */
export function registerAction<T extends ActionType>(RED: NodeAPI, action: ActionDefinition<T>): void {
  function ActionNode(this: Node, config: ActionConfig) {
    RED.nodes.createNode(this, config)
    startNode(RED, this, config, action)
  }
  RED.nodes.registerType(action.type, ActionNode as never)
}

function startNode<T extends ActionType>(
  RED: NodeAPI,
  node: Node,
  config: ActionConfig,
  action: ActionDefinition<T>,
): void {
  const queue = createTriggerQueue()
  const { signal } = queue
  const timerRuns = new WeakMap<NodeMessage, TimerRun>()
  const setStatus = (status: RunStatus) => {
    isUnacknowledged = status.kind === 'unacknowledged'
    if (!signal.aborted) node.status(toNodeStatus(RED, status))
  }
  const nodeState = registry.getOrCreateNodeState(node.id)
  let settings: SettingsOf<T> | undefined
  let hasStoreFailed = false
  /** The failure of the last trigger, if it may persist. */
  let failure: { code: ErrorCode; since: number } | undefined
  /** Whether the status shows missing receipts. */
  let isUnacknowledged = false
  let closeState = async () => {}

  /** @throws EnvlogError `ENVLOG_CONFIG`, on each call until the node is deployed again */
  function configure(): { account: Account; settings: SettingsOf<T> } {
    const { account, store } = acquireAccount(RED, config.account, node)
    if (!settings) {
      // Loaded with the first node instead of with the palette, because it loads the schemas.
      const { readActionSettings } =
        require('../settings/read-settings') as typeof import('../settings/read-settings')
      settings = readActionSettings(action.type, config)
      nodeState.open(store, toNodeStateOptions(action.type, account, settings))
      closeState = () => nodeState.close(store)
    }
    return { account, settings }
  }

  async function run(trigger: Trigger): Promise<void> {
    const { account, settings } = configure()
    runModule ??= require('./run') as typeof import('./run')
    setStatus({ kind: 'requesting' })
    await loadState(settings)
    const ports = { RED, node, trigger, settings, account, nodeState, signal, setStatus }
    const run = new runModule.Run(ports)
    await action.run(run)
    failure = undefined
    const unit = run.format === 'read' ? action.unit : 'answers'
    const { deliveredCount: count, refusedCount: refused } = run
    // Formatting the count with i18next takes longer than reading most responses, so the messages are delivered first.
    await nextTurn()
    const unacknowledged = nodeState.unacknowledged()
    if (unacknowledged) setStatus({ kind: 'unacknowledged', ...unacknowledged })
    else if (count === undefined) setStatus({ kind: 'idle', refused })
    else if (count === 0 && 'onlyNew' in settings && settings.onlyNew)
      setStatus({ kind: 'nothing-new', at: Date.now(), refused })
    else setStatus({ kind: 'received', unit, count, at: Date.now(), refused })
  }

  /** Nodes whose state contains only the polling order wait once for a failing store, and then continue without it. */
  async function loadState(settings: SettingsOf<T>): Promise<void> {
    const isRequired = 'onlyNew' in settings && settings.onlyNew
    const loaded = nodeState.ready().catch((error) => {
      hasStoreFailed = true
      if (isRequired) throw error
    })
    if (isRequired || !hasStoreFailed) await loaded
  }

  async function enqueue(trigger: Trigger): Promise<void> {
    const timerRun = timerRuns.get(trigger.msg)
    try {
      await queue.run(timerRun !== undefined, () => run(trigger))
    } catch (error) {
      // Not reported if closing the node has ended a trigger of its timer.
      if (timerRun && isClosed(error)) return
      const next = timerRun?.nextAfter(error)
      setStatus({ kind: 'failed', error, ...(isLasting(error) && { since: failingSince(error.code), next }) })
      throw error
    }
  }

  function failingSince(code: ErrorCode): number {
    if (failure?.code !== code) failure = { code, since: Date.now() }
    return failure.since
  }

  /** Control messages do not wait in the queue: they send no requests, and triggers may depend on them. */
  async function applyControl(control: ControlMessage): Promise<void> {
    configure()
    await nodeState.ready()
    if (control.kind === 'forget') nodeState.forget(control.serials)
    else if (control.kind === 'skip') nodeState.skip(control.serials)
    else {
      const { device, cursor } = readOwnReceipt(control.receipt, nodeState, action.type)
      nodeState.acknowledge(device, cursor)
    }
    if (isUnacknowledged && !nodeState.unacknowledged()) setStatus({ kind: 'idle', refused: 0 })
  }

  async function onInput(trigger: Trigger): Promise<void> {
    const control = readControlMessage(trigger.msg, node.id)
    if (control) await applyControl(control)
    else await enqueue(trigger)
  }

  node.on('input', (msg, send, done) => {
    const result = onInput({ msg, send })
    timerRuns.get(msg)?.end(result)
    result.then(
      () => done(),
      (error) => done(localizeError(RED, error) as never),
    )
  })

  node.on('close', (removed: boolean, done: () => void) => {
    releaseAccount(RED, config.account, node)
    const close = async () => {
      await queue.close()
      await closeState()
      if (removed) forgetRemovedNode(RED, node.id)
    }
    close().then(done, done)
  })

  /** Triggers the node with its own message, as core nodes do, so that hooks and the debugger see it. */
  const triggerByTimer = (nextAfter: TimerRun['nextAfter']) =>
    new Promise<void>((resolve) => {
      const msg: NodeMessage = {}
      const cancel = systemClock.after(MAX_RECEIVE_MS, resolve)
      const end = (result: Promise<void>) => {
        cancel()
        resolve(result)
      }
      timerRuns.set(msg, { end, nextAfter })
      node.receive(msg)
    })

  setStatus({ kind: 'idle', refused: 0 })
  try {
    const { repeat } = configure().settings
    // Receipts are still awaited after a deploy.
    const unacknowledged = nodeState.unacknowledged()
    if (unacknowledged) setStatus({ kind: 'unacknowledged', ...unacknowledged })
    const ports = { clock: systemClock, random: Math.random }
    if (repeat > 0) inBackground(runPeriodically(repeat * 1000, ports, signal, triggerByTimer))
  } catch (error) {
    setStatus({ kind: 'failed', error })
  }
}

function isLasting(error: unknown): error is EnvlogError {
  return error instanceof EnvlogError && LASTING.has(error.code)
}

function isClosed(error: unknown): boolean {
  return error instanceof EnvlogError && error.code === 'ENVLOG_CLOSED'
}
