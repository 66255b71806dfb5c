/** Freezers whose alert logs the test writes, and a chat for notifications about them. */
import assert from 'node:assert/strict'
import { type AlertDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { rounds } from '../../support/examples'
import { until } from '../../support/wait'
import { type Chat, startChat } from './chat'

export const FIRST = '52A10001'
export const SECOND = '52A10002'

/** 9:00:00 by the devices' clock. */
const AT = Date.UTC(2026, 10, 20, 0, 0, 0) / 1000

/** Call this in a `describe`: new for each test. */
export function useFreezers() {
  let simulator: Simulator
  let chat: Chat
  let logs: Record<string, AlertDefinition[]>

  beforeEach(async () => {
    logs = { [FIRST]: [], [SECOND]: [] }
    const fleet = Object.entries(logs).map(([serial, log]) => ({
      serial,
      name: `Freezer ${serial.slice(-1)}`,
      zone: { timeDiff: 540 },
      channels: [{ num: 1, name: 'Inside', unit: 'C' }],
      // The service names channels only if there is a record.
      records: [{ unixtime: AT - 60, values: { 1: -20 } }],
      alerts: () => log,
    }))
    simulator = await startSimulator({ clock: manualClock(Date.now()), limits: 'off', fleet })
    chat = await startChat()
  })

  afterEach(async () => {
    await Promise.all([simulator?.close(), chat?.close()])
  })

  return {
    get simulator() {
      return simulator
    },
    get chat() {
      return chat
    },
    /** An entry for each text, a second apart. @param later seconds after nine */
    alarm(serial: string, later: number, ...texts: string[]): void {
      const entries = texts.map((text, at) => ({ unixtime: AT + later + at, texts: { ch1: text } }))
      logs[serial]?.push(...entries)
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
