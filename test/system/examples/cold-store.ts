/** A cold store whose devices measure every minute of simulated time, and the rounds of a flow that watches them. */
import assert from 'node:assert/strict'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { askingIn, type useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { until } from '../../support/wait'

export const FREEZER = '52A10001'
export const FRIDGE = '52A10002'

const MINUTE = 60_000

/** The examples have limits of their own for the freezers. Measurements are on the minute. */
export const freezerAndFridge = (now: number): DeviceDefinition[] =>
  [
    { serial: FREEZER, name: 'Freezer', mean: -18 },
    { serial: FRIDGE, name: 'Fridge', mean: 4 },
    { serial: '52C10008', name: 'Second freezer', mean: -18, base: { serial: '5F0A1004' } },
  ].map(({ mean, ...device }) => ({
    ...device,
    channels: [{ num: 1, name: 'Inside', unit: 'C', signal: { mean } }],
    records: { interval: 60, drift: 0, from: now / 1000 - 3600 },
  }))

/** Call this in a `describe`: the store is new for each test. */
export function useColdStore(harness: ReturnType<typeof useExamples>, speed: number) {
  let simulator: Simulator

  beforeEach(async () => {
    const now = Math.floor(Date.now() / MINUTE) * MINUTE
    simulator = await startSimulator({ clock: manualClock(now), limits: 'off', fleet: freezerAndFridge(now) })
  })

  afterEach(() => simulator?.close())

  const complete = () => harness.nodeRed.log().split('[debug:round]').length - 1

  /** Lets time pass, and the flow request what was measured. */
  async function pass(ms: number): Promise<void> {
    simulator.clock.advance(ms)
    const before = complete()
    await harness.press('ask')
    await until('the round is complete', () => complete() > before)
  }

  return {
    get simulator() {
      return simulator
    },
    /** Lets minutes pass, and the flow request the measurements of each. */
    async minutes(count: number): Promise<void> {
      for (let minute = 0; minute < count; minute++) await pass(MINUTE)
    },
    /** Lets time pass as fast as Node-RED's timers run, so that measurements are not far ahead of its clock. */
    async until(description: string, isMet: () => boolean): Promise<void> {
      let at = performance.now()
      await until(description, async () => {
        const before = at
        at = performance.now()
        await pass((at - before) * speed)
        return isMet()
      })
    },
  }
}

/** Further properties of nodes: the flow requests only when it is asked, however slowly the service responds. */
export const ON_DEMAND = {
  'envlog-account': { timeout: 600 },
  'envlog-current': { repeat: 0 },
  'envlog-latest': { repeat: 0 },
  inject: { repeat: '' },
  // The clock that limits the rate does not run faster.
  delay: { nbRateUnits: '1' },
}

/** Adds a line in the log when a round is complete. */
export function withRounds(flow: FlowNode[]): FlowNode[] {
  const asking = askingIn(flow)
  assert.ok(asking)
  // What this node stores is compared with the next round.
  const storing = flow.find(({ name }) => name === 'before and now')
  const place = { z: asking.z, x: 0, y: 0 }
  return [
    ...flow,
    { id: 'complete', type: 'complete', scope: [(storing ?? asking).id], ...place, wires: [['round']] },
    { id: 'round', type: 'debug', name: 'round', ...place, active: true, console: true, complete: 'topic' },
  ]
}
