import assert from 'node:assert/strict'
import type { Simulator, Variants } from '../../../simulator'
import { office, type Reply, remote, request, simulate, startSeconds, tiny, useSimulators } from './support'

const serial = { 'remote-serial': '52000001' }
const unit = { 'remote-serial': '52000002', 'base-serial': '5F000001' }
const alertOf = { ...serial, 'base-serial': '52000001' }
const zone = { timeDiff: 120, stdBias: 0, dst: false, dstBias: 0 }
const alerts = [{ unixtime: startSeconds - 5, texts: { ch1: 'Upper Limit' } }]

const withVariants = (variants: Partial<Variants>) =>
  simulate({
    fleet: [tiny(3, { zone, alerts }), remote({ base: { ...office, zone }, group: { num: 2, name: 'Two' } })],
    variants,
  })

const first = async (simulator: Simulator) => (await request(simulator, 'current')).json.devices[0]
const second = async (simulator: Simulator) => (await request(simulator, 'current')).json.devices[1]
const offsetsOf = (body: object) => Object.keys(body).filter((key) => /^(time|std|dst)/.test(key))
const times = ({ json }: Reply) => json.data.map((each: { unixtime: number }) => each.unixtime - startSeconds)

describe('simulator: variants', () => {
  useSimulators()
  it('inclusiveBounds', async () => {
    const simulator = await withVariants({ inclusiveBounds: true })
    const period = { 'unixtime-from': startSeconds - 180, 'unixtime-to': startSeconds - 60 }
    assert.deepEqual(times(await request(simulator, 'data', { ...serial, ...period })), [-180, -120, -60])
    simulator.set({ variants: { inclusiveBounds: false } })
    assert.deepEqual(times(await request(simulator, 'data', { ...serial, ...period })), [-120])
  })

  it('numbers: text everywhere', async () => {
    const simulator = await withVariants({ numbers: 'text' })
    const { json } = await request(simulator, 'data', { ...serial, number: 1 })
    assert.equal(json.time_diff, '120')
    assert.equal(json.channel[0].num, '0')
    assert.deepEqual(json.data, [{ unixtime: String(startSeconds - 60), 'data-id': '3', ch1: '2' }])
    const relay = (await request(simulator, 'data-relay', { ...unit, number: 1 })).json
    assert.equal(relay.data[0].ch2, '3.5')
    assert.equal(relay['time-diff'], '120')
  })

  it('numbers: number everywhere', async () => {
    const simulator = await withVariants({ numbers: 'number' })
    const device = await first(simulator)
    assert.deepEqual(
      [device.num, device.unixtime, device.battery, device.channel[0].value],
      [0, startSeconds - 60, 5, 2],
    )
    const relay = (await request(simulator, 'latest-data-relay', unit)).json
    assert.deepEqual([relay['dst-flg'], relay.data[0]['data-id'], relay.data[0].ch1], [0, 0, 1])
    assert.equal(
      (await request(simulator, 'alert', alertOf)).json['alert-logs'][0].unixtime,
      startSeconds - 5,
    )
  })

  it('offsetSpelling', async () => {
    const simulator = await withVariants({ offsetSpelling: 'hyphen' })
    const all = async () => [
      offsetsOf(await first(simulator)),
      offsetsOf((await request(simulator, 'data', serial)).json),
      offsetsOf((await request(simulator, 'data-relay', unit)).json),
    ]
    for (const names of await all()) assert.deepEqual(names, ['time-diff', 'std-bias', 'dst-bias'])
    simulator.set({ variants: { offsetSpelling: 'underscore' } })
    for (const names of await all()) assert.deepEqual(names, ['time_diff', 'std_bias', 'dst_bias'])
  })

  it('dstFlag missing', async () => {
    const simulator = await withVariants({ dstFlag: 'missing' })
    assert.equal('dst-flg' in (await request(simulator, 'alert', alertOf)).json, false)
    assert.equal('dst-flg' in (await request(simulator, 'latest-data-relay', unit)).json, false)
  })

  it('dstBias 60 everywhere', async () => {
    const simulator = await withVariants({})
    assert.equal((await first(simulator)).dst_bias, '0')
    simulator.set({ variants: { dstBias: '60' } })
    assert.equal((await first(simulator)).dst_bias, '60')
    assert.equal((await request(simulator, 'data', serial)).json.dst_bias, 60)
  })

  it('standaloneNum 1', async () => {
    const simulator = await withVariants({ standaloneNum: 1 })
    assert.equal((await first(simulator)).num, '1')
  })

  it('channelBase on data and latest-data only', async () => {
    const simulator = await withVariants({ channelBase: 1 })
    assert.equal((await request(simulator, 'data', serial)).json.channel[0].num, 1)
    simulator.set({ variants: { channelBase: 0 } })
    assert.equal((await request(simulator, 'latest-data', serial)).json.channel[0].num, 0)
    assert.equal((await request(simulator, 'data-relay', unit)).json.channel[0].num, 1)
  })

  it('standaloneChannels', async () => {
    const channels = [1, 2, 3, 4, 5].map((num) => ({ num, unit: 'C' }))
    const records = [{ unixtime: startSeconds - 1, values: { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5 } }]
    const simulator = await simulate({
      fleet: [tiny(0, { channels, records })],
      variants: { standaloneChannels: 4 },
    })
    const { json } = await request(simulator, 'data', serial)
    assert.equal(json.channel.length, 4)
    assert.equal(json.data[0].ch4, 4)
    assert.equal('ch5' in json.data[0], false)
  })

  it('nested, noGroup, noBaseunit', async () => {
    const simulator = await withVariants({ nested: 'array' })
    assert.deepEqual((await first(simulator)).group, [{ num: '0', name: '' }])
    assert.equal((await first(simulator)).baseunit[0].serial, '52000001')
    simulator.set({ variants: { nested: 'object', noGroup: 'empty-array', noBaseunit: 'empty-array' } })
    assert.deepEqual((await first(simulator)).group, [])
    assert.deepEqual((await first(simulator)).baseunit, [])
    assert.deepEqual((await second(simulator)).group, { num: '2', name: 'Two' })
    assert.equal((await second(simulator)).baseunit.serial, '5F000001')
  })

  it('blank and rssiMissing', async () => {
    const simulator = await withVariants({
      blank: ['rssi', 'channel.name', 'value', 'group.name', 'unixtime'],
    })
    const { rssi, channel, group, unixtime } = await second(simulator)
    assert.deepEqual([rssi, channel[0].name, channel[0].value, group.name, unixtime], ['', '', '', '', ''])
    assert.equal((await request(simulator, 'data', serial)).json.channel[0].name, '')
    simulator.set({ variants: { blank: [], rssiMissing: true } })
    assert.equal('rssi' in (await first(simulator)), false)
  })

  it('recordOrder', async () => {
    const simulator = await withVariants({ recordOrder: 'descending' })
    assert.deepEqual(times(await request(simulator, 'data', serial)), [-60, -120, -180])
    simulator.set({ fleet: [tiny(50)], variants: { recordOrder: 'shuffled' } })
    const mixed = times(await request(simulator, 'data', serial))
    assert.notDeepEqual(
      mixed,
      [...mixed].sort((a, b) => a - b),
    )
    assert.equal(new Set(mixed).size, 50)
    const records = [-10, -50, -30].map((offset) => ({ unixtime: startSeconds + offset, values: { 1: 1 } }))
    simulator.set({ fleet: [tiny(0, { records })], variants: { recordOrder: 'arrival' } })
    assert.deepEqual(times(await request(simulator, 'data', serial)), [-10, -50, -30])
  })

  it('extraFields at every level', async () => {
    const simulator = await withVariants({ extraFields: true })
    const body = (await request(simulator, 'current')).json
    const [device] = body.devices
    const data = (await request(simulator, 'data', serial)).json
    const alert = (await request(simulator, 'alert', alertOf)).json
    const levels = [
      body,
      device,
      device.channel[0],
      device.baseunit,
      device.group,
      data,
      data.channel[0],
      data.data[0],
    ]
    for (const level of [...levels, alert, alert['alert-logs'][0]]) assert.equal(level['x-revision'], 3)
  })

  it('CSV: byte order mark, spaces, labels, line ends', async () => {
    const simulator = await withVariants({ csvBom: true, csvSpaces: true, csvLabels: 'ja', csvLineEnd: 'lf' })
    const { text } = await request(simulator, 'data', { ...serial, type: 'csv2', number: 1 })
    assert.deepEqual(text.split('\n'), [
      '\uFEFF" 日時 "," 日時 "," No.1 "',
      '" GMT+02:00 夏時間:OFF "," 日付シリアル値 "," Air "',
      '"  ","  "," C "',
      '" 2026-01-15 14:14:00 "," 46037.593056 "," 2 "',
      '',
    ])
  })

  it('csv2OnLatestData', async () => {
    const simulator = await withVariants({ csv2OnLatestData: true })
    const reply = await request(simulator, 'latest-data', { ...serial, type: 'csv2' })
    assert.match(reply.text, /^"Date\/Time"/)
  })

  it('temperatureUnit', async () => {
    const simulator = await withVariants({ temperatureUnit: true })
    const { json } = await request(simulator, 'data', { ...serial, number: 1, 'temperature-unit': 'F' })
    assert.deepEqual([json.channel[0].unit, json.data[0].ch1], ['F', 35.6])
    assert.equal((await request(simulator, 'data', { ...serial, 'temperature-unit': 'K' })).status, 400)
    assert.equal((await request(simulator, 'data', { ...serial, number: 1 })).json.data[0].ch1, 2)
  })

  it('errorText', async () => {
    const channels = [{ num: 1, broken: 'Sensor Error' }, { num: 2 }]
    const records = [{ unixtime: startSeconds - 1, values: { 1: 'E1', 2: 'E0' } }]
    const simulator = await simulate({ fleet: [tiny(0, { channels, records })] })
    const values = async () => (await first(simulator)).channel.map((each: { value: string }) => each.value)
    assert.deepEqual(await values(), ['Sensor Error', 'Sensor Error'])
    simulator.set({ variants: { errorText: 'センサーエラー' } })
    assert.deepEqual(await values(), ['センサーエラー', 'センサーエラー'])
  })

  it('errorLanguage and errorCode', async () => {
    const simulator = await withVariants({ errorLanguage: 'ja', errorCode: 'text' })
    const { error } = (await request(simulator, 'data')).json
    assert.equal(error.code, '400')
    assert.match(error.message, /必須パラメータ/)
  })

  it('rateHeaders', async () => {
    const simulator = await withVariants({ rateHeaders: 'absent' })
    const headersOf = async (rateHeaders: Variants['rateHeaders']) => {
      simulator.set({ variants: { rateHeaders } })
      const { headers } = await request(simulator, 'data', serial)
      return ['limit', 'reset', 'remaining', 'remaining-datacount'].map(
        (name) => headers[`x-ratelimit-${name}`],
      )
    }
    assert.deepEqual(await headersOf('absent'), [undefined, undefined, undefined, undefined])
    assert.deepEqual(await headersOf('text'), ['abc', 'abc', 'abc', 'abc'])
    assert.deepEqual(await headersOf('empty'), ['', '', '', ''])
    for (const value of await headersOf('negative')) assert.ok(Number(value) < 0)
  })

  it('retryAfter', async () => {
    const simulator = await withVariants({ retryAfter: 7 })
    simulator.spend('current', 10)
    assert.equal((await request(simulator, 'current')).headers['retry-after'], '7')
  })

  it('unknownSerialCsv2', async () => {
    const simulator = await withVariants({ unknownSerialCsv2: 'array' })
    const unknown = { 'remote-serial': '99999999' }
    const reply = await request(simulator, 'data', { ...unknown, type: 'csv2' })
    assert.deepEqual([reply.status, reply.text], [200, 'Array'])
    assert.equal((await request(simulator, 'data', unknown)).status, 400)
  })

  it('unknownInCurrent', async () => {
    const simulator = await withVariants({ unknownInCurrent: 'error' })
    const status = async (params: object) => (await request(simulator, 'current', { ...params })).status
    assert.equal(await status({ 'remote-serial': ['52000001', '99999999'] }), 400)
    assert.equal(await status({ 'remote-serial': ['52000001'] }), 200)
    assert.equal(await status({ 'base-serial': ['5F000009'] }), 400)
  })
})
