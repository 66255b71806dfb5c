import assert from 'node:assert/strict'
import {
  type DeviceDefinition,
  type Fault,
  manualClock,
  type Simulator,
  startSimulator,
} from '../../../simulator'
import { type Chat, startChat } from '../../support/chat'
import { useExamples } from '../../support/examples'
import { currentRows } from '../../support/expected'
import { assertSame } from '../../support/same'
import { until } from '../../support/wait'

const FLOW_MS = 60_000
const MINUTE = 60_000

const METRICS = 'Operation/metrics for Prometheus'
const ERRORS = 'Operation/all errors in one place'

const HOSTILE = 'a\\b "c"\n{冷} 1'

describe('examples for those who operate', () => {
  const hall = useExamples()
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

  describe('metrics', () => {
    const scrape = () => fetch(`${hall.url()}/metrics`)

    it('are what the devices say, in the text format, with labels escaped', async function () {
      this.timeout(FLOW_MS)
      simulator.set({ faults: [{ kind: 'status', status: 503 }] })
      await hall.deploy([METRICS], { simulator })
      const early = await scrape()
      assert.equal(early.status, 503)
      simulator.set({ faults: [] })
      const answer = await until('there are readings', async () => {
        const found = await scrape()
        return found.status === 200 && found
      })
      assert.match(String(answer.headers.get('content-type')), /^text\/plain;.* version=0\.0\.4/)
      const samples = parsed(await answer.text())
      const about = (serial: string) => {
        const device = simulator.truth.devices().find((one) => one.serial === serial)
        return { base: device?.base, serial, name: device?.name, group: device?.group.name }
      }
      const rows = currentRows(simulator.truth)
      assertSame(
        samples.filter(({ name }) => name === 'envlog_value'),
        rows.flatMap(({ serial, channel, label, unit, value }) =>
          value === undefined
            ? []
            : {
                name: 'envlog_value',
                labels: { ...about(String(serial)), channel: String(channel), label, unit },
                value: Number(value),
              },
        ),
      )
      const readings = simulator.truth.current()
      const times = readings.flatMap(({ serial, time }) => (time ? { serial, value: time / 1000 } : []))
      const seriesOf = (wanted: string) =>
        samples.flatMap(({ name, labels, value }) =>
          name === wanted ? { serial: labels.serial, value } : [],
        )
      assertSame(seriesOf('envlog_measured_timestamp_seconds'), times)
      assertSame(
        seriesOf('envlog_battery_code'),
        simulator.truth.devices().map(({ serial, battery }) => ({ serial, value: battery })),
      )
      assert.deepEqual(
        seriesOf('envlog_rssi').map(({ serial }) => serial),
        ['52A10001', '52A10003'],
      )
      const [asked] = seriesOf('envlog_asked_timestamp_seconds')
      assert.ok(Math.abs(Number(asked?.value) * 1000 - Date.now()) < MINUTE)
    })

    it('ask nothing of the service, however often they are scraped', async function () {
      this.timeout(FLOW_MS)
      await hall.deploy([METRICS], { simulator, more: { 'envlog-current': { repeat: 3600 } } })
      await until('there are readings', async () => (await scrape()).status === 200)
      const before = simulator.counts().current.total
      const answers = await Promise.all(Array.from({ length: 50 }, scrape))
      assert.ok(answers.every(({ status }) => status === 200))
      assert.equal(simulator.counts().current.total, before)
    })
  })

  describe('errors', () => {
    /** What the debug node of the example says, through a chat. */
    let chat: Chat
    beforeEach(async () => {
      chat = await startChat()
    })
    afterEach(() => chat.close())

    const faults: Record<string, Fault> = {
      ENVLOG_AUTH: { kind: 'status', status: 401 },
      ENVLOG_SERVICE: { kind: 'status', status: 400 },
      ENVLOG_NETWORK: { kind: 'drop' },
      ENVLOG_REPLY: { kind: 'brokenJson' },
      ENVLOG_TIMEOUT: { kind: 'silence' },
    }

    it('are sent by their code, with what to do', async function () {
      this.timeout(FLOW_MS)
      await hall.deployWith([ERRORS], { simulator, more: { 'envlog-account': { timeout: 5 } } }, (flow) => {
        const say = flow.find(({ name }) => name === 'in words')
        const post = {
          ...{ id: 'test-post', type: 'http request', z: say?.z, x: 100, y: 900, method: 'POST', ret: 'txt' },
          ...{ url: chat.url, wires: [[]] },
        }
        const words = {
          ...{ id: 'test-words', type: 'change', z: say?.z, x: 100, y: 900, wires: [['test-post']] },
          rules: [{ t: 'set', p: 'payload', pt: 'msg', to: '{"text": payload}', tot: 'jsonata' }],
        }
        const button = {
          ...{
            id: 'test-ask',
            type: 'inject',
            z: say?.z,
            x: 100,
            y: 900,
            name: 'ask',
            wires: [['test-current']],
          },
          props: [],
        }
        const current = {
          ...flow.find(({ type }) => type === 'envlog-current'),
          id: 'test-current',
          select: 'all',
        }
        return [
          ...flow.map((node) => (node === say ? { ...node, wires: [['test-words']] } : node)),
          words,
          post,
          button,
          { ...current, type: 'envlog-current', name: 'all' },
        ]
      })
      await hall.press('try it')
      await until('it is sent', () => chat.texts.length > 0)
      assert.match(String(chat.texts[0]), /^devices of the message: ENVLOG_INPUT: .* Correct the property/)
      for (const [at, [code, fault]] of Object.entries(faults).entries()) {
        simulator.set({ faults: [fault] })
        await hall.press('ask')
        await until(`${code} is sent`, () => chat.texts.length > at + 1)
        const message = String(chat.texts[at + 1])
        assert.ok(message.startsWith(`all: ${code}: `), message)
        assert.ok(message.includes(ADVICE[code] ?? '?'), message)
      }
    })

    const ADVICE: Record<string, string> = {
      ENVLOG_AUTH: 'Check API key',
      ENVLOG_SERVICE: 'The service refused',
      ENVLOG_NETWORK: 'Check the network, the address',
      ENVLOG_REPLY: 'The response cannot be understood',
      ENVLOG_TIMEOUT: "increase 'Timeout' in the account",
    }
  })
})

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** Reads the text format by its own rules. */
function parsed(text: string): Sample[] {
  assert.ok(text.endsWith('\n'))
  const typed = new Set<string>()
  const samples: Sample[] = []
  for (const line of text.trimEnd().split('\n')) {
    const [, family] = /^# TYPE (\w+) gauge$/.exec(line) ?? []
    if (family) {
      assert.ok(!typed.has(family), `${family} comes once`)
      typed.add(family)
    }
    if (line.startsWith('#')) continue
    const [, name = '', labels = '', value] =
      /^([a-z_]+)(?:\{((?:[a-z]+="(?:[^"\\]|\\[\\"n])*",?)*)\})? (-?[\d.e+-]+)$/.exec(line) ?? []
    assert.ok(typed.has(name), line)
    const pairs = [...labels.matchAll(/([a-z]+)="((?:[^"\\]|\\[\\"n])*)"/g)].map(([, key, quoted = '']) => [
      key,
      quoted.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char)),
    ])
    samples.push({ name, labels: Object.fromEntries(pairs), value: Number(value) })
  }
  return samples
}
