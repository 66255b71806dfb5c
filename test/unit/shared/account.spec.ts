import assert from 'node:assert/strict'
import { findSharedQuotaProblem, readSentinels, splitPassword } from '../../../src/shared/account'

describe('the address of a shared quota', () => {
  const logins: [typed: string, address: string, password: string][] = [
    ['rediss://default:s3cret@host:6379', 'rediss://default@host:6379', 's3cret'],
    ['redis://:s3cret@host:6379/2', 'redis://host:6379/2', 's3cret'],
    ['redis://user:p@ss:w/rd?@host', 'redis://user@host', 'p@ss:w/rd?'],
    ['redis://user:p%40ss@[::1]:6379', 'redis://user@[::1]:6379', 'p@ss'],
    ['redis://host:6379?password=s3cret', 'redis://host:6379', 's3cret'],
    ['redis+sentinel://user:p@ss@one,two:26380/main', 'redis+sentinel://user@one,two:26380/main', 'p@ss'],
  ]
  for (const [typed, address, password] of logins) {
    it(`gives no part of its password away: ${typed}`, () => {
      assert.deepEqual(splitPassword(typed), { address, password })
      assert.equal(findSharedQuotaProblem(typed), 'has-password')
      assert.equal(findSharedQuotaProblem(address), undefined)
      assert.equal(splitPassword(address), undefined)
    })
  }

  it('is refused if it cannot be connected to', () => {
    for (const text of ['host', 'http://host', 'redis://', 'redis://host?db=1', 'redis+sentinel://one,two'])
      assert.equal(findSharedQuotaProblem(text), 'unreadable', text)
  })

  it('may name sentinels by host, IPv4 or IPv6, each with a port or without', () => {
    assert.deepEqual(readSentinels('rediss+sentinel://one,127.0.0.1:26380,[fd00::1]:26381,[::1]/main/3'), {
      isTls: true,
      nodes: [
        { host: 'one', port: 26379 },
        { host: '127.0.0.1', port: 26380 },
        { host: 'fd00::1', port: 26381 },
        { host: '::1', port: 26379 },
      ],
      name: 'main',
      username: '',
      database: 3,
    })
  })
})
