import type { Node, NodeAPI, NodeDef, NodeMessage } from 'node-red'
import { inBackground } from '../../../lib/background'
import { systemClock } from '../../../lib/clock'
import { yieldToEventLoop } from '../../../lib/cooperative'
import { EnvlogError } from '../../../lib/errors'
import type { ActionType } from '../../../shared/action'
import { localizeError } from '../report/localize'
import { type CountUnit, type RunStatus, toNodeStatus } from '../report/status'
import type { SettingsOf } from '../settings/action-settings'
import { toNodeStateOptions } from '../settings/poll-options'
import { createRefusedDevices } from '../state/refused-devices'
import { registry } from '../state/registry'
import { forgetRemovedNode } from '../state/removed-nodes'
import { acquireAccount, releaseAccount } from './account'
import { type ControlMessage, readControlMessage, readOwnReceipt } from './control-message'
import { runPeriodically } from './repeat'
import type { RunContext, RunPorts } from './run-context'
import { createTriggerQueue } from './trigger-queue'

export interface Action<T extends ActionType> {
  type: T
  /** What the status counts. */
  counts: CountUnit
  /** @throws EnvlogError where the whole trigger fails */
  run(task: RunContext<T>): Promise<void>
}

interface ActionConfig extends NodeDef {
  account: string
}

const PICKED_UP_MS = 60_000

/** Loaded with the first trigger. */
let taskKit: typeof import('./run-context') | undefined

type Trigger = RunPorts<ActionType>['trigger']

/**
 * Registers an action node. Every handler, timer, status and `done` is here: work is an async function that
 * takes a signal and throws.
 */
export function registerAction<T extends ActionType>(RED: NodeAPI, action: Action<T>): void {
  function ActionNode(this: Node, config: ActionConfig) {
    RED.nodes.createNode(this, config)
    start(RED, this, config, action)
  }
  RED.nodes.registerType(action.type, ActionNode as never)
}

function start<T extends ActionType>(
  RED: NodeAPI,
  node: Node,
  config: ActionConfig,
  action: Action<T>,
): void {
  const turns = createTriggerQueue()
  const { signal } = turns
  /** Own triggers and who waits for their result. */
  const own = new WeakMap<NodeMessage, (result: Promise<void>) => void>()
  const show = (outcome: RunStatus) => {
    if (!signal.aborted) node.status(toNodeStatus(RED, outcome))
  }
  const nodeState = registry.getOrCreateNodeState(node.id)
  const refused = createRefusedDevices(systemClock)
  let read: SettingsOf<T> | undefined
  let isStoreAway = false
  let closeState = async () => {}
  /** What a message needs, and what tells at a deploy that the node is not configured. */
  const configured = () => {
    const { account, store } = acquireAccount(RED, config.account, node)
    if (!read) {
      // Loaded when a node is made, not when Node-RED loads the palette: zod comes with it.
      const { readActionSettings } =
        require('../settings/action-settings') as typeof import('../settings/action-settings')
      read = readActionSettings(action.type, config)
      nodeState.open(store, toNodeStateOptions(action.type, account, read))
      closeState = () => nodeState.close(store)
    }
    return { account, settings: read }
  }

  async function work(trigger: Trigger): Promise<void> {
    const { account, settings } = configured()
    taskKit ??= require('./run-context') as typeof import('./run-context')
    show({ kind: 'asking' })
    await ready(settings)
    const parts = { RED, node, trigger, settings, account, nodeState, refused, signal, show }
    const { task, sent } = taskKit.createRunContext(parts)
    await action.run(task)
    const what = task.format === 'read' ? action.counts : 'answers'
    const count = sent()
    // To put a count into words takes i18next longer than most answers take to read: what was sent goes first.
    await yieldToEventLoop()
    show(count === undefined ? { kind: 'blank' } : { kind: 'came', what, count, at: Date.now() })
  }

  /** Who remembers nothing but whose turn it is waits for a store once, and then does without. */
  async function ready(settings: SettingsOf<T>): Promise<void> {
    const remembers = 'onlyNew' in settings && settings.onlyNew
    const loaded = nodeState.ready().catch((error) => {
      isStoreAway = true
      if (remembers) throw error
    })
    if (remembers || !isStoreAway) await loaded
  }

  async function take(trigger: Trigger): Promise<void> {
    const isOwn = own.has(trigger.msg)
    try {
      await turns.take(isOwn, () => work(trigger))
    } catch (error) {
      // An own trigger that a close ends has nobody to tell.
      if (isOwn && isClosed(error)) return
      show({ kind: 'failed', error })
      throw error
    }
  }

  /** Receipts and `forget` pass the queue: they cost nothing, and triggers may wait for them. */
  async function obey(control: ControlMessage): Promise<void> {
    configured()
    await nodeState.ready()
    if (control.kind === 'forget') {
      nodeState.forget(control.serials)
      refused.forget(control.serials)
    } else {
      const { device, cursor } = readOwnReceipt(control.receipt, nodeState, action.type)
      nodeState.dispatch(device, { kind: 'receipt-received', cursor })
    }
  }

  async function handle(trigger: Trigger): Promise<void> {
    const control = readControlMessage(trigger.msg, node.id)
    if (control) await obey(control)
    else await take(trigger)
  }

  node.on('input', (msg, send, done) => {
    const result = handle({ msg, send })
    own.get(msg)?.(result)
    result.then(
      () => done(),
      (error) => done(localizeError(RED, error)),
    )
  })

  node.on('close', (removed: boolean, done: () => void) => {
    if (removed) forgetRemovedNode(RED, node.id)
    releaseAccount(RED, config.account, node)
    const end = async () => {
      await turns.close()
      await closeState()
    }
    end().then(done, done)
  })

  const trigger = () =>
    new Promise<void>((resolve) => {
      const msg: NodeMessage = {}
      // A hook of Node-RED may hold a message back for good: the next trigger must come all the same.
      const giveUp = systemClock.after(PICKED_UP_MS, resolve)
      own.set(msg, (result) => {
        giveUp()
        resolve(result)
      })
      node.receive(msg)
    })
  show({ kind: 'blank' })
  try {
    const { repeat } = configured().settings
    const ports = { clock: systemClock, random: Math.random }
    if (repeat > 0) inBackground(runPeriodically(repeat * 1000, ports, signal, trigger))
  } catch (error) {
    show({ kind: 'failed', error })
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof EnvlogError && error.code === 'ENVLOG_CLOSED'
}
