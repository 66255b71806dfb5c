import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import helper from 'node-red-node-test-helper'
import { readExample } from '../support/examples'
import { startFlow, useSimulator } from '../support/flow'
import type { Message } from '../support/flow-types'
import { until } from '../support/wait'

const WALL = 'Dashboard - needs @flowfuse node-red-dashboard/wall display'
const core = createRequire(require.resolve('node-red'))
const coreNodes = ['common/60-link', 'function/15-change'].map((file) =>
  core(`@node-red/nodes/core/${file}.js`),
)
const MINUTE_MS = 60_000
const DRAWN_MS = 5000
const KEY = '52A10001/52A10001'

/** The last but one hour. */
const hour = Math.floor(Date.now() / (60 * MINUTE_MS) - 1) * 60 * MINUTE_MS

interface Point {
  x: number
  y: number | null
}

/** The history of the wall display, without a dashboard. */
describe('the wall display', () => {
  const simulator = useSimulator()
  let nodeOf: (name: string) => ReturnType<typeof helper.getNode>

  beforeEach(async () => {
    const isNeeded = ({ type, id }: { type: string; id: string }) =>
      /^(?:change|link in)$/.test(type) && id !== 'envlog-example-dashboard-what'
    const flow = readExample(WALL)
      .filter(isNeeded)
      .map((node) => ({ ...node, z: 'tab', g: undefined }))
    await startFlow('alarms', simulator(), { flow, coreNodes })
    nodeOf = (name) => helper.getNode(`envlog-example-dashboard-${name}`)
    const context = nodeOf('lines').context().flow
    context.set('history', { [KEY]: {} })
    context.set('devices', [
      { key: KEY, state: 'ok', channels: [{ key: 'ch1', unit: '°C', label: 'Freezer' }] },
    ])
  })

  /** A device that measures every minute. */
  const fetch = (values: readonly (number | null)[]) =>
    nodeOf('thin').receive({
      envlog: { device: { serial: '52A10001', base: '52A10001' } },
      payload: { records: values.map((ch1, at) => ({ timestamp: hour + at * MINUTE_MS, dataId: at, ch1 })) },
    })

  const read = (values: readonly (number | null)[], from = 0, to = values.length) => {
    for (const [at, value] of [...values.entries()].slice(from, to)) {
      const timestamp = hour + at * MINUTE_MS
      const device = {
        key: KEY,
        state: 'ok',
        timestamp,
        fresh: true,
        over: 0,
        channels: [{ key: 'ch1', value }],
      }
      nodeOf('to-history').receive({ devices: [device] })
    }
  }

  /** The message that a node sends for this one. */
  const sentBy = (name: string, msg: object) =>
    new Promise<Message>((resolve) => {
      nodeOf(name).send = resolve as never
      nodeOf(name).receive(msg as Message)
    })

  /** The points of the chart's only line: minute and value. */
  async function charted(): Promise<[number, number | null][]> {
    const { payload } = await sentBy('lines', {})
    return (payload as Point[]).map(({ x, y }) => [(x - hour) / MINUTE_MS, y])
  }

  async function assertCharted(expected: [number, number | null][]): Promise<void> {
    await until('it is shown', async () => isDeepStrictEqual(await charted(), expected), DRAWN_MS).catch(
      () => {},
    )
    assert.deepEqual(await charted(), expected)
  }

  /** The small chart of a tile, by the code that runs in the browser. */
  function tiled(): { range: string; path: string } {
    const tiles = readExample(WALL).find(({ id }) => id === 'envlog-example-dashboard-tiles')
    const [, code] = /<script>\s*export default([\s\S]*?)<\/script>/.exec(String(tiles?.format)) ?? []
    const { methods } = new Function(`return (${code})`)()
    const history = keptHistory()
    const page = {
      ...methods,
      lang: 'en-US',
      w: { to: '…' },
      now: hour + 60 * MINUTE_MS,
      msg: { history },
      live: {},
    }
    const newest = { key: 'ch1', unit: '°C', value: -18.5, limits: [] }
    return page.lineOf({ key: KEY, timestamp: hour + 44 * MINUTE_MS }, newest)
  }

  const keptHistory = () => nodeOf('lines').context().flow.get('history') as Record<string, object>

  const cold = (minutes: number) => Array<number>(minutes).fill(-18.5)
  /** Three warm minutes, a cold one, and ten without a value. */
  const VALUES = [...cold(26), -7, -2.3, -18.5, -19, ...Array<null>(10).fill(null), ...cold(5)]
  const EXPECTED: [number, number | null][] = [
    ...[0, 5, 10, 15, 20].map((minute): [number, number] => [minute, -18.5]),
    [25, -19],
    [25, -2.3],
    [30, null],
    [35, null],
    [40, -18.5],
  ]

  for (const [what, arrive] of [
    ['records are fetched', fetch],
    ['readings arrive', read],
  ] as const)
    it(`shows minimum and maximum of every 5 minutes, and a gap without values, when ${what}`, async () => {
      arrive(VALUES)
      await assertCharted(EXPECTED)
      const { range, path } = tiled()
      assert.equal(range, '−19.0 … −2.3 °C')
      assert.equal(path.match(/M/g)?.length, 2, path)
    })

  it('shows the same when records are fetched after their readings have arrived', async () => {
    read(VALUES, 20, 29)
    fetch(VALUES)
    read(VALUES, 40)
    await assertCharted(EXPECTED)
  })

  it('ends a line where there are no records for more than an hour', async () => {
    const [first, second] = [cold(1), cold(1)].map(([ch1], at) => ({
      timestamp: hour - 2 * at * 60 * MINUTE_MS,
      ch1,
    }))
    nodeOf('thin').receive({
      envlog: { device: { serial: '52A10001', base: '52A10001' } },
      payload: { records: [second, first] },
    })
    await until('it is kept', async () => (await charted()).length > 0, DRAWN_MS)
    const points = await charted()
    assert.deepEqual(
      points.map(([minute, value]) => [Math.round(minute), value]),
      [
        [-120, -18.5],
        [-120, null],
        [0, -18.5],
      ],
    )
  })

  it('draws no line for a channel without any value, whose colour another one would have in the legend', async () => {
    fetch(Array<null>(20).fill(null))
    await until('it is kept', () => Object.keys(Object(keptHistory()[KEY])).length === 4, DRAWN_MS)
    assert.deepEqual(await charted(), [])
  })

  it('shows the devices of a silent base unit as silent, and what is over as nothing', async () => {
    const base = { serial: '5F0A1001' }
    const channels = [{ key: 'ch1', number: 1, value: 20, unit: '°C' }]
    const known = { base, timestamp: hour, channels, standalone: false }
    const devices = ['52C10008', '52C10009'].map((serial) => ({ ...known, serial, name: serial }))
    nodeOf('lines')
      .context()
      .flow.set('readings', [...devices, { ...known, serial: '1', base: { serial: '2' } }])
    const silent = {
      condition: 'silent',
      look: 'silent',
      base: base.serial,
      from: new Date(hour).toISOString(),
    }
    const over = { condition: 'battery', look: 'over', serial: '1', base: '2' }
    const shown = await sentBy('states', { alarms: [{ ...silent, serial: null }, over] })
    assert.deepEqual(
      (shown.devices as { state: string }[]).map(({ state }) => state),
      ['silent', 'silent', 'ok'],
    )
  })

  it('takes no other command of a viewer than to acknowledge and to mute', async () => {
    const forged = { envlog: { forget: true }, ask: 'history', lasting: [], devices: [], at: 1 }
    const person = { by: 'Night shift', note: 'door closed' }
    for (const [topic, payload, command] of [
      ['acknowledge', { id: 'a/b' }, { acknowledge: ['a/b'] }],
      ['acknowledge', {}, { acknowledge: true }],
      ['mute', { serial: '52A10001' }, { mute: 60, devices: ['52A10001'] }],
      ['mute', {}, { mute: 60, devices: true }],
      ['unmute', {}, { mute: 0, devices: true }],
      ['forget', {}, undefined],
    ] as const) {
      const { _msgid, ...sent } = await sentBy('press', {
        ...forged,
        topic,
        payload: { ...payload, ...person },
      })
      assert.deepEqual(sent, { topic, ...(command && { envlog: { ...person, ...command } }) })
    }
  })
})
