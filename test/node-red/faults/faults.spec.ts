import assert from 'node:assert/strict'
import { install } from '@sinonjs/fake-timers'
import { type Fault, manualClock } from '../../../simulator'
import { LIMITS } from '../../../src/shared/service-limits'
import { A_DAY, freezer, NOW } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import { actions } from '../../support/flow-types'

/** A refusal closes an endpoint for the described window, regardless of the response. */
const SOON = {
  limits: JSON.stringify(
    Object.fromEntries(Object.keys(LIMITS).map((name) => [name, { limit: 1e6, window: 1 }])),
  ),
}

/** Each fault, and its code in docs/errors.md; none if the response is still valid. */
const faults: [name: string, Fault, code?: string][] = [
  ['a delay', { kind: 'delay', delay: 5 }],
  ['a slow drip', { kind: 'drip', pause: 1, piece: 4096 }],
  ['another content type', { kind: 'wrongContentType' }],
  ['a dropped connection', { kind: 'drop' }, 'ENVLOG_NETWORK'],
  ['a body that breaks off', { kind: 'dropMidBody' }, 'ENVLOG_NETWORK'],
  ['status 500', { kind: 'status', status: 500 }, 'ENVLOG_SERVICE'],
  // Requested again after the window.
  ['status 429', { kind: 'status', status: 429 }],
  ['status 401', { kind: 'status', status: 401 }, 'ENVLOG_AUTH'],
  ['status 400', { kind: 'status', status: 400 }, 'ENVLOG_SERVICE'],
  ['a redirect', { kind: 'redirect' }, 'ENVLOG_SERVICE'],
  ['broken JSON', { kind: 'brokenJson' }, 'ENVLOG_REPLY'],
  ['an HTML page', { kind: 'html' }, 'ENVLOG_REPLY'],
  ['an error object with status 200', { kind: 'errorWith200' }, 'ENVLOG_REPLY'],
]

const COMMON = ['a dropped connection', 'status 401', 'broken JSON', 'an error object with status 200']

describe('faults of the service and of the network', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const node = { select: 'list', devices: [freezer], ...A_DAY }

  for (const action of actions) {
    // The effect on a response does not depend on the action, so only one action has all faults.
    const own = action === 'latest' ? faults : faults.filter(([name]) => COMMON.includes(name))
    for (const [name, fault, code] of own) {
      it(`end ${action} with ${code ?? 'the readings'} once, and the next trigger succeeds: ${name}`, async () => {
        const flow = await startFlow(action, simulator(), {
          node: { ...node, devices: [{ ...freezer, base: freezer.serial }] },
          account: SOON,
        })
        simulator().set({ faults: [{ ...fault, times: 1 }] })
        flow.send({ keep: 'me' })
        if (code) {
          const msg = await flow.errors.next()
          assert.equal(msg.error.code, code)
          assert.equal(msg.keep, 'me')
          assert.equal(flow.output.messages.length, 0)
        } else {
          await flow.completed.next()
        }
        // A refused device is not requested again today, unless it is forgotten.
        flow.send({ envlog: { forget: true } })
        await flow.completed.next()
        flow.send()
        await flow.completed.next()
        assert.equal(flow.errors.messages.length, code ? 1 : 0)
        assert.equal(flow.output.messages.length, code ? 1 : 2)
      })
    }

    it(`end ${action} with ENVLOG_TIMEOUT after the account's timeout, and the next trigger succeeds: silence`, async () => {
      const flow = await startFlow(action, simulator(), { node, account: { timeout: 30 } })
      simulator().set({ faults: [{ kind: 'silence', times: 1 }] })
      const clock = install({ toFake: ['setTimeout', 'clearTimeout'] })
      try {
        flow.send()
        const turn = () => new Promise((resolve) => setImmediate(resolve))
        while (!simulator().log.some(({ faults }) => faults.includes('silence'))) await turn()
        clock.tick(29_999)
        // An error would have arrived by then.
        for (let turns = 0; turns < 50; turns++) await turn()
        assert.equal(flow.errors.messages.length, 0)
        clock.tick(1)
      } finally {
        clock.uninstall()
      }
      const { error } = await flow.errors.next()
      assert.equal(error.code, 'ENVLOG_TIMEOUT')
      flow.send()
      await flow.completed.next()
      assert.equal(flow.errors.messages.length, 1)
    })
  }
})
