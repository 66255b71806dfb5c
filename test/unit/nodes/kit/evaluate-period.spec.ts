import assert from 'node:assert/strict'
import type { EnvlogError } from '../../../../src/lib/errors'
import { evaluatePeriod } from '../../../../src/nodes/kit/settings/evaluate-period'
import { createEvaluator } from '../../../../src/nodes/kit/settings/typed-input'
import { failure } from '../../lib/responses'

const now = Date.UTC(2026, 10, 20, 12)
const DAY = 86_400_000
const nothing = async () => assert.fail('nothing to evaluate')

type Ends = Parameters<typeof evaluatePeriod>[0]
const ends = (over: Partial<Ends>): Ends => ({ from: '', fromType: 'rel', to: '', toType: 'date', ...over })

describe('the period of a trigger', () => {
  it('is the last 24 hours if both bounds are blank, regardless of their types', async () => {
    for (const type of ['date', 'rel', 'msg'] as const) {
      const period = await evaluatePeriod(
        ends({ fromType: type, toType: type, from: ' ', to: ' ' }),
        now,
        nothing,
      )
      assert.deepEqual(period, { from: { instant: now - DAY }, to: { instant: now } })
    }
  })

  it('is read from dates and epoch numbers, with or without an offset', async () => {
    const period = await evaluatePeriod(
      ends({ from: '2026-11-19T00:00:00+09:00', fromType: 'date', to: '2026-11-20', toType: 'date' }),
      now,
      nothing,
    )
    assert.deepEqual(period, {
      from: { instant: Date.UTC(2026, 10, 18, 15) },
      to: { wallClock: Date.UTC(2026, 10, 20) },
    })
    const epoch = await evaluatePeriod(ends({ from: '1795100000', fromType: 'date' }), now, nothing)
    assert.deepEqual(epoch, { from: { instant: 1_795_100_000_000 }, to: { instant: now } })
  })

  it('is read from relative times', async () => {
    const period = await evaluatePeriod(ends({ from: '-7d', to: '-1h', toType: 'rel' }), now, nothing)
    assert.deepEqual(period, { from: { instant: now - 7 * DAY }, to: { instant: now - 3_600_000 } })
  })

  it('can be a calendar period, which determines its end', async () => {
    const saved = { to: 'soon', toType: 'msg' } as const
    const period = await evaluatePeriod(
      ends({ from: 'last-week', fromType: 'calendar', ...saved }),
      now,
      nothing,
    )
    assert.deepEqual(period, { calendar: 'last-week', now })
    const evaluate = async (value: string) => (value === 'when' ? 'yesterday' : assert.fail('no end'))
    const found = await evaluatePeriod(ends({ from: 'when', fromType: 'msg', ...saved }), now, evaluate)
    assert.deepEqual(found, { calendar: 'yesterday', now })
  })

  it('is read from messages, contexts, the environment and expressions', async () => {
    const evaluated: unknown[] = []
    const evaluate = async (value: string, type: string) => {
      evaluated.push([value, type])
      return value === 'a' ? now - DAY : '2026-11-20T11:00:00Z'
    }
    const wanted = ends({ from: 'a', fromType: 'msg', to: 'b', toType: 'env' })
    assert.deepEqual(await evaluatePeriod(wanted, now, evaluate), {
      from: { instant: now - DAY },
      to: { instant: now - 3_600_000 },
    })
    assert.deepEqual(evaluated, [
      ['a', 'msg'],
      ['b', 'env'],
    ])
  })

  it('fails with ENVLOG_INPUT, which names the property, if its value is not a time', async () => {
    for (const value of [undefined, null, '', 'soon', {}, [], true]) {
      const wrong = evaluatePeriod(ends({ to: 'times.to', toType: 'flow' }), now, async () => value)
      await assert.rejects(wrong, (error) => {
        assert.deepEqual((error as EnvlogError).params, { property: 'flow.times.to' })
        return failure('ENVLOG_INPUT')(error)
      })
    }
  })

  it('fails with ENVLOG_INPUT, which names the bound, if one cannot be read', async () => {
    for (const wrong of [
      { from: 'soon', fromType: 'date' },
      { from: '24h' },
      { from: 'tomorrow' },
      { from: 'next-week', fromType: 'calendar' },
    ] as const) {
      await assert.rejects(evaluatePeriod(ends(wrong), now, nothing), (error) => {
        assert.deepEqual((error as EnvlogError).params, { property: 'from' })
        return failure('time-unreadable')(error)
      })
    }
  })

  it('fails with the sentence of Node-RED if an expression fails', async () => {
    const sentence = 'Attempted to invoke\na non-function'
    const throws = () => {
      throw new Error(sentence)
    }
    const fails = (_: string, __: string, ___: object, ____: object, done: (error: unknown) => void) =>
      // Errors of JSONata are plain objects.
      done({ code: 'T1006', message: sentence })
    for (const evaluateNodeProperty of [fails, throws]) {
      const evaluate = createEvaluator({ util: { evaluateNodeProperty } } as never, {} as never, {})
      const result = evaluatePeriod(ends({ from: 'x', fromType: 'jsonata' }), now, evaluate)
      await assert.rejects(result, (error) => {
        assert.deepEqual((error as EnvlogError).params, { detail: 'Attempted to invoke a non-function' })
        return failure('expression-failed')(error)
      })
      const missing = evaluatePeriod(ends({ from: 'a.b', fromType: 'msg' }), now, evaluate)
      await assert.rejects(missing, failure('time-unreadable'))
    }
  })
})
