import assert from 'node:assert/strict'
import { type AccountPorts, createAccount } from '../../../src/lib/account'
import { systemClock } from '../../../src/lib/clock'
import type { Ledger, OpenLedger } from '../../../src/lib/quota/ledger'
import { Registry } from '../../../src/lib/registry'
import { findAddressProblem, normalizeAddress } from '../../../src/shared/addresses'
import { fakeTransport } from '../../support/fake-transport'
import { ok, settings } from './api/setup'
import { context, currentDevice } from './responses'

const LEDGER: Ledger = {
  state: 'away',
  code: undefined,
  reserve: async () => undefined,
  settle: async () => {},
  close() {},
}

const accountOf = (name: string, more: Partial<AccountPorts> = {}) => {
  const transport = fakeTransport(ok)
  const registry = new Registry(systemClock)
  const ports = { transport, clock: systemClock, random: () => 0.5, registry, ...more }
  return {
    transport,
    account: createAccount({ ...settings, concurrency: 2, name, series1Models: [] }, ports),
  }
}

describe('an account', () => {
  it('has its name, or its host if it has no name', () => {
    assert.equal(accountOf('Plant A').account.name, 'Plant A')
    assert.equal(accountOf('').account.name, 'service.example')
  })

  it('gets its list from a response with all devices', async () => {
    const { account, transport } = accountOf('')
    const [entry] = await account.devices.all(context)
    assert.equal(entry?.serial, currentDevice().serial)
    const { 'remote-serial': remote, 'base-serial': base } = JSON.parse(transport.sent[0]?.body ?? '')
    assert.deepEqual([remote, base], [undefined, undefined])
  })

  it('shares its quota by its hash; a request counts for ten times the timeout if its instance is killed', () => {
    const shared: unknown[] = []
    const shareQuota = (...given: unknown[]): OpenLedger => {
      shared.push(...given)
      return () => LEDGER
    }
    const { account } = accountOf('', { shareQuota })
    assert.equal(settings.timeout, 30)
    assert.deepEqual(shared, [account.id, 300_000])
  })

  it('closes its connections', async () => {
    const { account, transport } = accountOf('')
    await account.close()
    assert.equal(transport.closed, true)
  })
})

describe('a service address', () => {
  const rows = [
    ['https://service.example', undefined],
    [' https://service.example/api/ ', undefined],
    ['https://service.example:8443', undefined],
    ['http://localhost:1880', undefined],
    ['http://127.0.0.1:8080/x', undefined],
    ['http://127.9.9.9', undefined],
    ['http://[::1]:8080', undefined],
    ['', 'missing'],
    ['  ', 'missing'],
    ['service.example', 'unreadable'],
    ['https://', 'unreadable'],
    ['http://service.example', 'not-https'],
    ['http://127.0.0.1.example', 'not-https'],
    ['http://localhost.example', 'not-https'],
    ['http://10.0.0.1', 'not-https'],
    ['ftp://localhost', 'not-https'],
    ['https://user@service.example', 'has-extras'],
    ['https://:secret@service.example', 'has-extras'],
    ['https://service.example/?a=1', 'has-extras'],
    ['https://service.example/#a', 'has-extras'],
  ] as const
  for (const [text, problem] of rows) {
    it(`"${text}" is ${problem ?? 'fine'}`, () => assert.equal(findAddressProblem(text), problem))
  }

  it('identifies the same account in every spelling', () => {
    for (const text of [
      'https://service.example',
      'HTTPS://Service.Example/',
      ' https://service.example:443// ',
      'https://service.example/v1/devices/current',
      'https://service.example//v1/devices/data-relay/ ',
      'https://service.example/v1/devices',
    ]) {
      assert.equal(normalizeAddress(text), 'https://service.example')
    }
    assert.equal(normalizeAddress('https://service.example/api/'), 'https://service.example/api')
    assert.equal(normalizeAddress('https://v1/devices'), 'https://v1/devices')
  })
})
