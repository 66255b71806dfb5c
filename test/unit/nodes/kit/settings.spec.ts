import assert from 'node:assert/strict'
import { EnvlogError, type Reason } from '../../../../src/lib/errors'
import { readAccountSettings } from '../../../../src/nodes/account/account-settings'
import { readActionSettings } from '../../../../src/nodes/kit/settings/read-settings'
import { ACTION_TYPES, type ActionType } from '../../../../src/shared/action'
import { defaultsOf } from '../../../support/built'

const variable = (name: string) => `\${${name}}`
const credentials = { apiKey: 'k'.repeat(45), loginId: 'user0001', loginPass: 'pass' }
const address = { baseUrl: 'https://service.example/' }
const account = (over: object = {}, secrets: object = credentials) =>
  readAccountSettings({ ...address, ...over }, secrets)
const action = (over: object, type: ActionType = 'envlog-range') =>
  readActionSettings(type, { id: 'x', type, z: 't', account: 'a', version: 1, ...over }) as Record<
    string,
    unknown
  >

function refused(read: () => unknown, reason: Reason, property?: string, more: object = {}) {
  assert.throws(read, (error) => {
    assert.ok(error instanceof EnvlogError)
    assert.deepEqual([error.reason, error.code], [reason, 'ENVLOG_CONFIG'])
    if (property) assert.deepEqual({ ...error.params, property, ...more }, error.params)
    assert.doesNotMatch(JSON.stringify(error) + String(error), /SECRET/)
    return true
  })
}

describe('the settings of an action node', () => {
  for (const type of ACTION_TYPES) {
    it(`are those of a new node if nothing is saved: ${type}`, () => {
      assert.deepEqual(action({}, type), action({ ...defaultsOf(type), account: 'a' }, type))
    })
  }

  it('may be numbers saved as text; blank is the default', () => {
    assert.equal(action({ repeat: '60' }).repeat, 60)
    assert.equal(action({ number: '300' }).number, 300)
    for (const blank of ['', null, undefined]) {
      const { repeat, number, property } = action({ repeat: blank, number: blank, property: blank })
      assert.deepEqual([repeat, number, property], [0, null, 'devices'])
    }
  })

  it('may be flags saved as text, as environment variables are', () => {
    const flags = [true, 'true', false, 'false', 'yes', 1].map(
      (onlyNew) => action({ onlyNew }, 'envlog-latest').onlyNew,
    )
    assert.deepEqual(flags, [true, true, false, false, false, false])
  })

  it('distinguish a blank topic from none, which is the default', () => {
    assert.equal(action({ topic: '' }).topic, '')
    assert.equal(action({}).topic, 'envlog/{base}/{serial}/{channel}')
    assert.equal(action({ topic: undefined }, 'envlog-alerts').topic, 'envlog/{base}/{serial}/alert')
  })

  it('trim serials, and treat a blank base as none', () => {
    const { devices, exclude } = action({
      select: 'list',
      devices: [
        { serial: ' 5212A1B2 ', base: '' },
        { serial: '5212A1B3', base: '5839F001' },
      ],
      exclude: [' 5212A1B4'],
    })
    assert.deepEqual(devices, [{ serial: '5212A1B2' }, { serial: '5212A1B3', base: '5839F001' }])
    assert.deepEqual(exclude, ['5212A1B4'])
  })

  it('that are wrong fail with ENVLOG_CONFIG, which names them', () => {
    for (const [over, property] of [
      [{ repeat: 2_000_001 }, 'repeat'],
      [{ select: 'list', devices: [{ serial: 'short' }] }, 'devices.0.serial'],
      [{ select: 'list', devices: [{ serial: '5212A1B2', base: 'no' }] }, 'devices.0.base'],
      [{ select: 'base', bases: ['5839F001', ''] }, 'bases.1'],
      [{ number: 0 }, 'number'],
      [{ topic: 'plant/#' }, 'topic'],
    ] as const)
      refused(() => action(over), 'setting-invalid', property)
  })

  it('that are not used have their default, so that they cannot be wrong', () => {
    const wrong = {
      measurement: 'a b',
      chunk: 'x',
      number: 'x',
      per: 'x',
      devices: ['x'],
      to: 'x',
      toType: 'x',
    }
    const used = { output: 'statistics', fromType: 'calendar', from: 'today' }
    assert.deepEqual(action({ ...used, ...wrong, per: 'day' }), action({ ...used, per: 'day' }))
    const silent = { onlyNew: false, start: 'x', advance: 'x', ackTimeout: 'x', backfill: 'x' }
    assert.equal(action(silent, 'envlog-latest').ackTimeout, 600)
    refused(
      () => action({ onlyNew: true, ackTimeout: 'x', advance: 'acknowledged' }, 'envlog-latest'),
      'setting-invalid',
      'ackTimeout',
    )
    refused(
      () => action({ ackTimeout: 'x', advance: 'acknowledged' }, 'envlog-alerts'),
      'setting-invalid',
      'ackTimeout',
    )
  })

  it('may start with everything, nothing, or a time', () => {
    const startOf = (start: unknown) => action({ start }, 'envlog-latest').start
    const since = Date.parse('2026-01-15T08:30:00Z')
    assert.deepEqual([startOf('all'), startOf('now'), startOf('')], ['all', 'now', 'all'])
    for (const same of ['2026-01-15T08:30:00Z', '2026-01-15T17:30:00+09:00', '2026-01-15T08:30', since])
      assert.deepEqual(startOf(same), { since }, `${same}`)
    for (const none of ['yesterday evening', '2026-02-30T00:00', '1969-12-31', '9999-01-01'])
      refused(() => startOf(none), 'setting-invalid', 'start')
  })

  it('of a newer version are an error that asks for an update, regardless of the rest', () => {
    for (const version of [2, '2']) refused(() => action({ version, repeat: 'often' }), 'settings-newer')
    for (const version of [undefined, '', 1, '1']) assert.equal(action({ version }).version, 1)
    for (const version of [0, 'x', {}]) refused(() => action({ version }), 'setting-invalid', 'version')
  })

  it('have the only send of an output, and otherwise one that the node offers', () => {
    assert.equal(action({ output: 'values', send: 'device' }).send, 'value')
    refused(() => action({ output: 'rows', send: 'all' }), 'setting-invalid', 'send')
    refused(() => action({ output: 'csv' }, 'envlog-current'), 'setting-invalid', 'output')
  })

  it('fail with ENVLOG_CONFIG if they repeat a choice that only messages contain', () => {
    refused(() => action({ repeat: 60, select: 'msg' }), 'setting-invalid', 'repeat')
    refused(() => action({ repeat: 60, fromType: 'msg', from: 'a' }), 'setting-invalid', 'repeat')
    refused(() => action({ repeat: 60, toType: 'msg', to: 'a' }), 'setting-invalid', 'repeat')
    assert.equal(action({ repeat: 0, select: 'msg' }).select, 'msg')
    assert.equal(action({ repeat: 60, fromType: 'flow', from: 'a' }).repeat, 60)
  })
})

