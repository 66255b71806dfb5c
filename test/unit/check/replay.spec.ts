import assert from 'node:assert/strict'
import { type Simulator, startSimulator } from '../../../simulator'
import { OptionError } from '../../../simulator/option-error'
import { type Account, createAccount } from '../../../src/lib/account'
import { createUndiciTransport } from '../../../src/lib/api/transport'
import { systemClock } from '../../../src/lib/clock'
import { collectCurrent } from '../../../src/lib/collect/current'
import { type Collected, collectAlerts, collectLatest } from '../../../src/lib/collect/fetch'
import { collectRange } from '../../../src/lib/collect/range'
import { planMessages } from '../../../src/lib/output/plan'
import { createRegistry } from '../../../src/lib/registry'
import { checkService } from '../../support/check'
import { messagesOf } from '../../support/messages'

const START = Date.UTC(2026, 10, 20, 8)
const WEEK_MS = 7 * 86_400_000
const context = { signal: new AbortController().signal, queueKey: 'replay', maxWaitMs: 0 }

interface Target {
  serial: string
  base: string
}

/** What the nodes make of the answers: the messages of each, with the devices that the report has answers of. */
async function messagesOfAll(simulator: Simulator, targets: readonly Target[], shiftMs: number) {
  const { apiKey, loginId, loginPass } = simulator.account
  const account: Account = createAccount(
    {
      ...{ name: '', baseUrl: simulator.url, relaySuffix: 'relay', timeout: 5, concurrency: 1, retries: 0 },
      ...{ credentials: { apiKey, loginId, loginPass }, series1Models: [] },
    },
    {
      transport: createUndiciTransport({ connections: 1, timeoutMs: 5000 }),
      clock: systemClock,
      random: Math.random,
      registry: createRegistry(systemClock),
    },
  )
  const messages = ({ content }: Collected) =>
    [
      ...messagesOf(
        planMessages(content, {
          ...{ output: 'readings', send: content.kind === 'current' ? 'all' : 'device', chunk: 1000 },
          ...{ measurement: 'm', fieldNames: 'channel', group: '' },
        } as const),
      ),
    ].map(({ payload }) => payload)
  try {
    const format = { time: 'utc', format: 'read' } as const
    const query = { ...format, selection: 'all', exclude: [], staleAfter: null } as const
    const current = await collectCurrent(account, query, context)
    assert.ok(current)
    const found = [messages(current)]
    for (const target of targets) {
      found.push(messages(await collectLatest(account, target, format, context)))
      found.push(messages(await collectAlerts(account, target, format, context)))
      const latest = await collectLatest(account, target, format, context)
      const { records } = (latest.content as { series: { records: { timestamp: number | null }[] } }).series
      const [first, last] = [records[10], records.at(-10)]
      const period = { from: { instant: Number(first?.timestamp) }, to: { instant: Number(last?.timestamp) } }
      found.push(messages(await collectRange(account, target, { ...format, period, number: null }, context)))
    }
    // Instants move; everything else is compared as it is.
    return JSON.parse(JSON.stringify(found), (key, value) => {
      if (key === 'timestamp' && typeof value === 'number') return value + shiftMs
      if (key === 'time' && typeof value === 'string')
        return new Date(Date.parse(value) + shiftMs).toISOString()
      return key === 'age' ? undefined : value
    })
  } finally {
    await account.close()
  }
}

/** Replaces texts by their stand-ins, in the order of devices and channels. */
function withStandIns(value: unknown, from: Simulator, to: Simulator): unknown {
  const names = (simulator: Simulator) =>
    simulator.truth
      .devices()
      .map(({ serial, name, base, baseName, group }) => [serial, name, base, baseName, group.name])
  const pairs = new Map(
    names(from).flatMap((texts, at) => texts.map((text, index) => [text, names(to)[at]?.[index]])),
  )
  return JSON.parse(JSON.stringify(value), (_, text) =>
    typeof text === 'string' ? (pairs.get(text) ?? text) : text,
  )
}

