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

  beforeEach(async () => {
    const now = Math.floor(Date.now() / MINUTE) * MINUTE
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
        records,
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
    const hostile = `base="52A10001",serial="52A10001",name="${escaped}",group="${escaped}"`
    const remote = 'base="5F0A1001",serial="52C10002",name="Remote",group=""'
    const spare = 'base="52A10003",serial="52A10003",name="Spare",group=""'
    const [{ values, time = 0 } = {}, other] = simulator.truth.current()
    const lines = (await response.text()).split('\n')
    assert.deepEqual(
      lines.filter((line) => line && !line.startsWith('# HELP') && !line.startsWith('envlog_asked')),
      [
        '# TYPE envlog_value gauge',
        `envlog_value{${hostile},channel="1",label="${escaped}",unit="°C"} ${values?.[1]}`,
        `envlog_value{${remote},channel="1",label="ch1",unit="%"} ${other?.values[1]}`,
        '# TYPE envlog_measured_timestamp_seconds gauge',
        ...[hostile, remote].map(
          (labels) => `envlog_measured_timestamp_seconds{${labels}} ${Number(time) / 1000}`,
        ),
        '# TYPE envlog_battery_code gauge',
        ...[`{${hostile}} 5`, `{${remote}} 2`, `{${spare}} 5`].map(
          (sample) => `envlog_battery_code${sample}`,
        ),
        '# TYPE envlog_rssi gauge',
        ...[hostile, spare].map((labels) => `envlog_rssi{${labels}} 4`),
        '# TYPE envlog_asked_timestamp_seconds gauge',
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
