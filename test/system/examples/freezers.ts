/** Freezers whose readings and alerts the test sets, and a chat for notifications about them. */
import assert from 'node:assert/strict'
import {
  type AlertDefinition,
  type DeviceDefinition,
  manualClock,
  type Simulator,
  startSimulator,
} from '../../../simulator'
import { rounds } from '../../support/examples'
import { until } from '../../support/wait'
import { type Chat, startChat } from './chat'

export const FIRST = '52A10001'
export const SECOND = '52A10002'
/** The examples name these as a device to be ignored, and as one with external power. */
export const IGNORED = '52A1000F'
export const POWERED = '52B10006'

interface State {
  value: number
  /** seconds since the measurement; none: never */
  age: number | null
  battery: number
  alerts: AlertDefinition[]
}

const WELL: State = { value: -20, age: 60, battery: 5, alerts: [] }
/** 9:00:00 by the devices' clock. */
const AT = Date.UTC(2026, 10, 20, 0, 0, 0) / 1000

/**
 * Call this in a `describe`: new for each test.
 * @param hasRecord the service names channels only if there is a record
 */
export function useFreezers({ hasRecord = false } = {}) {
  let simulator: Simulator
  let chat: Chat
  let states: Record<string, State>

  beforeEach(async () => {
    const serials = [FIRST, SECOND, IGNORED, POWERED]
    states = Object.fromEntries(serials.map((serial) => [serial, { ...WELL, alerts: [] }]))
    simulator = await startSimulator({ clock: manualClock(Date.now()), limits: 'off', fleet: fleet() })
    chat = await startChat()
  })

  afterEach(async () => {
    await Promise.all([simulator?.close(), chat?.close()])
  })

  const stateOf = (serial: string): State => states[serial] ?? WELL

  /** Sets the devices to these states. */
  const fleet = () =>
    Object.keys(states).map(
      (serial): DeviceDefinition => ({
        serial,
        name: `Freezer ${serial.slice(-1)}`,
        zone: { timeDiff: 540 },
        battery: stateOf(serial).battery,
        channels: [
          { num: 1, name: 'Inside', unit: 'C' },
          { num: 2, name: 'The same in °F', unit: 'F' },
        ],
        records: hasRecord ? [{ unixtime: AT - 60, values: { 1: -20 } }] : [],
        alerts: () => stateOf(serial).alerts,
        current: () => {
          const { value, age } = stateOf(serial)
          return age === null
            ? {}
            : { unixtime: Math.floor(Date.now() / 1000) - age, values: { 1: value, 2: value * 1.8 + 32 } }
        },
      }),
    )

  return {
    get simulator() {
      return simulator
    },
    get chat() {
      return chat
    },
    set(serial: string, state: Partial<State>): void {
      Object.assign(stateOf(serial), state)
      if ('battery' in state) simulator.set({ fleet: fleet() })
    },
    /** The account no longer lists it. */
    remove(serial: string): void {
      delete states[serial]
      simulator.set({ fleet: fleet() })
    },
    /** The account lists it, again or for the first time. */
    add(serial: string): void {
      states[serial] = { ...WELL, alerts: [] }
      simulator.set({ fleet: fleet() })
    },
    /** An entry for each text, a second apart. @param later seconds after nine */
    alarm(serial: string, later: number, ...texts: string[]): void {
      const entries = texts.map((text, at) => ({ unixtime: AT + later + at, texts: { ch1: text } }))
      stateOf(serial).alerts.push(...entries)
    },
    /** All accepted messages, once some more rounds have brought nothing else. */
    async assertSent(
      expected: readonly string[],
      sent: () => readonly string[] = () => chat.texts,
    ): Promise<void> {
      await until('the messages have arrived', () => sent().length >= expected.length).catch(() => {})
      await rounds(simulator, 1)
      assert.deepEqual(sent(), expected)
    },
  }
}
