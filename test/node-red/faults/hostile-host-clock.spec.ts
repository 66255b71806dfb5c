import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runs } from '../../support/chance'
import {
  type CollectingAction,
  type StateHarness,
  useStateHarness,
} from '../../support/hostile-state/state-harness'

/** For runs of many triggers. */
const MANY_MS = 20_000
const DAY_MS = 86_400_000
const numRuns = runs(240)

type Step = { host: number } | { measure: number } | 'restart' | 'deploy'
/** Every order of magnitude is equally likely. */
const anyOff = fc
  .tuple(fc.nat(1000), fc.constantFrom(-1, 1))
  .map(([share, way]) => way * Math.round((30 * DAY_MS) ** (share / 1000)))
const anyStep = fc.oneof(
  fc.record({ host: anyOff }),
  fc.record({ measure: fc.integer({ min: 1, max: 4 }) }),
  fc.constantFrom<Step>('restart', 'deploy'),
)

for (const action of ['latest', 'alerts'] as const satisfies CollectingAction[]) {
  for (const advance of ['sent', 'acknowledged'] as const) {
    describe(`${action}, delivered when ${advance}, while the host’s clock is changed`, function () {
      this.timeout(MANY_MS)
      const harness = useStateHarness()

      /** Runs a trigger and returns the receipt of its delivery; the clock changes before each. */
      async function round(set: () => void): Promise<void> {
        const receipts: object[] = []
        harness().onMessage((msg) => receipts.push({ envlog: msg.envlog }))
        harness().measure(1)
        assert.equal(await harness().trigger(), 'completed')
        set()
        if (advance === 'acknowledged')
          for (const receipt of receipts)
            assert.equal(await harness().trigger(receipt), 'completed', 'its receipt')
      }

      async function live(steps: readonly Step[]): Promise<void> {
        const { delivered, start, deploy, measure, setHostOffset } = harness()
        delivered.length = 0
        harness().reset()
        await harness().close()
        harness().store.disk.clear()
        await start(action, { advance })
        for (const step of steps) {
          if (step === 'restart') await start(action, { advance })
          else if (step === 'deploy') await deploy(action, { advance })
          else if ('measure' in step) measure(step.measure)
          else await round(() => setHostOffset(step.host))
        }
        await round(() => {})
        await round(() => {})
        assert.deepEqual(delivered.flat(), (harness() as StateHarness).allMinutes())
      }

      it('delivers each once and in order, and accepts each receipt', async () => {
        await fc.assert(fc.asyncProperty(fc.array(anyStep, { maxLength: 12 }), live), { numRuns })
      })

      it('continues after a clock that was 30 days ahead is corrected', async () => {
        await live([{ host: 30 * DAY_MS }, { measure: 2 }, { host: 0 }, { measure: 2 }, 'restart'])
      })
    })
  }
}
