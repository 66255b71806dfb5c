import type { Node, NodeAPI, NodeMessage } from 'node-red'
import { inBackground } from '../../../lib/background'
import { nextTurn, systemClock } from '../../../lib/clock'
import type { NodeState } from '../../../lib/collect/node-state'
import { shortHash } from '../../../lib/collect/short-hash'
import { EnvlogError } from '../../../lib/errors'
import { orNoResponse } from '../../../lib/stored-state'
import type { ActionType } from '../../../shared/action'
import { NO_PROBLEMS, Problems } from '../report/device-problems'
import { type RunStatus, toNodeStatus } from '../report/status'
import { toNodeStateOptions } from '../settings/node-state-options'
import { readActionSettings } from '../settings/read-settings'
import { registry } from '../state/process-registry'
import { findAccountNode } from './account-node'
import type { ActionDefinition } from './action-definition'
import { readControlMessage } from './control-message'
import { RepeatTimer } from './repeat-timer'
import type { Deployed, Run } from './run'
import type { NodeConfig, StartedNode, Trigger } from './start-node'
import { TriggerQueue } from './trigger-queue'
import { TriggerRun } from './trigger-run'

/**
 * An action node with its account, settings, timer, statuses and triggers. The `run` function in a node's file is
 * asynchronous, is passed a signal, and throws on failure.
 */
export class ActionNode<T extends ActionType> implements StartedNode {
  readonly #action: ActionDefinition<T>
  readonly #deployed: Deployed<T>
  readonly #queue = new TriggerQueue()
  #timer: RepeatTimer | undefined
  /** The last message of the timer. */
  #timerMessage: NodeMessage | undefined
  /** When failures began, by error code, in ms since 1970 UTC. A success clears it. */
  readonly #failingSince = new Map<string, number>()
  readonly #closeState: () => Promise<void>
  /** Identifies account and settings: a plan for others does not apply. */
  readonly #planKey: string
  #shown: RunStatus['kind'] = 'idle'

