import assert from 'node:assert/strict'
import { type DeviceDefinition, manualClock } from '../../../simulator'
import { A_DAY, freezer, NOW, rackA, truck } from '../../support/devices'
import { runEveryPair } from '../../support/every-pair'
import { useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'
import { outputs, type Pair, pairs } from '../../support/outputs'

const PERIOD = { ...A_DAY, from: '2026-01-15T11:50:00Z' }
const aboutNobody = ({ action, send }: Pair) => action === 'current' && (send === 'all' || send === 'answer')
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
  const truthOf = ({ device }: Message) =>
    simulator()
      .truth.devices()
      .find(({ serial, base }) => serial === device.serial && base === device.base)

  /** The channel of a message's single value. */
  const channelOf = ({ output, send }: Pair, { payload, envlog }: Message): Message | undefined => {
    if (output === 'values') return envlog.reading
    return output === 'rows' && send === 'each' ? payload : undefined
  }

  it('contains base unit, device and channel by default, and none of them in a message about all', async () => {
    for (const { messages, ...pair } of await run(withoutAlerts, {}, { topic: 'mine' })) {
      assert.ok(messages.length > 0)
      for (const msg of messages) {
        const { serial, base } = msg.envlog.device ?? {}
        const channel = channelOf(pair, msg)?.channel
        const expected = ['envlog', base, serial, channel].filter((part) => part !== undefined).join('/')
        assert.equal(msg.topic, aboutNobody(pair) ? 'mine' : expected, JSON.stringify(pair))
      }
    }
  })

  it('of alerts ends in alert by default, for every output and send', async () => {
    for (const { messages } of await run(pairs(['alerts']), {}, { topic: 'mine' })) {
      assert.ok(messages.length > 0)
      for (const { topic, envlog } of messages) {
        assert.equal(topic, `envlog/${envlog.device.base}/${envlog.device.serial}/alert`)
      }
    }
  })

  it('contains account, group, name, label and unit if the template names them', async () => {
    const topic = '{account}/{group}/{name}/{label}-{unit}/{channel}{label}/{serial}'
    for (const { messages, ...pair } of await run(withoutAlerts, { topic })) {
      for (const msg of messages) {
        if (aboutNobody(pair)) {
          assert.equal('topic' in msg, false)
          continue
        }
        const device = truthOf(msg.envlog)
        const channel = channelOf(pair, msg)
        const own = channel
          ? [`${channel.label}-${channel.unit}`, `${channel.channel}${channel.label}`]
          : ['_-_']
        const expected = ['Plant A', device?.group.name || '_', device?.name, ...own, device?.serial]
        assert.equal(msg.topic, expected.join('/'), JSON.stringify(pair))
      }
    }
  })

  it('contains the group even if only the topic needs it, for alerts too', async () => {
    for (const { messages } of await run(pairs(['alerts']), { topic: 'x/{group}' })) {
      const groups = messages.map(({ envlog }) => truthOf(envlog)?.group.name || '_')
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

  it('keeps its levels with any names', async () => {
    const hostile = 'a/b+c#\n{serial}\u0000'
    const device: DeviceDefinition = {
      serial: '52000001',
      name: hostile,
      group: { num: 1, name: hostile },
      channels: [{ num: 1, name: hostile, unit: hostile }],
      records: [{ unixtime: NOW / 1000 - 60, values: { 1: 1 } }],
      alerts: [{ unixtime: NOW / 1000 - 60, texts: { ch1: hostile } }],
    }
    simulator().set({ fleet: [device], variants: { csv2OnLatestData: true } })
    const safe = 'a_b_c__{serial}\ufffd'
    const node = { select: 'all', topic: '{name}/{group}/{label}/{unit}/end' }
    for (const { messages, ...pair } of await run(withoutAlerts, node)) {
      assert.equal(messages.length, 1, JSON.stringify(pair))
      for (const msg of messages) {
        const own = channelOf(pair, msg) ? [safe, safe] : []
        const expected = [safe, safe, ...own, 'end'].join('/')
        assert.equal(msg.topic, aboutNobody(pair) ? undefined : expected, JSON.stringify(pair))
      }
    }
  })
})
