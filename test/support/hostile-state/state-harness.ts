/**
 * A flow whose store is hostile, a device that measures and tells an alert each minute, and time that is told to pass.
 */

import assert from 'node:assert/strict'
import type { EventEmitter } from 'node:events'
import { createRequire } from 'node:module'
import { type Clock, install } from '@sinonjs/fake-timers'
import helper from 'node-red-node-test-helper'
import { type DeviceDefinition, manualClock, type Simulator } from '../../../simulator'
import { registry } from '../../../src/nodes/kit/state/registry'
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
/** A trigger whose store is silent, or a deploy. */
const MAX_WORK_MS = 10_000
/** Of real time. */
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
  start: 'held',
}

export type CollectingAction = 'latest' | 'alerts'

/** What a message brings, by the minute that it was measured in. */
const minutesOf = ({ payload }: Message): number[] =>
  Array.isArray(payload)
    ? payload.map(({ text }) => Number(text))
    : payload.records.map(({ timestamp }: Message) => minutesAt(timestamp / 1000))

export interface StateHarness {
  store: HostileStore
  simulator(): Simulator
  /** Requests that came to the service. */
  requestCount(): number
  /** A flow as after a start of Node-RED, or after a deploy; how long it took. */
  start(action: ActionName, more?: Message, setup?: Message): Promise<number>
  deploy(action: ActionName, more?: Message, setup?: Message): Promise<number>
  /** Time passes at the service and for the host, not for what waits. */
  measure(minutes: number): void
  /** The host's clock is off by so much from now on, ms. */
  setHostOffset(ms: number): void
  passTime(ms: number): Promise<void>
  /** One turn of the event loop. */
  nextTurn(): Promise<void>
  /** The flow is closed. */
  close(): Promise<void>
  /** It is as late as at the beginning. */
  reset(): void
  /** All at once. */
  advanceAtOnce(ms: number): Promise<void>
  /** What is under way comes to its end, or waits for time to pass. */
  settle(): Promise<void>
  /**
   * One trigger, to its end: `completed`, or why not.
   * @param passing while time passes; else none does, and it waits for no timer
   */
  trigger(msg?: Message, passing?: boolean): Promise<string>
  /** What was sent since the harness began, each message by its minutes. */
  delivered: number[][]
  /** Told of each message as it comes. */
  onMessage(listener: (msg: Message) => void): void
  send(msg: Message): void
  /** One of the other nodes. */
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

  // A node that was told of it in the same turn has not got it yet.
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

  /** Time passes till it has ended: how long it took, ms. */
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
    // What a process knows ends with it.
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
      // On loopback, an answer is here by then.
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
