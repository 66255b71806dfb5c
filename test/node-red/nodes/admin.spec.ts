import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import helper from 'node-red-node-test-helper'
import { manualClock } from '../../../simulator'
import { NOW } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import type { Message } from '../../support/flow-types'

const core = createRequire(require.resolve('node-red'))

/** What the editor sends in place of secrets that are stored. */
const stored = { apiKey: '__PWRD__', loginPass: '__PWRD__' }

describe('admin requests of the editor', () => {
  const simulator = useSimulator(() => ({ clock: manualClock(NOW), limits: 'off' }))

  /** An account as in the edit form, valid by default. */
  const typed = (over: Message = {}, credentials: Message = {}) => {
    const { apiKey, loginId, loginPass } = simulator().account
    return { baseUrl: simulator().url, ...over, credentials: { apiKey, loginId, loginPass, ...credentials } }
  }
  async function post(path: string, body: object): Promise<{ status: number; body: Message }> {
    const { status, body: answer } = await helper.request().post(`/envlog/${path}`).send(body)
    return { status, body: answer }
  }

  it('lists the devices of an account that is not deployed, with one request in ten minutes', async () => {
    await startFlow('current', simulator(), { account: { baseUrl: 'https://other.example' } })
    const { status, body } = await post('devices', { account: typed() })
    assert.equal(status, 200)
    assert.equal(body.devices.length, simulator().truth.current().length)
    await post('devices', { account: typed() })
    assert.equal(simulator().log.length, 1)
    await post('devices', { account: typed(), refresh: true })
    assert.equal(simulator().log.length, 2)
  })

  it('shows the existing list without a request, and nothing if there is none', async () => {
    await startFlow('current', simulator(), { account: { limits: '' } })
    const account = typed()
    const shown = () => post('cached-devices', { account })
    assert.deepEqual(await shown(), { status: 200, body: null })
    const requested = await post('devices', { account })
    assert.deepEqual(await shown(), requested)
    assert.equal(simulator().log.length, 1)
  })

  it('keeps the list, however many other logins somebody looks for', async () => {
    await startFlow('current', simulator(), { account: { limits: '' } })
    const account = typed()
    const requested = await post('devices', { account })
    for (let count = 100; count < 250; count++) {
      const other = typed({}, { apiKey: `${count}`.padEnd(45, 'k') })
      assert.deepEqual(await post('cached-devices', { account: other }), { status: 200, body: null })
    }
    assert.deepEqual(await post('cached-devices', { account }), requested)
  })

  it('lists readings in the temperature unit of the form', async () => {
    await startFlow('current', simulator())
    const unitsIn = async (temperatureUnit: string) => {
      const { body } = await post('devices', { account: typed({ temperatureUnit }) })
      const units = body.devices.flatMap(({ channels }: Message) => channels.map(({ unit }: Message) => unit))
      return ['°C', '°F'].filter((unit) => units.includes(unit))
    }
    assert.deepEqual(
      [await unitsIn(''), await unitsIn('C'), await unitsIn('F')],
      [['°C', '°F'], ['°C'], ['°F']],
    )
  })

  it('tests address, login and the relay suffix, and never requests alerts', async () => {
    await startFlow('current', simulator())
    const right = await post('test', { account: typed() })
    assert.equal(right.body.devices, simulator().truth.current().length)
    assert.deepEqual(right.body.relay, { works: true })
    const wrong = await post('test', { account: typed({ relaySuffix: 'nowhere' }) })
    assert.equal(wrong.body.relay.works, false)
    assert.ok(simulator().log.every(({ endpoint }) => endpoint !== 'alert'))
  })

  it('reports responses without names, serial numbers and secrets, with as many requests as the test', async () => {
    await startFlow('current', simulator())
    const { status, body } = await post('report', { account: typed() })
    assert.equal(status, 200)
    const asked = simulator().log.map(({ endpoint }) => endpoint)
    assert.deepEqual(asked, ['current', 'latest-data-relay'])
    assert.equal(body.format, 'envlog-report')
    assert.deepEqual(
      body.responses.map(({ endpoint }: Message) => endpoint),
      asked,
    )
    const text = JSON.stringify(body)
    const devices = simulator().truth.devices()
    const names = devices.flatMap(({ serial, base, name, group }) => [serial, base, name, group.name])
    for (const original of [...names, ...Object.values(simulator().account)]) {
      assert.ok(original.length < 4 || !text.includes(original), original)
    }
    simulator().set({ faults: [{ kind: 'status', status: 401 }] })
    const refused = await post('report', { account: typed() })
    assert.deepEqual([refused.status, refused.body.reason], [502, 'login-refused'])
  })

  it('does not retry if the service fails', async () => {
    await startFlow('current', simulator())
    simulator().set({ faults: [{ kind: 'status', status: 503 }] })
    for (const path of ['test', 'report']) {
      const before = simulator().log.length
      const { status, body } = await post(path, { account: typed({ retries: 3 }) })
      assert.deepEqual([status, body.reason], [502, 'service-failed'])
      assert.equal(simulator().log.length - before, 1, path)
    }
  })

  it('leaves nothing of a typed account behind: the deployed one keeps its own limits', async () => {
    await startFlow('current', simulator())
    const limits = JSON.stringify({ alert: { limit: 1, window: 600 } })
    assert.equal((await post('test', { account: typed({ limits }) })).status, 200)
    const { body } = await helper.request().get('/envlog/accounts/account/quota')
    assert.notEqual(body.endpoints.alert.limit, 1)
  })

  it('returns the reason for a failure, which the editor translates', async () => {
    await startFlow('current', simulator())
    const refused = await post('devices', { account: typed({}, { loginPass: 'wrong' }) })
    assert.deepEqual(
      [refused.status, refused.body.code, refused.body.reason],
      [502, 'ENVLOG_AUTH', 'login-refused'],
    )
    const missing = await post('devices', { account: typed({ baseUrl: '' }) })
    assert.deepEqual([missing.status, missing.body.reason], [400, 'account-incomplete'])
    const inClear = await post('devices', { account: typed({ baseUrl: 'http://192.0.2.1' }) })
    assert.deepEqual([inClear.status, inClear.body.reason], [400, 'setting-invalid'])
    for (const hostile of [
      ...[undefined, null, 7, 'x', [], { baseUrl: {} }, { credentials: [] }],
      ...[{ baseUrl: 'file:///etc/passwd' }, { id: '../..', baseUrl: 'https://other.example' }],
    ]) {
      const { status, body } = await post('devices', { account: hostile })
      assert.deepEqual([status, body.code], [400, 'ENVLOG_CONFIG'], JSON.stringify(hostile))
    }
  })

  it('refuses a text that is too long, before anything reads it', async () => {
    await startFlow('current', simulator())
    const baseUrl = `https://x${'/v1/devices'.repeat(10_000)}!`
    const { status, body } = await post('cached-devices', { account: typed({ baseUrl }) })
    assert.deepEqual(
      [status, body.code, body.params],
      [400, 'ENVLOG_CONFIG', { property: 'baseUrl', problem: 'too-long', most: 2000 }],
    )
  })

  it('responds to damaged bodies with ENVLOG_CONFIG', async () => {
    await startFlow('current', simulator())
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const secrets = JSON.stringify({ ...stored, loginId: '__PWRD__' })
    const damaged = [
      ...['{}', '[]', '[{"account": {}}]', `{"account": ${deep}}`, `{"account": {"baseUrl": ${deep}}}`],
      ...['{"__proto__": {"account": {}}}', '{"account": {"__proto__": {"baseUrl": "https://x"}}}'],
      ...['__proto__', 'constructor'].map((id) => `{"account": {"id": "${id}", "credentials": ${secrets}}}`),
    ]
    const damagedNodes = ['null', '[]', deep, '{"type": "__proto__"}'].map(
      (node) => `{"account": ${JSON.stringify(typed())}, "node": ${node}}`,
    )
    for (const [path, bodies] of [
      ...['cached-devices', 'devices', 'test', 'report', 'try'].map((path) => [path, damaged] as const),
      ['try', damagedNodes] as const,
    ]) {
      for (const body of bodies) {
        const response = await helper.request().post(`/envlog/${path}`).type('json').send(body)
        const found = [response.status, response.body.code]
        assert.deepEqual(found, [400, 'ENVLOG_CONFIG'], `${path}: ${body.slice(0, 100)}`)
      }
    }
    assert.equal(simulator().log.length, 0)
  })

  it('uses stored secrets only with the stored address and login, and returns none', async () => {
    await startFlow('current', simulator())
    const used = await post('devices', { account: typed({ id: 'account' }, stored) })
    assert.equal(used.status, 200)
    const { apiKey, loginPass } = simulator().account
    for (const secret of [apiKey, loginPass]) assert.ok(!JSON.stringify(used.body).includes(secret))
    for (const account of [
      typed({ id: 'account', baseUrl: 'https://127.0.0.1:1' }, stored),
      typed({ id: 'account' }, { ...stored, loginId: 'other000' }),
    ]) {
      const { status, body } = await post('devices', { account })
      assert.deepEqual([status, body.reason], [400, 'secrets-needed'])
    }
  })

  it('uses the stored secrets of an account that is not running, as in safe mode', async () => {
    process.env.ENVLOG_KEY = simulator().account.apiKey
    const variable = '$' + '{ENVLOG_KEY}'
    try {
      await startFlow('current', simulator(), { account: { d: true }, credentials: { apiKey: variable } })
      assert.equal((await post('test', { account: typed({ id: 'account' }, stored) })).status, 200)
      const other = typed({ id: 'account', baseUrl: 'https://127.0.0.1:1' }, stored)
      assert.equal((await post('test', { account: other })).body.reason, 'secrets-needed')
    } finally {
      delete process.env.ENVLOG_KEY
    }
  })

  it('says which typed value is not valid, also beside stored secrets', async () => {
    await startFlow('current', simulator())
    for (const [account, params] of [
      [
        typed({ id: 'account', baseUrl: 'cloud' }, stored),
        { problem: 'address-unreadable', property: 'baseUrl' },
      ],
      [typed({ id: 'account', timeout: '0' }, stored), { problem: 'seconds', property: 'timeout' }],
      [typed({ id: 'account' }, { ...stored, loginId: 'short' }), { problem: 'length', property: 'loginId' }],
      [typed({ id: 'account' }, { ...stored, apiKey: 'short' }), { problem: 'length', property: 'apiKey' }],
      [typed({ id: 'account', baseUrl: '' }, stored), { property: 'baseUrl' }],
    ] as const) {
      const { status, body } = await post('test', { account })
      assert.equal(status, 400)
      assert.deepEqual({ ...body.params, ...params }, body.params)
    }
  })

  it('reports an account without stored secrets as incomplete', async () => {
    await startFlow('current', simulator())
    const all = { ...stored, loginId: '__PWRD__' }
    for (const account of [typed({ id: 'nobody' }, all), typed({}, all)]) {
      const { status, body } = await post('devices', { account })
      assert.deepEqual([status, body.reason], [400, 'account-incomplete'])
    }
  })

  it('resolves environment variables of all flows, like a deploy', async () => {
    const { url, account: login } = simulator()
    const env = [
      { name: 'ENVLOG_URL', type: 'str', value: url },
      { name: 'ENVLOG_LOGIN', type: 'str', value: login.loginId },
    ]
    const [baseUrl, loginId] = ['$' + '{ENVLOG_URL}', '$' + '{ENVLOG_LOGIN}']
    await startFlow('current', simulator(), {
      account: { baseUrl },
      credentials: { loginId },
      flow: [{ id: 'variables', type: 'global-config', name: 'global-config', env, modules: {} }],
      coreNodes: [core('@node-red/nodes/core/common/91-global-config.js')],
    })
    const account = typed({ id: 'account', baseUrl }, { ...stored, loginId })
    assert.equal((await post('devices', { account })).status, 200)
  })

  it('resolves variables only as deployed, because otherwise a user could send them to any address', async () => {
    process.env.ENVLOG_ATTACKED = simulator().account.apiKey
    const variable = '$' + '{ENVLOG_ATTACKED}'
    try {
      await startFlow('current', simulator(), { credentials: { apiKey: variable } })
      const own = { ...stored, apiKey: variable }
      const right = await post('test', { account: typed({ id: 'account' }, own) })
      assert.equal(right.status, 200)
      const spent = simulator().log.length
      const attacks: Record<string, Message> = {
        'to another address': typed({ id: 'account', baseUrl: 'https://127.0.0.1:1' }, own),
        'of an account that is not deployed': typed({ id: 'new' }, { apiKey: variable }),
        'in the place of another': typed({ id: 'account' }, { apiKey: variable, loginPass: variable }),
        'in a path': typed({ id: 'account', relaySuffix: variable }),
        'as an address': typed({ id: 'account', baseUrl: variable }),
        'through another proxy': typed({ id: 'account', proxy: 'proxy' }, own),
        'past another TLS': typed({ id: 'account', tls: 'tls' }, own),
      }
      for (const [name, account] of Object.entries(attacks)) {
        const { status, body } = await post('test', { account })
        assert.deepEqual([status, body.reason], [400, 'secrets-needed'], name)
      }
      assert.equal(simulator().log.length, spent, 'nothing was requested')
    } finally {
      delete process.env.ENVLOG_ATTACKED
    }
  })

  it('does not confirm a guessed password without a request to the service', async () => {
    const flow = await startFlow('current', simulator())
    flow.send()
    await flow.output.next()
    const { loginPass } = simulator().account
    const before = simulator().log.length
    assert.equal((await post('devices', { account: typed({}, { loginPass }) })).status, 200)
    assert.equal(simulator().log.length, before + 1, "the deployed account's response is not used")
    const part = await post('devices', { account: typed({ id: 'account' }, { ...stored, loginPass }) })
    assert.deepEqual([part.status, part.body.reason], [400, 'secrets-needed'], 'all stored, or none')
  })

  it('accepts only JSON, which no form on a web page can send', async () => {
    await startFlow('current', simulator())
    const before = simulator().log.length
    for (const path of ['cached-devices', 'devices', 'test', 'report', 'try']) {
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
        const { status } = await helper.request().post(`/envlog/${path}`).type(type).send('account=x')
        assert.equal(status, 415, `${path}: ${type}`)
      }
    }
    assert.equal(simulator().log.length, before)
  })
})