describe('the settings of an account', () => {
  it('name an environment variable that is not set, or that Node-RED does not replace', () => {
    const [unset, host] = [variable('NAME'), variable('HOST')]
    const problem = { problem: 'variable-unset', variable: unset }
    refused(() => account({ baseUrl: unset }), 'setting-invalid', 'baseUrl', problem)
    const secrets = (loginPass: string) => ({ ...credentials, loginPass })
    refused(() => account({}, secrets(unset)), 'setting-invalid', 'loginPass', problem)
    const inside = { problem: 'variable-inside' }
    refused(() => account({ baseUrl: `https://${host}` }), 'setting-invalid', 'baseUrl', inside)
    assert.equal(account({}, secrets(`a${unset}`)).credentials.loginPass, `a${unset}`)
  })

  it('are those of a new account if nothing is saved', () => {
    const form = { ...defaultsOf('envlog-account'), ...address }
    const read = account()
    assert.deepEqual(read, account(form))
    assert.equal(read.baseUrl, 'https://service.example')
    assert.deepEqual(read.credentials, { ...credentials, sharedQuotaPassword: '' })
  })

  it('may be numbers saved as text; blank is the default', () => {
    const { timeout, concurrency, retries } = account({ timeout: '5', concurrency: '20', retries: '0' })
    assert.deepEqual([timeout, concurrency, retries], [5, 20, 0])
    assert.deepEqual(account({ timeout: '', concurrency: null, retries: undefined }), account())
  })

  it('override rows of the limits table with JSON', () => {
    const limits = { alert: { limit: 6 }, data: { records: 5000, recordsWindow: 60 } }
    assert.deepEqual(account({ limits: JSON.stringify(limits) }).limits, limits)
  })

  it('list models separated by commas, ignoring blanks around them and empty ones', () => {
    assert.deepEqual(account({ series1Models: ' A-1, ,B ,' }).series1Models, ['A-1', 'B'])
  })

  it('that are wrong fail with ENVLOG_CONFIG, which names them', () => {
    for (const [over, property] of [
      [{ relaySuffix: '../x' }, 'relaySuffix'],
      [{ timeout: 0 }, 'timeout'],
      [{ concurrency: 21 }, 'concurrency'],
      [{ retries: -1 }, 'retries'],
      [{ limits: '{"nowhere": {"limit": 1}}' }, 'limits'],
      [{ limits: '{"alert": {"limit": 0}}' }, 'limits'],
      [{ limits: '{"alert": {"window": 86401}}' }, 'limits'],
      [{ limits: '{"alert": {"records": 5}}' }, 'limits'],
    ] as const)
      refused(() => account(over), 'setting-invalid', property)
  })

  it('ignore spaces around the API key and the login ID, which a copied text often has', () => {
    const copied = { ...credentials, apiKey: ` ${credentials.apiKey}\n`, loginId: `${credentials.loginId} ` }
    assert.deepEqual(account({}, copied).credentials, account().credentials)
  })

  for (const property of ['apiKey', 'loginId', 'loginPass'] as const) {
    it(`without ${property} are incomplete; of another length it is wrong, and the error does not contain it`, () => {
      const read = (value?: string) => () => account({}, { ...credentials, [property]: value })
      for (const blank of ['', undefined]) refused(read(blank), 'account-incomplete', property)
      for (const value of ['SECRET'.repeat(10), 'SEC']) refused(read(value), 'setting-invalid', property)
    })
  }
})
