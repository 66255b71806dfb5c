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

function refused(read: () => unknown, reason: Reason, property?: string) {
  assert.throws(read, (error) => {
    assert.ok(error instanceof EnvlogError)
    assert.deepEqual([error.reason, error.code], [reason, 'ENVLOG_CONFIG'])
    if (property) assert.equal(error.params.property, property)
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
    assert.equal(action({ staleAfter: '900' }, 'envlog-current').staleAfter, 900)
    for (const blank of ['', null, undefined]) {
      const list = blank || undefined
      const { repeat, number, property, devices } = action({
        repeat: blank,
        number: blank,
        property: blank,
        devices: list,
      })
      assert.deepEqual([repeat, number, property, devices], [0, null, 'devices', []])
    }
    assert.equal(action({ staleAfter: '' }, 'envlog-current').staleAfter, null)
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

  const wrong: readonly (readonly [object, string])[] = [
    [{ repeat: 2_000_001 }, 'repeat'],
    [{ repeat: 'often' }, 'repeat'],
    [{ select: 'some' }, 'select'],
    [{ devices: 'x' }, 'devices'],
    [{ devices: [{ serial: 'short' }] }, 'devices.0.serial'],
    [{ devices: [{ serial: '5212A1B2', base: 'no' }] }, 'devices.0.base'],
    [{ bases: ['5839F001', ''] }, 'bases.1'],
    [{ exclude: ['all'] }, 'exclude.0'],
    [{ number: 0 }, 'number'],
    [{ topic: 5 }, 'topic'],
  ]
  for (const [over, property] of wrong) {
    it(`that are wrong fail with ENVLOG_CONFIG, which names them: ${JSON.stringify(over)}`, () => {
      refused(() => action(over), 'setting-invalid', property)
    })
  }

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
    refused(() => action({ output: 'rows', send: 'all' }), 'output-not-offered')
    refused(() => action({ output: 'csv' }, 'envlog-current'), 'output-not-offered')
  })

  it('fail with ENVLOG_CONFIG without a chosen device', () => {
    refused(() => action({ select: 'list' }), 'setting-invalid', 'devices')
    refused(() => action({ select: 'base', devices: [{ serial: '5212A1B2' }] }), 'setting-invalid', 'bases')
    refused(() => action({ select: 'group', bases: ['5839F001'] }), 'setting-invalid', 'groups')
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
    const problemOf = (read: () => unknown) => {
      try {
        read()
      } catch (error) {
        return error instanceof EnvlogError ? error.params : error
      }
      return undefined
    }
    const unset = { problem: 'variable-unset', variable: variable('NAME') }
    assert.deepEqual(
      problemOf(() => account({ baseUrl: variable('NAME') })),
      { property: 'baseUrl', ...unset },
    )
    const secrets = { ...credentials, loginPass: variable('NAME') }
    assert.deepEqual(
      problemOf(() => account({}, secrets)),
      { property: 'loginPass', ...unset },
    )
    assert.deepEqual(
      problemOf(() => account({ baseUrl: `https://${variable('HOST')}` })),
      {
        property: 'baseUrl',
        problem: 'variable-inside',
      },
    )
    assert.equal(
      account({}, { ...credentials, loginPass: `a${variable('NAME')}` }).credentials.loginPass,
      `a${variable('NAME')}`,
    )
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
    const blank = account({
      timeout: '',
      concurrency: null,
      retries: undefined,
      relaySuffix: '',
      series1Models: '',
    })
    assert.deepEqual(blank, account())
  })

  it('override rows of the limits table with JSON', () => {
    const limits = { alert: { limit: 6 }, data: { records: 5000, recordsWindow: 60 } }
    assert.deepEqual(account({ limits: JSON.stringify(limits) }).limits, limits)
  })

  it('list models separated by commas, ignoring blanks around them and empty ones', () => {
    assert.deepEqual(account({ series1Models: ' A-1, ,B ,' }).series1Models, ['A-1', 'B'])
  })

  const wrong: readonly (readonly [object, string])[] = [
    [{ baseUrl: 'http://service.example' }, 'baseUrl'],
    [{ relaySuffix: '../x' }, 'relaySuffix'],
    [{ timeout: 0 }, 'timeout'],
    [{ concurrency: 21 }, 'concurrency'],
    [{ retries: -1 }, 'retries'],
    [{ limits: '{' }, 'limits'],
    [{ limits: '{"nowhere": {"limit": 1}}' }, 'limits'],
    [{ limits: '{"alert": {"limit": 0}}' }, 'limits'],
    [{ limits: '{"alert": {"window": 86401}}' }, 'limits'],
    [{ limits: '{"alert": {"records": 5}}' }, 'limits'],
    [{ timeZone: 'Europe/Berlim' }, 'timeZone'],
    [{ temperatureUnit: 'K' }, 'temperatureUnit'],
    [{ sharedQuota: 'http://127.0.0.1' }, 'sharedQuota'],
    [{ sharedQuota: 'redis://:secret@127.0.0.1' }, 'sharedQuota'],
  ]
  for (const [over, property] of wrong) {
    it(`that are wrong fail with ENVLOG_CONFIG, which names them: ${JSON.stringify(over)}`, () => {
      assert.throws(
        () => account(over),
        (error) => {
          assert.ok(error instanceof EnvlogError)
          assert.deepEqual([error.code, error.params.property], ['ENVLOG_CONFIG', property])
          return true
        },
      )
    })
  }

  for (const property of ['apiKey', 'loginId', 'loginPass'] as const) {
    it(`without ${property} are incomplete`, () => {
      for (const blank of ['', undefined]) {
        refused(() => account({}, { ...credentials, [property]: blank }), 'account-incomplete', property)
      }
    })

    it(`with a ${property} of another length are wrong, and the error does not contain it`, () => {
      const value = 'SECRET'.repeat(10)
      refused(() => account({}, { ...credentials, [property]: value }), 'setting-invalid', property)
      refused(() => account({}, { ...credentials, [property]: 'SEC' }), 'setting-invalid', property)
      try {
        account({}, { ...credentials, [property]: value })
      } catch (error) {
        assert.doesNotMatch(JSON.stringify(error) + String(error), /SECRET/)
      }
    })
  }
})
