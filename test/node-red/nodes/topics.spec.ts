import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { A_DAY, freezer, NOW, rackA, truck } from '../../support/devices'
import { runEveryPair } from '../../support/every-pair'
import { useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import { outputs, type Pair, pairs } from '../../support/outputs'

const PERIOD = { ...A_DAY, from: '2026-01-15T11:50:00Z' }
const isAboutAllDevices = ({ action, send }: Pair) =>
  action === 'current' && (send === 'all' || send === 'answer')
/** Alerts may have no channel: their topics are tested in `test/unit/lib/output/plan.spec.ts`. */
const withoutAlerts: readonly Pair[] = [
  ...outputs(['current', 'latest', 'range']),
  { action: 'range', output: 'rows', send: 'each' },
]

describe('the topic of a message', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))
  const chosen = {
    select: 'list',
    devices: [freezer, rackA, truck].map(({ serial, ...rest }) => ({ serial, base: serial, ...rest })),
  }
  const run = (wanted: readonly Pair[], node: Message, msg: Message = {}) =>
    runEveryPair(simulator(), () => ({ ...chosen, ...PERIOD, ...node }), wanted, msg)
  const trueDevice = ({ device }: Message) =>
    simulator()
      .truth.devices()
      .find(({ serial, base }) => serial === device.serial && base === device.base)

  /** The channel of a message's single value. */
  const channelOf = ({ output, send }: Pair, { payload, envlog }: Message): Message | undefined => {
    if (output === 'values') return envlog.reading
    return output === 'rows' && send === 'each' ? payload : undefined
  }

  it('contains base unit, device and channel by default, and is the incoming topic in a message about all devices', async () => {
    for (const { messages, ...pair } of await run(withoutAlerts, {}, { topic: 'mine' })) {
      assert.ok(messages.length > 0)
      for (const msg of messages) {
        const { serial, base } = msg.envlog.device ?? {}
        const channel = channelOf(pair, msg)?.channel
        const expected = ['envlog', base, serial, channel].filter((part) => part !== undefined).join('/')
        assert.equal(msg.topic, isAboutAllDevices(pair) ? 'mine' : expected, JSON.stringify(pair))
      }
    }
  })

  it('contains the group even if only the topic needs it, for alerts too', async () => {
    for (const { messages } of await run(pairs(['alerts']), { topic: 'x/{group}' })) {
      const groups = messages.map(({ envlog }) => trueDevice(envlog)?.group.name || '_')
      assert.deepEqual(
        messages.map(({ topic }) => topic),
        groups.map((group) => `x/${group}`),
      )
      assert.ok(groups.includes('Cold store'))
    }
  })

  it('is unchanged if the template is blank', async () => {
    for (const given of [{ topic: 'mine' }, {}]) {
      for (const { messages } of await run(outputs(), { topic: ' ' }, given)) {
        assert.ok(messages.length > 0)
        for (const msg of messages)
          assert.deepEqual([msg.topic, 'topic' in msg], [given.topic, 'topic' in given])
      }
    }
  })
})
