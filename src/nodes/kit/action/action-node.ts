import type { Node, NodeAPI, NodeDef, NodeMessage } from 'node-red'
import type { Account } from '../../../lib/account'
import { nextTurn, systemClock } from '../../../lib/clock'
import type { NodeState } from '../../../lib/collect/node-state'
import { EnvlogError } from '../../../lib/errors'
import type { ActionType } from '../../../shared/action'
import type { SettingsOf } from '../../../shared/action-schemas'
import { localizeError } from '../report/localize'
import { type RunStatus, toNodeStatus } from '../report/status'
import { toNodeStateOptions } from '../settings/poll-options'
import { readActionSettings } from '../settings/read-settings'
import { registry } from '../state/process-registry'
import { forgetRemovedNode } from '../state/removed-nodes'
import { acquireAccount, releaseAccount } from './account-node'
import { readControlMessage } from './control-message'
import type { ActionDefinition } from './register-action'
import { RepeatTimer } from './repeat-with-backoff'
import { Run } from './run'
import type { Trigger } from './run-context'
import { TriggerQueue } from './trigger-queue'

export interface ActionConfig extends NodeDef {
  account: string
}

/**
 * A deployed action node. All its handlers, timers, statuses and calls of `done` are here; the `run` function of a node
 * file is async, gets a signal, and throws.
 */
export class ActionNode<T extends ActionType> {
  readonly #RED: NodeAPI
  readonly #node: Node
  readonly #config: ActionConfig
  readonly #action: ActionDefinition<T>
  readonly #queue = new TriggerQueue()
  readonly #nodeState: NodeState
  /** What the node needs to run, or why it cannot run until it is deployed again. */
  readonly #deployed: { account: Account; settings: SettingsOf<T> } | { error: unknown }
  #closeState = async () => {}
  #timer: RepeatTimer | undefined
  readonly #timerMessages = new WeakSet<NodeMessage>()
  /** When failures began, by code, since the last success. */
  readonly #failingSince = new Map<string, number>()
  #shown: RunStatus['kind'] = 'idle'

  constructor(RED: NodeAPI, node: Node, config: ActionConfig, action: ActionDefinition<T>) {
    this.#RED = RED
    this.#node = node
    this.#config = config
    this.#action = action
    this.#nodeState = registry.getOrCreateNodeState(node.id)
    node.on('input', (msg, send, done) => {
      this.#receive({ msg, send }).then(
        () => done(),
        (error) => done(localizeError(RED, error) as never),
      )
    })
    node.on('close', (removed: boolean, done: () => void) => {
      this.#close(removed).then(done, done)
    })
    this.#deployed = this.#deploy()
  }

  #deploy(): { account: Account; settings: SettingsOf<T> } | { error: unknown } {
    try {
      const { account, store } = acquireAccount(this.#RED, this.#config.account, this.#node)
      const settings = readActionSettings(this.#action.type, this.#config)
      this.#nodeState.open(store, toNodeStateOptions(this.#action.type, account, settings))
      this.#closeState = () => this.#nodeState.close(store)
      this.#showIdle()
      if (settings.repeat > 0) this.#repeat(settings.repeat * 1000)
      return { account, settings }
    } catch (error) {
      this.#setStatus({ kind: 'failed', error })
      return { error }
    }
  }

  /** Triggers the node with its own messages, as core nodes do, so that hooks and the debugger see them. */
  #repeat(periodMs: number): void {
    this.#timer = new RepeatTimer(periodMs, { clock: systemClock, random: Math.random }, () => {
      const msg: NodeMessage = {}
      this.#timerMessages.add(msg)
      this.#node.receive(msg)
    })
  }

  async #receive(trigger: Trigger): Promise<void> {
    const control = readControlMessage(trigger.msg, this.#node.id)
    if (control) return this.#applyControl(control)
    const timer = this.#timerMessages.has(trigger.msg) ? this.#timer : undefined
    timer?.started()
    try {
      await this.#queue.run(() => this.#run(trigger))
      timer?.ended()
    } catch (error) {
      // Closing the node has ended a trigger of its own timer, which is no failure.
      if (timer && this.#queue.signal.aborted) return
      this.#showFailure(error, timer?.ended(error))
      throw error
    }
  }

  /** Control messages do not wait in the queue: they send no requests, and triggers may depend on them. */
  async #applyControl(apply: (state: NodeState) => void): Promise<void> {
    this.#getDeployed()
    await this.#nodeState.ready()
    apply(this.#nodeState)
    if (this.#shown === 'unacknowledged') this.#showIdle()
  }

  async #run(trigger: Trigger): Promise<void> {
    const { account, settings } = this.#getDeployed()
    this.#setStatus({ kind: 'requesting' })
    const isLoaded = this.#nodeState.ready()
    if ('onlyNew' in settings && settings.onlyNew) await isLoaded
    // Otherwise the state only contains the order of the devices, which is not worth waiting for.
    else isLoaded.catch(() => {})
    const run = new Run({
      RED: this.#RED,
      node: this.#node,
      trigger,
      settings,
      account,
      nodeState: this.#nodeState,
      signal: this.#queue.signal,
      setStatus: (status) => this.#setStatus(status),
    })
    await this.#action.run(run)
    this.#failingSince.clear()
    // Formatting the count with i18next takes longer than reading most responses, so the messages are delivered first.
    await nextTurn()
    this.#showResult(run)
  }

  /** @throws EnvlogError `ENVLOG_CONFIG` */
  #getDeployed(): { account: Account; settings: SettingsOf<T> } {
    if ('error' in this.#deployed) throw this.#deployed.error
    return this.#deployed
  }

  async #close(isRemoved: boolean): Promise<void> {
    releaseAccount(this.#RED, this.#config.account, this.#node)
    this.#timer?.stop()
    await this.#queue.close()
    await this.#closeState()
    if (isRemoved) forgetRemovedNode(this.#RED, this.#node.id)
  }

  #showResult({ settings, format, deliveredCount: count, refusedCount: refused }: Run<T>): void {
    const unit = format === 'read' ? this.#action.unit : 'answers'
    if (count === undefined || this.#nodeState.unacknowledged()) this.#showIdle(refused)
    else if (count === 0 && 'onlyNew' in settings && settings.onlyNew)
      this.#setStatus({ kind: 'nothing-new', refused })
    else this.#setStatus({ kind: 'received', unit, count, refused })
  }

  /** Receipts are still awaited after a deploy. */
  #showIdle(refused = 0): void {
    const unacknowledged = this.#nodeState.unacknowledged()
    if (unacknowledged) this.#setStatus({ kind: 'unacknowledged', ...unacknowledged })
    else this.#setStatus({ kind: 'idle', refused })
  }

  #showFailure(error: unknown, next: number | undefined): void {
    const code = error instanceof EnvlogError ? error.code : 'failed'
    const since = this.#failingSince.get(code) ?? Date.now()
    this.#failingSince.set(code, since)
    this.#setStatus({ kind: 'failed', error, since, next })
  }

  #setStatus(status: RunStatus): void {
    if (this.#queue.signal.aborted) return
    this.#shown = status.kind
    this.#node.status(toNodeStatus(this.#RED, status))
  }
}