describe('a replayed report', () => {
  let original: Simulator
  let replayed: Simulator

  afterEach(() => Promise.all([original?.close(), replayed?.close()]))

  it('gives the nodes the same messages, but for stand-ins and weeks', async () => {
    // Relay units have channels without names, and alerts without free words.
    original = await startSimulator({ startTime: START, speed: 0, limits: 'off' })
    const { report, raw, weeks } = await checkService(original)
    replayed = await startSimulator({ replay: report, limits: 'off' })
    const params = raw.find(({ endpoint }) => endpoint === 'latest-data-relay')?.params ?? {}
    const target = { serial: String(params['remote-serial']), base: String(params['base-serial']) }
    const at = original.truth
      .devices()
      .findIndex(({ serial, base }) => serial === target.serial && base === target.base)
    const standIn = replayed.truth.devices()[at] as Target
    const expected = withStandIns(await messagesOfAll(original, [target], 0), original, replayed)
    const found = await messagesOfAll(replayed, [standIn], weeks * WEEK_MS)
    const withoutTexts = (value: unknown) =>
      JSON.parse(JSON.stringify(value), (key, text) => (key === 'name' || key === 'text' ? undefined : text))
    assert.deepEqual(withoutTexts(found), withoutTexts(expected))
  })

  it('gives every other device its current reading, and no alerts', async () => {
    // At some times the device that was measured last is one whose records are refused.
    original = await startSimulator({ startTime: START, speed: 0 })
    const { report } = await checkService(original)
    replayed = await startSimulator({ replay: report, limits: 'off' })
    for (const { serial, base, standalone } of replayed.truth.devices()) {
      const path = standalone ? 'latest-data' : 'latest-data-relay'
      const body = await post(path, {
        'remote-serial': serial,
        ...(standalone ? {} : { 'base-serial': base }),
      })
      assert.ok(body.data.length >= 1)
      assert.equal(body.serial ?? body['remote-serial'], serial)
      const alerts = await post('alert', { 'remote-serial': serial, 'base-serial': base })
      assert.ok(Array.isArray(alerts['alert-logs']))
    }
  })

  it('filters current readings, cuts periods, and refuses what it does not have', async () => {
    original = await startSimulator({ startTime: START, speed: 0, seed: 'other' })
    const { report } = await checkService(original)
    replayed = await startSimulator({ replay: report })
    const devices = replayed.truth.devices()
    const [{ serial = '' } = {}] = devices
    const found = (await post('current', { 'remote-serial': [serial] })).devices
    assert.equal(found.length, devices.filter((device) => device.serial === serial).length)
    assert.ok(found.length > 0 && found.length < devices.length)
    const saved = report?.answers.find(({ endpoint, body }) => endpoint === 'latest-data-relay' && body)
    assert.ok(saved)
    const device = {
      'remote-serial': saved.params['remote-serial'],
      'base-serial': saved.params['base-serial'],
    }
    const times = (saved.body as { data: { unixtime: string }[] }).data.map(({ unixtime }) =>
      Number(unixtime),
    )
    const [from, to] = [times[100], times[120]]
    const whole = await post('data-relay', { ...device, 'unixtime-from': from, 'unixtime-to': to })
    assert.deepEqual(
      whole.data.map(({ unixtime }: { unixtime: string }) => Number(unixtime)),
      times.slice(100, 121),
    )
    const newest = await post('data-relay', {
      ...device,
      'unixtime-from': from,
      'unixtime-to': to,
      number: 3,
    })
    assert.deepEqual(
      newest.data.map(({ unixtime }: { unixtime: string }) => Number(unixtime)),
      times.slice(118, 121),
    )
    assert.ok('error' in (await post('latest-data', { 'remote-serial': '00000000' })))
    assert.ok('error' in (await post('latest-data-relay', { ...device, type: 'csv' })))
  })

  it('refuses what the service refused, with its status', async () => {
    for (const [endpoint, status] of [
      ['current', 401],
      ['alert', 503],
    ] as const) {
      original = await startSimulator({
        startTime: START,
        speed: 0,
        faults: [{ kind: 'status', status, endpoints: [endpoint] }],
      })
      const { report } = await checkService(original)
      replayed = await startSimulator({ replay: report })
      const { raw } = await checkService(replayed)
      const failed = raw.flatMap(({ result }) => (result.isAnswered ? [] : [result.error.cause.status]))
      assert.deepEqual(failed, [status])
      await Promise.all([original.close(), replayed.close()])
    }
  })

  it('is no other file', async () => {
    for (const replay of [{}, [], 'report', { format: 'envlog-report', version: 2, answers: [] }]) {
      await assert.rejects(startSimulator({ replay }), OptionError)
    }
  })

  async function post(path: string, params: object) {
    const { apiKey, loginId, loginPass } = replayed.account
    const response = await fetch(`${replayed.url}/v1/devices/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-http-method-override': 'GET' },
      body: JSON.stringify({ 'api-key': apiKey, 'login-id': loginId, 'login-pass': loginPass, ...params }),
    })
    return (await response.json()) as Record<string, never> & {
      data: never[]
      devices: never[]
      'alert-logs': unknown
    }
  }
})
