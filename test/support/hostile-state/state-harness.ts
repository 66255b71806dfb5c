/**
 * A flow with a hostile store, a device with a record and an alert every minute, and a controlled clock.
 */

import assert from 'node:assert/strict'
import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { type Clock, install } from '@sinonjs/fake-timers'
import helper from 'node-red-node-test-helper'
import { type DeviceDefinition, manualClock, type Simulator } from '../../../simulator'
import { registry } from '../../../src/nodes/kit/state/process-registry'
import { NOW } from '../devices'
import { type Flow, startFlow, unload, useSimulator } from '../flow'
import type { ActionName, Message } from '../flow-types'
import { createHostileStore, type HostileStore } from './stores'

interface Sent {
  msg: Message
  source: { id: string }
}
const {
  hooks,
}: { hooks: { add(id: string, listener: (sent: Sent[]) => void): void; remove(id: string): void } } =
  createRequire(require.resolve('node-red'))('@node-red/util')

const MINUTE = 60_000
const SERIAL = '52A10001'
/** Maximum duration of a trigger with an unresponsive store, or of a deploy. */
const MAX_WORK_MS = 10_000
/** In real time. */
const MAX_TRIGGER_NS = 10_000_000_000n

const minutesAt = (seconds: number) => Math.floor((seconds * 1000 - NOW) / MINUTE)
const device: DeviceDefinition = {
  serial: SERIAL,
  kind: 'standalone-1',
  channels: [{ num: 1, unit: 'C' }],
  records: { interval: 60, from: NOW / 1000, drift: 0, gaps: false },
  alerts: (now) =>
    Array.from({ length: minutesAt(now) + 1 }, (_, minute) => ({
      unixtime: NOW / 1000 + minute * 60,
      texts: { ch1: `${minute}` },
    })),
}
export const NODE = {
  select: 'list',
  devices: [{ serial: SERIAL, base: SERIAL }],
  onlyNew: true,
  start: 'all',
}

export type CollectingAction = 'latest' | 'alerts'

/** The minutes in which a message's records or alerts were measured. */
const minutesOf = ({ payload }: Message): number[] =>
  Array.isArray(payload)
    ? payload.map(({ text }) => Number(text))
    : payload.records.map(({ timestamp }: Message) => minutesAt(timestamp / 1000))

export interface StateHarness {
  store: HostileStore
  simulator(): Simulator
  /** Number of requests to the service. */
  requestCount(): number
  /** Starts a flow as after a start of Node-RED, or as after a deploy; resolves with the duration, ms. */
  start(action: ActionName, more?: Message, setup?: Message): Promise<number>
  deploy(action: ActionName, more?: Message, setup?: Message): Promise<number>
  /** Lets time pass for the service and the wall clock, but not for timers. */
  measure(minutes: number): void
  /** Sets the error of the host's wall clock, ms. */
  setHostOffset(ms: number): void
  passTime(ms: number): Promise<void>
  /** One turn of the event loop. */
  nextTurn(): Promise<void>
  /** Closes the flow. */
  close(): Promise<void>
  /** Resets the clocks to the start. */
  reset(): void
  /** Advances time in one step. */
  advanceAtOnce(ms: number): Promise<void>
  /** Lets running work end, or reach a timer. */
  settle(): Promise<void>
  /**
   * Runs one trigger to its end: returns `completed`, or the reason of the failure.
   * @param passing lets time pass in the meantime; otherwise no timer fires
   */
  trigger(msg?: Message, passing?: boolean): Promise<string>
  /** The messages sent so far, each by its minutes. */
  delivered: number[][]
  /** Calls the listener for each message. */
  onMessage(listener: (msg: Message) => void): void
  send(msg: Message): void
  /** Triggers one of the other nodes. */
  triggerOther(id: string): Promise<void>
  flow(): Flow
  /** Warnings of the account node. */
  warnings(): string[]
  /** All minutes so far. */
  allMinutes(): number[]
}

const breathe = () => new Promise<void>((resolve) => setImmediate(resolve))

