import assert from 'node:assert/strict'
import {
  type DeviceDefinition,
  type Fault,
  manualClock,
  type Simulator,
  startSimulator,
} from '../../../simulator'
import { useExamples } from '../../support/examples'
import type { FlowNode } from '../../support/node-red'
import { until } from '../../support/wait'
import { startChat } from './chat'

const FLOW_MS = 180_000
const MINUTE = 60_000

const METRICS = 'Operation/metrics for Prometheus'
const ERRORS = 'Operation/all errors in one place'

const HOSTILE = 'a\\b "c"\n{冷} 1'

describe('examples for operators', () => {
  const harness = useExamples()
  let simulator: Simulator
  const now = Math.floor(Date.now() / MINUTE) * MINUTE

  beforeEach(async () => {
    const records = { interval: 60, from: now / 1000 - 3600 }
    const fleet: DeviceDefinition[] = [
      {
        serial: '52A10001',
        name: HOSTILE,
        group: { num: 1, name: HOSTILE },
        channels: [
          { num: 1, name: HOSTILE, unit: 'C' },
          { num: 2, name: 'Probe', unit: 'C', broken: 'Sensor Error' },
        ],
        records: [],
        current: { unixtime: now / 1000, values: { 1: -18.4 } },
      },
      {
        serial: '52C10002',
        name: 'Remote',
        base: { serial: '5F0A1001', name: 'Hall 1' },
        battery: 2,
        rssi: null,
        channels: [{ num: 1, name: 'Air', unit: '%' }],
        records,
      },
      { serial: '52A10003', name: 'Spare', channels: [], records: [] },
      {
        serial: '52A10004',
        name: 'Silent',
        channels: [{ num: 1, name: 'Air', unit: 'C' }],
        records: [],
        current: { unixtime: now / 1000 - 3660, values: { 1: -18.4 } },
      },
    ]
    simulator = await startSimulator({ clock: manualClock(now), limits: 'off', fleet })
  })

  afterEach(() => simulator?.close())

  it('serve metrics of the devices in the text format, and send no request for them', async function () {
    this.timeout(FLOW_MS)
    const scrape = () => fetch(`${harness.nodeRed.url}/metrics`)
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await harness.deploy([METRICS], { simulator })
    assert.equal((await scrape()).status, 503)
    simulator.set({ faults: [] })
    const response = await until('there are readings', async () => {
      const found = await scrape()
      return found.status === 200 && found
    })
    assert.match(String(response.headers.get('content-type')), /^text\/plain;.* version=0\.0\.4/)
    const escaped = HOSTILE.replace(/[\\"]/g, '\\$&').replace('\n', '\\n')
    const hostile = 'base="52A10001",serial="52A10001"'
    const remote = 'base="5F0A1001",serial="52C10002"'
    const silent = 'base="52A10004",serial="52A10004"'
    const other = simulator.truth.current().find(({ serial }) => serial === '52C10002')
    const lines = (await response.text()).split('\n')
    assert.deepEqual(
      lines.filter((line) => line && !line.startsWith('# HELP') && !line.startsWith('envlog_asked')),
      [
        '# TYPE envlog_asked_timestamp_seconds gauge',
        '# TYPE envlog_measured_timestamp_seconds gauge',
        ...[
          [hostile, now],
          [remote, other?.time],
          [silent, now - 3660_000],
        ].map(([labels, at]) => `envlog_measured_timestamp_seconds{${labels}} ${Number(at) / 1000}`),
        '# TYPE envlog_channel_info gauge',
        `envlog_channel_info{${hostile},channel="1",name="${escaped}",group="${escaped}",label="${escaped}"} 1`,
        `envlog_channel_info{${hostile},channel="2",name="${escaped}",group="${escaped}",label="Probe"} 1`,
        `envlog_channel_info{${remote},channel="1",name="Remote",group="",label="ch1"} 1`,
        `envlog_channel_info{${silent},channel="1",name="Silent",group="",label="Air"} 1`,
        '# TYPE envlog_value gauge',
        `envlog_value{${hostile},channel="1",unit="°C"} -18.4`,
        `envlog_value{${remote},channel="1",unit="%"} ${other?.values[1]}`,
        '# TYPE envlog_channel_error gauge',
        `envlog_channel_error{${hostile},channel="1"} 0`,
        `envlog_channel_error{${hostile},channel="2"} 1`,
        `envlog_channel_error{${remote},channel="1"} 0`,
        '# TYPE envlog_battery_code gauge',
        `envlog_battery_code{${hostile}} 5`,
        `envlog_battery_code{${remote}} 2`,
        '# TYPE envlog_rssi gauge',
        `envlog_rssi{${hostile}} 4`,
      ],
    )
    const [, asked] = /^envlog_asked_timestamp_seconds (.*)$/m.exec(lines.join('\n')) ?? []
    assert.ok(Math.abs(Number(asked) * 1000 - Date.now()) < MINUTE)

    await harness.deploy([METRICS], { simulator, more: { 'envlog-current': { repeat: 0 } } })
    const before = simulator.counts().current.total
    const responses = await Promise.all(Array.from({ length: 20 }, scrape))
    assert.ok(responses.every(({ status }) => status === 200))
    assert.equal(simulator.counts().current.total, before)
  })

  it('serve no values once the last response is older than 5 minutes', async function () {
    this.timeout(FLOW_MS)
    const scrape = async () => (await fetch(`${harness.nodeRed.url}/metrics`)).text()
    for (const [age, isServed] of [
      [4 * MINUTE, true],
      [5 * MINUTE, false],
    ] as const) {
      await harness.deploy([METRICS], { simulator }, (flow) => {
        const current = flow.find(({ type }) => type === 'envlog-current') as FlowNode
        const to = `$fromMillis($millis() - ${age})`
        const rules = [{ t: 'set', p: 'envlog.receivedAt', pt: 'msg', to, tot: 'jsonata' }]
        const aged = {
          id: 'test-aged',
          type: 'change',
          z: current.z,
          x: 0,
          y: 0,
          rules,
          wires: current.wires,
        }
        return [...flow.map((node) => (node === current ? { ...node, wires: [[aged.id]] } : node)), aged]
      })
      await until(`values of a response that is ${age} ms old`, async () => {
        const text = await scrape()
        const [, asked] = /^envlog_asked_timestamp_seconds (.*)$/m.exec(text) ?? []
        const isAged = Math.abs(Date.now() - age - Number(asked) * 1000) < 30_000
        return isAged && text.includes('envlog_value{') === isServed
      })
      const text = await scrape()
      for (const name of ['value', 'channel_error', 'battery_code', 'rssi'])
        assert.equal(text.includes(`envlog_${name}{`), isServed, name)
      for (const name of ['measured_timestamp_seconds', 'channel_info'])
        assert.ok(text.includes(`envlog_${name}{`), name)
    }
  })

  const problems: Record<string, [Fault, string]> = {
    ENVLOG_AUTH: [{ kind: 'status', status: 401 }, 'Check API key'],
    ENVLOG_SERVICE: [{ kind: 'status', status: 400 }, 'The service refused'],
    ENVLOG_NETWORK: [{ kind: 'drop' }, 'Check the network, address'],
    ENVLOG_REPLY: [{ kind: 'brokenJson' }, 'The response cannot be used'],
    ENVLOG_TIMEOUT: [{ kind: 'silence' }, "increase 'Timeout' in the account"],
  }

  it('report errors by code, with a remedy', async function () {
    this.timeout(FLOW_MS)
    // The output of the example's debug node is posted here.
    const chat = await startChat()
    try {
      const deploy = (timeout: number) =>
        harness.deploy([ERRORS], { simulator, more: { 'envlog-account': { timeout } } }, (flow) => {
          const say = flow.find(({ name }) => name === 'in words') as FlowNode
          const place = { z: say.z, x: 100, y: 900 }
          const toChat = [{ t: 'set', p: 'payload', pt: 'msg', to: '{"text": payload}', tot: 'jsonata' }]
          const current = flow.find(({ type }) => type === 'envlog-current') as FlowNode
          return [
            ...flow.map((node) => (node === say ? { ...node, wires: [['test-words']] } : node)),
            { id: 'test-words', type: 'change', ...place, rules: toChat, wires: [['test-post']] },
            { id: 'test-post', type: 'http request', ...place, method: 'POST', ret: 'txt', url: chat.url },
            {
              id: 'test-ask',
              type: 'inject',
              ...place,
              name: 'ask all',
              props: [],
              wires: [['test-current']],
            },
            { ...current, id: 'test-current', name: 'all', select: 'all' },
          ]
        })
      // Longer than a response takes on a busy machine.
      await deploy(120)
      await harness.press('try it')
      await until('it is sent', () => chat.texts.length > 0)
      assert.match(String(chat.texts[0]), /^devices of the message: The .* Correct the property/)
      for (const [at, [code, [fault, advice]]] of Object.entries(problems).entries()) {
        simulator.set({ faults: [fault] })
        if (fault.kind === 'silence') await deploy(1)
        await harness.press('ask all')
        await until(`${code} is sent`, () => chat.texts.length > at + 1)
        const message = String(chat.texts[at + 1])
        assert.ok(message.startsWith('all: ') && message.includes(advice), message)
      }
    } finally {
      await chat.close()
    }
  })
})
