import assert from 'node:assert/strict'
import { type DeviceDefinition, manualClock, type Simulator, startSimulator } from '../../../simulator'
import { useExamples } from '../../support/examples'
import { until } from '../../support/wait'

const FLOW_MS = 180_000
const MINUTE = 60_000
const DAY = 86_400_000

const HTTP = 'Factory/HTTP for MES and scripts'
const USER = 'mes'
const PASSWORD = 'for the tests'
/** The same as in Node-RED's settings (bcrypt). */
const HASH = '$2b$04$3vlNAnHd.uYYy2DkUo9pq.nwvWbE7OUOTj68e/mz4YDWnfZEaO8bG'

const HOSTILE = '=a "b", c\n<冷'
const FIRST = '52A10001'
const SECOND = '52A10002'
const TWICE = '52C10004'
const HALLS = ['5F0A1001', '5F0A1002']
/** As in the flow. */
const NEWEST = 5000

interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code?: string
  errors?: { parameter: string; detail: string }[]
}

describe('the example HTTP for MES and scripts', () => {
  const harness = useExamples({ httpNodeAuth: { user: USER, pass: HASH } })
  let simulator: Simulator
  const now = Math.floor(Date.now() / MINUTE) * MINUTE

  beforeEach(async () => {
    const records = { interval: 60, from: now / 1000 - 4 * 86_400, drift: 0 }
    const inside = { num: 1, name: 'Inside', unit: 'C' }
    const fleet: DeviceDefinition[] = [
      {
        serial: FIRST,
        name: HOSTILE,
        channels: [
          { num: 1, name: HOSTILE, unit: 'C' },
          { num: 2, name: 'Probe', unit: 'C', broken: 'Sensor Error' },
        ],
        records,
      },
      { serial: SECOND, name: 'Second', channels: [inside], records },
      ...HALLS.map((serial, index) => ({
        serial: TWICE,
        name: `Unit at ${serial}`,
        base: { serial },
        channels: [{ num: index + 1, unit: '%' }],
        records: { interval: 600, from: now / 1000 - 7200 },
      })),
    ]
    simulator = await startSimulator({ clock: manualClock(now), limits: 'off', fleet })
  })

  afterEach(() => simulator?.close())

  const login = (user: string, password: string) =>
    `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

  async function get(path: string, headers: Record<string, string> = {}) {
    const authorization = login(USER, PASSWORD)
    const response = await fetch(`${harness.nodeRed.url}/envlog/${path}`, {
      headers: { authorization, ...headers },
    })
    const text = await response.text()
    for (const secret of [...Object.values(simulator.account), PASSWORD, HASH])
      assert.ok(!text.includes(String(secret)), `${path} reveals a secret`)
    return { status: response.status, headers: response.headers, text }
  }

  const ask = (parameters: Record<string, string>) => get(`records?${new URLSearchParams(parameters)}`)

  async function assertProblem(asked: Awaited<ReturnType<typeof get>>, status: number): Promise<Problem> {
    const problem = JSON.parse(asked.text) as Problem
    assert.equal(asked.status, status, asked.text)
    assert.match(String(asked.headers.get('content-type')), /^application\/problem\+json/)
    assert.equal(asked.headers.get('cache-control'), 'no-store')
    const { type, title, status: stated, detail } = problem
    assert.deepEqual([type, stated], ['about:blank', status])
    assert.ok(title.length > 0 && detail.length > 0, asked.text)
    return problem
  }

  const deploy = async (more: Record<string, object> = {}) => {
    await harness.deploy([HTTP], { simulator, more })
    await until('there are readings', async () => (await get('readings')).status === 200)
  }
  const asked = () => simulator.counts().data.total + simulator.counts()['data-relay'].total

  it('is open only to the login of httpNodeAuth, and sends no request for callers of the readings', async function () {
    this.timeout(FLOW_MS)
    await deploy({ 'envlog-current': { repeat: 3600 } })
    for (const path of ['readings', `records?serial=${FIRST}`])
      assert.equal((await get(path, { authorization: login(USER, 'another') })).status, 401)
    const before = simulator.counts().current.total
    await Promise.all(Array.from({ length: 20 }, () => get('readings')))
    assert.equal(simulator.counts().current.total, before)
    assert.equal(asked(), 0)
  })

  it('responds with the latest readings, and with 304 to callers that already have them', async function () {
    this.timeout(FLOW_MS)
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await harness.deploy([HTTP], { simulator })
    for (const early of ['readings', `records?serial=${FIRST}`]) {
      const response = await get(early)
      await assertProblem(response, 503)
      assert.equal(response.headers.get('retry-after'), '60')
    }
    simulator.set({ faults: [] })
    await harness.press('ask')
    await until('there are readings', async () => (await get('readings')).status === 200)
    // The latest readings are kept while the service is away.
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await harness.press('ask')
    await until('it is away', () => simulator.log.at(-1)?.status === 503)
    const { status, headers, text } = await get('readings')
    assert.equal(status, 200)
    assert.match(String(headers.get('content-type')), /^application\/json/)
    const { fetchedAt, readings } = JSON.parse(text)
    assert.equal(headers.get('last-modified'), new Date(fetchedAt).toUTCString())
    assert.deepEqual(
      readings.map(({ serial, timestamp }: Record<string, string>) => [serial, timestamp]),
      simulator.truth.current().map(({ serial, time }) => [serial, time]),
    )
    const etag = String(headers.get('etag'))
    assert.equal((await get('readings', { 'if-none-match': etag })).status, 304)
    simulator.set({ faults: [] })
    await harness.press('ask')
    await until('there are newer ones', async () => (await get('readings')).headers.get('etag') !== etag)
    assert.equal((await get('readings', { 'if-none-match': etag })).status, 200)
  })

  const iso = (time: number) => new Date(time).toISOString()
  const truth = (serial: string, base: string | undefined, from: number, to: number) =>
    simulator.truth.records(serial, base, from, to - 1)

  it('responds with the records of a period as JSON and as CSV, with one request each', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    const [from, to] = [now - 7200_000, now - 3600_000]
    const period = { from: iso(from), to: iso(to) }
    const { text, headers } = await ask({ serial: FIRST, ...period })
    const { records, ...about } = JSON.parse(text)
    assert.deepEqual(
      [about.serial, about.name, about.from, about.to, about.isMore],
      [FIRST, HOSTILE, iso(from), iso(to), false],
    )
    assert.equal(headers.get('link'), null)
    const expected = truth(FIRST, undefined, from, to).map(({ time, values }) => ({
      time: iso(time),
      ch1: values[1],
      ch2: null,
      errors: { ch2: 'E1' },
    }))
    assert.equal(expected.length, 60)
    assert.deepEqual(
      records.map(({ time, ch1, ch2, errors }: (typeof expected)[0]) => ({ time, ch1, ch2, errors })),
      expected,
    )
    assert.equal(asked(), 1)

    const csv = await ask({ serial: FIRST, ...period, format: 'csv' })
    assert.match(String(csv.headers.get('content-type')), /^text\/csv;.*charset=utf-8/)
    assert.equal(csv.headers.get('content-disposition'), `attachment; filename="${FIRST}.csv"`)
    const head = `time,"ch1 ${HOSTILE.replaceAll('"', '""')} (°C)","ch2 Probe (°C)"`
    const lines = expected.map(({ time, ch1 }) => `${time},${ch1},E1`)
    assert.equal(csv.text, `${[head, ...lines].join('\r\n')}\r\n`)
    assert.equal(asked(), 2)
  })

  it('responds with the newest records of a long period, and says where the others are', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    const [from, to] = [now - 4 * DAY, now]
    const expected = truth(FIRST, undefined, from, to).map(({ time }) => iso(time))
    assert.ok(expected.length > NEWEST)
    let path: string | undefined = `?${new URLSearchParams({ serial: FIRST, from: iso(from), to: iso(to) })}`
    const found: string[] = []
    for (let calls = 1; path; calls++) {
      const { headers, text } = await get(`records${path}`)
      const { records, isMore } = JSON.parse(text)
      assert.ok(records.length <= NEWEST)
      found.unshift(...records.map(({ time }: { time: string }) => time))
      const [, next] = /^<(.*)>; rel="next"$/.exec(headers.get('link') ?? '') ?? []
      assert.equal(isMore, next !== undefined)
      assert.equal(asked(), calls)
      path = next
    }
    assert.deepEqual(found, expected)
  })

  it('names invalid parameters, and sends no request for them', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    const wrong: Record<string, string[]> = {
      [`serial=${FIRST}&serial=${SECOND}`]: ['serial'],
      [`serial=${FIRST}&from=2026-02-30`]: ['from'],
      [`serial=${FIRST}&from=2026-11-21&to=2026-11-20`]: ['from'],
      'from=a&to=b&format=xml&base=': ['serial', 'base', 'from', 'to', 'format'],
      [`serial=${TWICE}`]: ['base'],
    }
    for (const [query, parameters] of Object.entries(wrong)) {
      const { errors = [] } = await assertProblem(await get(`records?${query}`), 400)
      assert.deepEqual(
        errors.map(({ parameter }) => parameter),
        parameters,
        query,
      )
      assert.ok(errors.every(({ detail }) => detail.length > 0))
    }
    for (const serial of ['52A19999', '"><script>\r\nx: y', '__proto__'])
      await assertProblem(await ask({ serial }), 404)
    assert.equal(asked(), 0)
    for (const [index, base] of HALLS.entries()) {
      const { channels, base: found } = JSON.parse((await ask({ serial: TWICE, base })).text)
      assert.deepEqual([found.serial, channels[0].key], [base, `ch${index + 1}`])
    }
    assert.equal(asked(), 2)
  })

  it('says that the quota is used up, and until when, and that the service is away', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    simulator.set({ limits: { data: { limit: 2, window: 60 } } })
    for (let times = 0; times < 2; times++) assert.equal((await ask({ serial: FIRST })).status, 200)
    const refused = await ask({ serial: FIRST })
    const { title, code, detail } = await assertProblem(refused, 429)
    assert.deepEqual([title, code], ['Too Many Requests', 'ENVLOG_QUOTA'])
    assert.doesNotMatch(detail, /ENVLOG/)
    const seconds = Number(refused.headers.get('retry-after'))
    assert.ok(Number.isInteger(seconds) && seconds > 0 && seconds <= 70, String(seconds))

    simulator.set({ limits: 'off' })
    const remote = { serial: TWICE, base: HALLS[0] as string }
    for (const [status, kind] of [
      [502, 'drop'],
      [504, 'silence'],
    ] as const) {
      simulator.set({ faults: [{ endpoints: ['data-relay'], kind }] })
      await assertProblem(await ask(remote), status)
    }
    simulator.set({ faults: [] })
    assert.equal((await ask(remote)).status, 200)
  })

  it('says that a device is refused, and until when it is not requested', async function () {
    this.timeout(FLOW_MS)
    const serial = '41E10005'
    simulator.set({ fleet: [{ serial, kind: 'other-standalone', records: { interval: 600 } }] })
    await deploy()
    for (const detail of [/Refused \(400\)/, /because the service refused/]) {
      const refused = await ask({ serial })
      const problem = await assertProblem(refused, 502)
      assert.equal(problem.code, 'ENVLOG_SERVICE')
      assert.match(problem.detail, detail)
      const seconds = Number(refused.headers.get('retry-after'))
      assert.ok(seconds > 500 && seconds <= 610, String(seconds))
    }
    assert.equal(asked(), 1)
  })

  it('says that the service no longer has all records of the period', async function () {
    this.timeout(FLOW_MS)
    const serial = '52C10006'
    const base = { serial: HALLS[0] as string }
    simulator.set({ fleet: [{ serial, base, records: { interval: 60, drift: 0 } }] })
    await deploy()
    for (const [hours, overflow] of [
      [24, false],
      [48, true],
    ] as const) {
      const period = { serial, from: iso(now - hours * 3_600_000), to: iso(now) }
      const { text, headers } = await ask(period)
      assert.equal(JSON.parse(text).overflow, overflow)
      const csv = await ask({ ...period, format: 'csv' })
      for (const found of [headers, csv.headers])
        assert.equal(found.get('envlog-overflow'), overflow ? 'true' : null)
    }
  })
})