  /** @throws EnvlogError `ENVLOG_CONFIG` */
  constructor(RED: NodeAPI, node: Node, config: NodeConfig, action: ActionDefinition<T>) {
    this.#action = action
    const nodeState = registry.getOrCreateNodeState(node.id)
    const accountNode = findAccountNode(RED, config.account)
    if (!accountNode) throw new EnvlogError('no-account')
    const { account, store } = accountNode.acquire(node)
    const settings = readActionSettings(action.type, config)
    nodeState.open(store, toNodeStateOptions(action.type, account, settings))
    this.#closeState = () => nodeState.close(store)
    this.#planKey = shortHash(JSON.stringify([account.id, settings]))
    const { signal } = this.#queue
    const setStatus = (status: RunStatus) => this.#setStatus(status)
    const problems = new Problems()
    this.#deployed = { RED, node, account, settings, nodeState, signal, problems, setStatus }
    this.#showIdle()
    if (settings.repeat > 0) inBackground(this.#startTimer(settings.repeat * 1000))
  }

  /** Triggers the node with its own messages, as core nodes do, so that hooks and the debugger see them. */
  async #startTimer(periodMs: number): Promise<void> {
    const { repeats } = this.#action
    const isAligned = repeats === 'together'
    const plannedAt = repeats === 'resumed' ? await this.#readPlan() : undefined
    if (this.#queue.signal.aborted) return
    const trigger = () => {
      this.#timerMessage = {}
      this.#deployed.node.receive(this.#timerMessage)
    }
    this.#timer = new RepeatTimer(periodMs, trigger, () => this.#queue.interrupt(), { plannedAt, isAligned })
    if (plannedAt !== undefined) this.#showIdle()
  }

  /** When the node would have triggered itself without the deploy or restart, ms since 1970 UTC. */
  async #readPlan(): Promise<number | undefined> {
    const { nodeState } = this.#deployed
    try {
      await orNoResponse(nodeState.ready(), systemClock)
    } catch {
      // The first trigger reports this.
      return undefined
    }
    return nodeState.takeNextRound(this.#planKey)
  }

  /** Aborts its work. Resolves when nothing is running and its state is saved. */
  async close(): Promise<void> {
    const nextAt = this.#timer?.nextAt
    if (nextAt !== undefined)
      this.#deployed.nodeState.planRound({ at: Math.round(nextAt), settings: this.#planKey })
    this.#timer?.stop()
    await this.#queue.close()
    await this.#closeState()
  }

  async receive(trigger: Trigger): Promise<void> {
    const control = readControlMessage(trigger.msg, this.#deployed.node.id)
    if (control) return this.#applyControl(control)
    const timer = trigger.msg === this.#timerMessage ? this.#timer : undefined
    // The timer's message is dropped: those that wait will do the same work, and the timer has scheduled the next one.
    if (timer && this.#queue.isFull) return
    timer?.started()
    try {
      let respondedAt: number | undefined
      await this.#queue.run(async (interrupt) => {
        // The next run may have become due while the message was waiting.
        timer?.started()
        const run = new TriggerRun(this.#deployed, { ...trigger, isOwn: timer !== undefined }, interrupt)
        await this.#process(run)
        respondedAt = run.respondedAt
      })
      timer?.ended(respondedAt)
    } catch (error) {
      // If the node was closed during a run of its own timer, this is not a failure.
      if (timer && this.#queue.signal.aborted) return
      this.#showFailure(error, timer?.ended(undefined, error))
      throw error
    }
  }

  /**
   * Control messages do not wait in the queue, because they send no requests and waiting triggers may depend on them.
   */
  async #applyControl(apply: (state: NodeState) => void): Promise<void> {
    await this.#deployed.nodeState.ready()
    apply(this.#deployed.nodeState)
    if (this.#shown === 'unacknowledged') this.#showIdle()
  }

  async #process(run: Run<T>): Promise<void> {
    this.#setStatus({ kind: 'requesting' })
    const isLoaded = this.#deployed.nodeState.ready()
    if (this.#sendsOnlyNew()) await isLoaded
    // Otherwise the state contains only the polling order of the devices, which is not worth waiting for.
    else isLoaded.catch(() => {})
    await this.#action.run(run)
    this.#failingSince.clear()
    // Formatting the count with i18next takes longer than reading most responses, so the messages are delivered first.
    await nextTurn()
    this.#showResult(run)
    this.#deployed.problems.clearLosses()
  }

  /** Whether it sends only new readings, records or alerts. */
  #sendsOnlyNew(): boolean {
    const { settings } = this.#deployed
    return 'onlyNew' in settings && settings.onlyNew
  }

  #showResult({ format, deliveredCount: count, problems, progress }: Run<T>): void {
    const unit = format === 'read' ? this.#action.unit : 'responses'
    if (count === undefined || this.#deployed.nodeState.devices.unacknowledged()) this.#showIdle(problems)
    else if (progress.isFilling) progress.showFilling(problems)
    else {
      const what = count === 0 && this.#sendsOnlyNew() ? 'nothing-new' : unit
      this.#setStatus({ kind: 'received', what, count, problems })
    }
  }

  /** Shows that receipts are overdue, as they may still be after a deploy, or else that the node is idle. */
  #showIdle(problems = NO_PROBLEMS): void {
    const unacknowledged = this.#deployed.nodeState.devices.unacknowledged()
    if (unacknowledged) this.#setStatus({ kind: 'unacknowledged', ...unacknowledged })
    else this.#setStatus({ kind: 'idle', problems, next: this.#timer?.nextAt })
  }

  #showFailure(error: unknown, next: number | undefined): void {
    const code = error instanceof EnvlogError ? error.code : 'failed'
    const since = this.#failingSince.get(code) ?? Date.now()
    this.#failingSince.set(code, since)
    this.#setStatus({ kind: 'failed', error, since, next })
  }

  #setStatus(status: RunStatus): void {
    const { RED, node, signal } = this.#deployed
    if (signal.aborted) return
    this.#shown = status.kind
    node.status(toNodeStatus(RED, status))
  }
}
