import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  checkAccountNumber,
  checkAddress,
  checkAdvance,
  checkCredential,
  checkDevices,
  checkLimits,
  checkPeriodEnd,
  checkRelaySuffix,
  checkRepeat,
  checkSerials,
  checkSharedQuota,
  checkStart,
  checkWait,
} from '../../../src/editor/validators'
import { readMoment } from '../../../src/lib/collect/period'
import { readAccountSettings } from '../../../src/nodes/account/account-settings'
import { STORED_SECRET } from '../../../src/shared/admin'
import { useFakeRed } from '../../support/fake-red'

const FROM_ENVIRONMENT = '$' + '{ENVLOG}'

describe('validation of values', () => {
  useFakeRed()
  const form = (over: object = {}) => ({ id: '', type: '', _: (key: string) => key, ...over })

  it('accepts valid values and environment variables', () => {
    for (const verdict of [
      checkAddress('https://service.example/x'),
      checkAddress('http://127.0.0.1:8080'),
      checkAddress(FROM_ENVIRONMENT),
      checkCredential('apiKey', 'k'.repeat(45)),
      checkCredential('apiKey', STORED_SECRET),
      checkCredential('loginPass', FROM_ENVIRONMENT),
      checkRelaySuffix(''),
      checkAccountNumber('timeout', '3600'),
      checkLimits('{"alert": {"limit": 12}}'),
      checkLimits('{"data": {"limit": 1, "window": 86400, "records": 1, "recordsWindow": 86400}}'),
      checkSharedQuota('rediss://host:6379'),
      checkSharedQuota('redis+sentinel://host:26379,other:26380/main'),
      checkSharedQuota('rediss+sentinel://user@host/main/2'),
      checkWait(''),
      checkRepeat(form(), '2000000'),
      checkStart('2026-11-20T08:00:00Z'),
      checkStart('held'),
      checkDevices(form({ select: 'list' }), [{ serial: '52A10001', base: '' }]),
      checkDevices(form({ select: 'all' }), 'whatever'),
      checkDevices(form({ version: 2, select: 'list', bases: ['5F0A1001'] }), []),
      checkSerials([], false),
      checkAdvance(form({ onlyNew: true, output: 'rows', send: 'device' }), 'acknowledged'),
    ]) {
      assert.equal(verdict, true)
    }
  })

  it('gives the reason for an invalid value', () => {
    for (const [verdict, reason] of [
      [checkAddress(''), 'The address is missing.'],
      // Version 1 used base units only without devices.
      [
        checkDevices(form({ type: 'envlog-latest', version: 1, select: 'list', bases: ['5F0A1001'] }), []),
        'No device is chosen.',
      ],
      [checkAddress('service.example'), /must look like https/],
      [checkAddress('http://service.example'), /must begin with https/],
      [checkAddress('https://me:it@service.example'), /must not contain a login/],
      [checkCredential('apiKey', ''), 'This field is required.'],
      [checkCredential('apiKey', 'k'.repeat(44)), 'Enter 45 characters (now 44).'],
      [checkCredential('loginId', 'user00001'), 'Enter 8 characters (now 9).'],
      [checkCredential('loginPass', 'abc'), 'Enter 4 to 16 characters (now 3).'],
      [checkRelaySuffix('a/b'), /only letters, digits/],
      [checkAccountNumber('retries', '-1'), 'Enter a whole number from 0 to 10.'],
      [checkLimits('{"alert":'), /JSON such as/],
      [checkLimits('{"data": {"limit": 1, "window": 86401}}'), /JSON such as/],
      [
        checkLimits('{"data": {"limit": 1, "window": 1, "records": 1, "recordsWindow": 86401}}'),
        /JSON such as/,
      ],
      [checkSharedQuota('nowhere'), /redis:/],
      [checkSharedQuota('redis://:pass@host'), /in 'Redis password'/],
      [checkSharedQuota('redis+sentinel://user:pass@host/main'), /in 'Redis password'/],
      [checkSharedQuota('redis+sentinel://host:26379'), /redis:/],
      [checkSharedQuota('redis+sentinel://host:99999/main'), /redis:/],
      [checkSharedQuota('redis+sentinel://host,,other/main'), /redis:/],
      [checkRepeat(form(), '1.5'), 'Enter a whole number from 0 to 2000000.'],
      [checkRepeat(form({ select: 'msg', propertyType: 'msg' }), 60), /must be 0/],
      [checkStart('tomorrow'), /Enter a time such as/],
      [checkDevices(form({ select: 'list' }), []), 'No device is chosen.'],
      [checkDevices(form({ select: 'list' }), [{ serial: '52A1' }]), /'52A1' is not a serial number/],
      [checkSerials(['5F0A1001', 'x'], true), /'x' is not a serial number/],
      [
        checkAdvance(form({ onlyNew: true, output: 'values', send: 'value' }), 'acknowledged'),
        /Receipts need/,
      ],
    ] as const) {
      if (typeof reason === 'string') assert.equal(verdict, reason)
      else assert.match(String(verdict), reason)
    }
  })

  it('rejects ends of periods that the runtime could not read, or that are in the wrong order', () => {
    const check = (end: 'from' | 'to', value: string, saved: object) => {
      const node = form({ from: '', fromType: 'rel', to: '', toType: 'date', [end]: value, ...saved })
      return checkPeriodEnd(node, end, value)
    }
    const [date, rel] = [
      { fromType: 'date', toType: 'date' },
      { fromType: 'rel', toType: 'rel' },
    ]
    for (const value of ['not a time', 'next week', '2026-13-45', '2026-02-30 10:00', '20261120']) {
      assert.match(String(check('from', value, date)), /Enter a time such as/, value)
      assert.match(String(check('to', value, date)), /Enter a time such as/, value)
    }
    assert.match(String(check('from', '24h', rel)), /-24h/)
    const not = /later than the beginning/
    assert.match(String(check('to', '2026-11-20 08:00', { ...date, from: '2026-11-20 08:00' })), not)
    assert.match(String(check('to', '2026-11-18', { ...date, from: '2026-11-20T08:00:00Z' })), not)
    assert.match(String(check('to', '-24h', rel)), not, 'a day ago, where nothing else is said')
    assert.match(String(check('to', '-7d', { ...rel, from: '-24h' })), not)
    for (const [value, saved] of [
      ['', date],
      ['2026-11-20T08:00:00Z', { ...date, from: '2026-11-20 16:00' }],
      ['2026-11-20', { ...date, from: '2026-11-19' }],
      ['-1h', rel],
      ['-24h', { ...rel, from: '-7d' }],
      ['-24h', { ...rel, fromType: 'msg', from: 'payload' }],
      [FROM_ENVIRONMENT, date],
    ] as const) {
      assert.equal(check('to', value, saved), true, `${value}`)
    }
  })

  it('rejects exactly the times that the runtime rejects', () => {
    const digits = fc.stringMatching(/^[0-9]{1,14}$/)
    const dates = fc.stringMatching(
      /^20[0-9]{2}-[01][0-9]-[0-3][0-9]([ T][0-2][0-9]:[0-6][0-9])?(Z|[+]09:00)?$/,
    )
    fc.assert(
      fc.property(fc.oneof(dates, digits, fc.string()), (text) => {
        fc.pre(text !== '' && !text.includes('$'))
        const node = form({ from: text, fromType: 'date', to: '', toType: 'date' })
        const isTaken = (() => {
          try {
            readMoment(text, 'from')
            return true
          } catch {
            return false
          }
        })()
        assert.equal(checkPeriodEnd(node, 'from', text) === true, isTaken)
      }),
    )
  })

  it('rejects exactly the addresses and credentials that the runtime rejects', () => {
    const runtimeTakes = (address: string, pass: string) => {
      try {
        const secrets = { apiKey: 'k'.repeat(45), loginId: 'user0001', loginPass: pass }
        readAccountSettings({ baseUrl: address }, secrets)
        return true
      } catch {
        return false
      }
    }
    const address = fc.oneof(fc.webUrl(), fc.string(), fc.constant('http://localhost:1880'))
    fc.assert(
      fc.property(address, fc.string({ maxLength: 20 }), (url, pass) => {
        fc.pre(!pass.includes('$') && pass.trim() === pass)
        const formTakes = checkAddress(url) === true && checkCredential('loginPass', pass) === true
        assert.equal(formTakes, runtimeTakes(url, pass))
      }),
    )
  })
})

describe('validation while a form is open', () => {
  useFakeRed('en-US', { select: 'all', propertyType: 'msg', send: 'device', output: 'rows', onlyNew: true })

  it('uses the typed values of other fields, not the saved ones', () => {
    const saved = { select: 'msg', propertyType: 'msg', send: 'each', output: 'values', onlyNew: true }
    assert.equal(checkRepeat(saved as never, '60'), true)
    assert.equal(checkAdvance(saved as never, 'acknowledged'), true)
  })
})
