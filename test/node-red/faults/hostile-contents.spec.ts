import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runs } from '../../support/chance'
import { type CollectingAction, useStateHarness } from '../../support/hostile-state/state-harness'

/** For runs of many triggers. */
const MANY_MS = 20_000
const numRuns = runs(240)
const OTHER = { latest: 'alerts', alerts: 'latest' } as const
/** The longest window, and the duration of a request. */
const _A_WINDOW_MS = 3_700_000

/** The state with one part, at any depth, replaced. */
const damaged = (saved: unknown) =>
  fc.tuple(fc.integer({ min: 0, max: 200 }), fc.jsonValue()).map(([at, thing]) => {
    let left = at % (countOf(saved) + 1)
    const copy = (value: unknown): unknown => {
      if (left-- === 0) return thing
      if (Array.isArray(value)) return value.map(copy)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, copy(part)]))
    }
    return copy(saved)
  })

const countOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce((sum: number, part) => sum + countOf(part), 0)
    : 1

for (const action of ['latest', 'alerts'] as const satisfies CollectingAction[]) {
  describe(`${action} with a context store that contains foreign or damaged state`, function () {
    this.timeout(MANY_MS)
    const harness = useStateHarness()
    const CURSORS = ' node cursors'

    async function round(): Promise<void> {
      harness().measure(2)
      assert.equal(await harness().trigger(), 'completed')
    }

    /** The saved state of a first process. */
    async function saved(): Promise<unknown> {
      await harness().start(action)
      await round()
      await round()
      await harness().close()
      return JSON.parse(harness().store.disk.get(CURSORS) ?? 'null')
    }

    /** @returns whether it stops: then nothing is requested or written, and the content is unchanged */
    async function isHeldBack(content: unknown): Promise<boolean> {
      const text = JSON.stringify(content)
      await harness().close()
      harness().store.disk.set(CURSORS, text)
      await harness().start(action)
      const [requests, writes] = [harness().requestCount(), harness().store.callsOf('save').length]
      harness().measure(1)
      const end = await harness().trigger()
      if (end === 'completed') return false
      assert.equal(end, 'ENVLOG_CONFIG')
      assert.equal(await harness().trigger({ envlog: { forget: true } }), 'ENVLOG_CONFIG')
      assert.deepEqual([harness().requestCount(), harness().store.callsOf('save').length], [requests, writes])
      assert.equal(harness().store.disk.get(CURSORS), text)
      return true
    }

    it('stops at any invalid JSON, and does not overwrite it', async () => {
      const anything = fc.jsonValue().filter((value) => value !== null)
      await fc.assert(
        fc.asyncProperty(anything, async (content) => assert.ok(await isHeldBack(content))),
        { numRuns },
      )
    })

    it('stops at damaged state, or continues with its readable part', async () => {
      const state = await saved()
      let held = 0
      await fc.assert(
        fc.asyncProperty(damaged(state), async (content) => {
          if (await isHeldBack(content)) held++
        }),
        { numRuns },
      )
      assert.ok(held > numRuns / 4, `${held} of ${numRuns}`)
    })

    it('stops at half of its state, and at a newer version, until the correct state is restored', async () => {
      const state = (await saved()) as { version: number }
      const text = JSON.stringify(state)
      for (const length of [1, text.length >> 1, text.length - 1]) {
        assert.ok(await isHeldBack(text.slice(0, length)))
      }
      for (const version of [state.version + 1, 1e9, '2', null, 0, -1]) {
        assert.ok(await isHeldBack({ ...state, version }), `version ${version}`)
      }
      const { errors } = harness().flow()
      assert.ok(errors.messages.every(({ error }) => /store-(newer|unreadable)/.test(error.message)))
      harness().store.disk.set(CURSORS, text)
      await round()
      assert.deepEqual(harness().delivered.flat(), harness().allMinutes())
    })

    it('uses no state of another node type with the same id', async () => {
      await harness().start(OTHER[action])
      await round()
      harness().delivered.length = 0
      for (const start of ['start', 'deploy'] as const) {
        await harness()[start](action)
        await round()
        assert.deepEqual(harness().delivered.flat(), harness().allMinutes(), start)
      }
      await round()
      await harness().start(action)
      await round()
      assert.deepEqual(harness().delivered.flat(), harness().allMinutes())
    })

    it('continues with devices that another account of the service has too', async () => {
      await harness().start(action)
      await round()
      const { referenceId, referencePass } = harness().simulator().account
      const credentials = { loginId: referenceId, loginPass: referencePass }
      await harness().start(action, {}, { credentials })
      await round()
      await harness().deploy(action)
      await round()
      assert.deepEqual(harness().delivered.flat(), harness().allMinutes())
    })

    it('continues with another store after a deploy, regardless of its contents', async () => {
      await harness().start(action)
      await round()
      const old = harness().store.disk.get(CURSORS) as string
      await round()
      for (const [index, content] of [old, '{"version":99}', '"half'.concat('"')].entries()) {
        harness().store.disk.set(CURSORS, content)
        await harness().deploy(action, { name: `${index}` })
        await round()
      }
      await harness().start(action)
      await round()
      assert.deepEqual(
        harness().delivered.flat(),
        harness().allMinutes(),
        'the state in the process takes precedence, and is copied',
      )
    })
  })
}