export function useStateHarness(): () => StateHarness {
  let harness: StateHarness
  let fake: Clock
  let store: HostileStore
  afterEach(() => {
    hooks.remove('onSend.harness')
    store.restore()
    fake.uninstall()
  })
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off', fleet: [device] }))
  beforeEach(() => {
    fake = install({ now: NOW, toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
    store = createHostileStore()
    harness = createStateHarness(simulator, fake, store)
  })
  return () => harness
}

function createStateHarness(simulator: () => Simulator, fake: Clock, store: HostileStore): StateHarness {
  const delivered: number[][] = []
  const warned: string[] = []
  let flow: Flow
  let minutes = 0
  let off = 0
  let listen = (_: Message) => {}

  // The hook is called before the next node receives the message.
  hooks.add('onSend.harness', (sent) => {
    for (const { msg, source } of sent) {
      if (source.id !== 'node') continue
      delivered.push(minutesOf(msg))
      listen(msg)
    }
  })

  async function step(ms: number): Promise<void> {
    fake.tick(ms)
    for (let turn = 0; turn < 6; turn++) await breathe()
  }

  /** Lets time pass until the work has ended; resolves with the duration, ms. */
  async function during(work: Promise<unknown>): Promise<number> {
    const began = performance.now()
    let isOver = false
    work.finally(() => (isOver = true)).catch(() => {})
    for (let ms = 0; !isOver; ms = 100) {
      assert.ok(performance.now() - began <= MAX_WORK_MS, `it takes longer than ${MAX_WORK_MS} ms`)
      await step(ms)
    }
    await work
    return performance.now() - began
  }

  async function load(action: ActionName, more: Message, setup: Message, sameProcess: boolean) {
    const took = await during(unload())
    // A process's knowledge ends with it.
    if (!sameProcess) registry.clear()
    flow = await startFlow(action, simulator(), { node: { ...NODE, ...more }, sameProcess, ...setup })
    const account: EventEmitter = helper.getNode('account')
    account.on('call:warn', (call: { args: unknown[] }) => warned.push(String(call.args[0])))
    return took
  }

  return {
    store,
    simulator,
    requestCount: () => simulator().log.length,
    start: (action, more = {}, setup = {}) => load(action, more, setup, false),
    deploy: (action, more = {}, setup = {}) => load(action, more, setup, true),
    measure(count) {
      minutes += count
      simulator().clock.advance(count * MINUTE)
      fake.setSystemTime(NOW + off + minutes * MINUTE)
    },
    setHostOffset(ms) {
      off = ms
      fake.setSystemTime(NOW + off + minutes * MINUTE)
    },
    async passTime(ms) {
      for (let at = 0; at < ms; at += 100) await step(Math.min(100, ms - at))
    },
    async trigger(msg = {}, passing = false) {
      const { errors, completed } = flow
      const ends = () => errors.messages.length + completed.messages.length
      const [before, failed] = [ends(), errors.messages.length]
      const isOver = async () => {
        const begun = process.hrtime.bigint()
        while (ends() === before) {
          assert.ok(process.hrtime.bigint() - begun < MAX_TRIGGER_NS, 'the trigger does not end')
          await breathe()
        }
      }
      flow.send(msg)
      if (passing) await during(isOver())
      else await isOver()
      await step(0)
      return errors.messages.length > failed ? errors.messages.at(-1)?.error.code : 'completed'
    },
    async settle() {
      // On loopback, a response has arrived by then.
      for (let turn = 0; turn < 200; turn++) await breathe()
    },
    advanceAtOnce: (ms) => step(ms),
    nextTurn: breathe,
    async close() {
      await during(unload())
    },
    reset() {
      minutes = 0
      off = 0
      simulator().clock.advance(NOW - simulator().clock.now())
      fake.setSystemTime(NOW)
    },
    delivered: delivered,
    onMessage: (listener) => {
      listen = listener
    },
    send: (msg) => flow.send(msg),
    async triggerOther(id) {
      helper.getNode(id).receive({})
      await this.settle()
    },
    flow: () => flow,
    warnings: () => warned,
    allMinutes: () => Array.from({ length: minutes + 1 }, (_, minute) => minute),
  }
}
