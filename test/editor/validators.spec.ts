import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  checkAccountNumber,
  checkAddress,
  checkAdvance,
  checkCredential,
  checkDevices,
  checkLimits,
  checkRelaySuffix,
  checkRepeat,
  checkSerials,
  checkSharedQuota,
  checkStart,
  checkWait,
} from '../../src/editor/validators'
import { readAccountProperties } from '../../src/nodes/kit/settings'
import { STORED } from '../../src/shared/admin'
import { useFakeRed } from '../support/fake-red'

const FROM_ENVIRONMENT = '$' + '{ENVLOG}'

describe('the reasons of wrong values', () => {
  useFakeRed()
  const form = (over: object = {}) => ({ id: '', type: '', _: (key: string) => key, ...over })

  it('are none for right ones, and for what comes from the environment', () => {
    for (const verdict of [
      checkAddress('https://service.example/x'),
      checkAddress('http://127.0.0.1:8080'),
      checkAddress(FROM_ENVIRONMENT),
      checkCredential('apiKey', 'k'.repeat(45)),
      checkCredential('apiKey', STORED),
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
      checkSerials([], false),
      checkAdvance(form({ onlyNew: true, output: 'rows', send: 'device' }), 'acknowledged'),
    ]) {
      assert.equal(verdict, true)
    }
  })

  it('say what is wrong', () => {
    for (const [verdict, reason] of [
      [checkAddress(''), 'The service address is missing.'],
      [checkAddress('service.example'), /is not an address such as/],
      [checkAddress('http://service.example'), /must begin with https/],
      [checkAddress('https://me:it@service.example'), /must not hold a login/],
      [checkCredential('apiKey', ''), 'It is missing.'],
      [checkCredential('apiKey', 'k'.repeat(44)), 'It has 45 characters; these are 44.'],
      [checkCredential('loginId', 'user00001'), 'It has 8 characters; these are 9.'],
      [checkCredential('loginPass', 'abc'), 'It has 4 to 16 characters; these are 3.'],
      [checkRelaySuffix('a/b'), /only letters, digits/],
      [checkAccountNumber('retries', '-1'), 'A whole number from 0 to 10.'],
      [checkLimits('{"alert":'), /JSON such as/],
      [checkLimits('{"data": {"limit": 1, "window": 86401}}'), /JSON such as/],
      [
        checkLimits('{"data": {"limit": 1, "window": 1, "records": 1, "recordsWindow": 86401}}'),
        /JSON such as/,
      ],
      [checkSharedQuota('nowhere'), /redis:/],
      [checkSharedQuota('redis://:pass@host'), /a field of its own/],
      [checkSharedQuota('redis+sentinel://user:pass@host/main'), /a field of its own/],
      [checkSharedQuota('redis+sentinel://host:26379'), /redis:/],
      [checkSharedQuota('redis+sentinel://host:99999/main'), /redis:/],
      [checkSharedQuota('redis+sentinel://host,,other/main'), /redis:/],
      [checkRepeat(form(), '1.5'), 'A whole number from 0 to 2000000.'],
      [checkRepeat(form({ select: 'msg', propertyType: 'msg' }), 60), /must be 0/],
      [checkStart('tomorrow'), /A time such as/],
      [checkDevices(form({ select: 'list' }), []), 'No device is chosen.'],
      [checkDevices(form({ select: 'list' }), [{ serial: '52A1' }]), /'52A1' is no serial number/],
      [checkSerials(['5F0A1001', 'x'], true), /'x' is no serial number/],
      [
        checkAdvance(form({ onlyNew: true, output: 'values', send: 'value' }), 'acknowledged'),
        /Receipts need/,
      ],
    ] as const) {
      if (typeof reason === 'string') assert.equal(verdict, reason)
      else assert.match(String(verdict), reason)
    }
  })

  it('are given for just those addresses and logins that the runtime refuses', () => {
    const runtimeTakes = (address: string, pass: string) => {
      try {
        const secrets = { apiKey: 'k'.repeat(45), loginId: 'user0001', loginPass: pass }
        readAccountProperties({ baseUrl: address }, secrets)
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

describe('while a form is open', () => {
  useFakeRed('en-US', { select: 'all', propertyType: 'msg', send: 'device', output: 'rows', onlyNew: true })

  it('a value is held against what is typed, not against what is saved', () => {
    const saved = { select: 'msg', propertyType: 'msg', send: 'each', output: 'values', onlyNew: true }
    assert.equal(checkRepeat(saved as never, '60'), true)
    assert.equal(checkAdvance(saved as never, 'acknowledged'), true)
  })
})
