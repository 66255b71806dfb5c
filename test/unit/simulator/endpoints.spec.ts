import assert from 'node:assert/strict'
import type { Simulator } from '../../../simulator'
import { office, remote, request, simulate, startSeconds, tiny, useSimulators } from './support'

const standalone = { 'remote-serial': '52000001' }
const unit = { 'remote-serial': '52000002', 'base-serial': '5F000001' }
const zone = { timeDiff: -210, stdBias: 0, dst: true, dstBias: 30 }

describe('simulator: responses', () => {
  useSimulators()
  let simulator: Simulator

  beforeEach(async () => {
    simulator = await simulate({
      fleet: [
        tiny(2, { name: 'One', model: 'M-1', zone }),
        remote({ name: 'Two', num: 3, base: { ...office, zone } }),
      ],
    })
  })

  it('sends current readings as text, with underscores in the offsets and objects for base unit and group', async () => {
    const { status, headers, json } = await request(simulator, 'current')
    assert.equal(status, 200)
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.deepEqual(json.devices[0], {
      num: '0',
      serial: '52000001',
      model: 'M-1',
      name: 'One',
      battery: '5',
      rssi: '4',
      time_diff: '-210',
      std_bias: '0',
      dst_bias: '30',
      unixtime: String(startSeconds - 60),
      channel: [{ num: '1', name: 'Air', value: '1', unit: 'C' }],
      baseunit: { serial: '52000001', model: 'M-1', name: 'One' },
      group: { num: '0', name: '' },
    })
    const [, second] = json.devices
    assert.equal(second.num, '3')
    assert.deepEqual(second.baseunit, { serial: '5F000001', model: 'B-500', name: 'Office' })
    assert.deepEqual(
      second.channel.map((each: { name: string; value: string }) => [each.name, each.value]),
      [
        ['ch1', '3'],
        ['ch2', '3.5'],
        ['ch3', '-3'],
        ['ch4', '0'],
      ],
    )
  })

  for (const endpoint of ['latest-data', 'data'] as const) {
    it(`sends numbers in ${endpoint}, with channels counted from 0 and no daylight saving flag`, async () => {
      const { json } = await request(simulator, endpoint, standalone)
      assert.deepEqual(json, {
        serial: '52000001',
        model: 'M-1',
        name: 'One',
        time_diff: -210,
        std_bias: 0,
        dst_bias: 30,
        channel: [{ name: 'Air', num: 0, unit: 'C' }],
        data: [
          { unixtime: startSeconds - 120, 'data-id': 1, ch1: 0 },
          { unixtime: startSeconds - 60, 'data-id': 2, ch1: 1 },
        ],
      })
    })
  }

  const identity = {
    'remote-serial': '52000002',
    'remote-model': 'M-100',
    'remote-name': 'Two',
    'base-serial': '5F000001',
    'base-model': 'B-500',
    'base-name': 'Office',
  }

  const offsets = { 'time-diff': '-210', 'std-bias': '0', 'dst-flg': '1', 'dst-bias': '60' }

  it('sends text in latest-data-relay, with a daylight saving flag and always 60 as dst-bias', async () => {
    const { json } = await request(simulator, 'latest-data-relay', unit)
    const { channel, data, ...rest } = json
    assert.deepEqual(rest, { ...identity, ...offsets })
    assert.deepEqual(channel[3], { name: 'ch4', num: '4', unit: 'C' })
    assert.deepEqual(data[2], {
      unixtime: String(startSeconds - 600),
      'data-id': '2',
      ch1: '3',
      ch2: '3.5',
      ch3: '-3',
      ch4: '0',
    })
  })

  it('sends numbers in data-relay, with hyphens in the offsets and no daylight saving flag', async () => {
    const { json } = await request(simulator, 'data-relay', { ...unit, number: 1 })
    const { channel, ...rest } = json
    assert.deepEqual(rest, {
      ...identity,
      'time-diff': -210,
      'std-bias': 0,
      'dst-bias': 30,
      data: [{ unixtime: startSeconds - 600, 'data-id': 2, ch1: 3, ch2: 3.5, ch3: -3, ch4: 0 }],
    })
    assert.deepEqual(channel[0], { name: 'ch1', num: 1, unit: 'C' })
  })

  it('sends alerts as text, at most 20 of them, newest first', async () => {
    const alerts = Array.from({ length: 25 }, (_, i) => ({
      unixtime: startSeconds - 100 + i,
      texts: { ch1: `Upper Limit ${i}`, 'battery-level': 'low' },
    }))
    simulator.set({ fleet: [remote({ name: 'Two', base: { ...office, zone }, alerts })] })
    const { json } = await request(simulator, 'alert', unit)
    const { channel, 'alert-logs': logs, ...rest } = json
    assert.deepEqual(rest, { ...identity, ...offsets })
    assert.deepEqual(channel[0], { name: 'ch1', num: '1', unit: 'C' })
    assert.equal(logs.length, 20)
    assert.deepEqual(logs[0], {
      unixtime: String(startSeconds - 76),
      ch1: 'Upper Limit 24',
      'battery-level': 'low',
    })
    assert.equal(logs[19].unixtime, String(startSeconds - 95))
  })

  it('leaves out a channel that was not measured, and sends an error as text beginning with E', async () => {
    const channels = [1, 3].map((num) => ({ num, unit: 'C' }))
    const records = [
      { unixtime: startSeconds - 2, values: { 1: 1.5, 3: 'E1' } },
      { unixtime: startSeconds - 1, values: { 1: 1.5, 3: null } },
    ]
    simulator.set({ fleet: [remote({ channels, records })] })
    const { json } = await request(simulator, 'data-relay', unit)
    assert.deepEqual(
      json.channel.map((each: { num: number }) => each.num),
      [1, 3],
    )
    assert.deepEqual(json.data[0], { unixtime: startSeconds - 2, 'data-id': 0, ch1: 1.5, ch3: 'E1' })
    assert.deepEqual(json.data[1], { unixtime: startSeconds - 1, 'data-id': 1, ch1: 1.5 })
  })

  it('has no channels as long as a device has no records', async () => {
    simulator.set({ fleet: [tiny(0), remote({ records: [] })] })
    const { json } = await request(simulator, 'current')
    assert.deepEqual(json.devices[0].channel, [])
    const data = (await request(simulator, 'data', standalone)).json
    assert.deepEqual([data.channel, data.data], [[], []])
    const alert = (await request(simulator, 'alert', unit)).json
    assert.deepEqual([alert.channel, alert['alert-logs']], [[], []])
  })
})
