import assert from 'node:assert/strict'
import {
  findSharedQuotaProblem,
  isClearText,
  readRedisAddress,
  splitPassword,
} from '../../../src/shared/addresses'

describe('the address of a shared quota', () => {
  const logins: [typed: string, address: string, password: string][] = [
    ['rediss://default:s3cret@host:6379', 'rediss://default@host:6379', 's3cret'],
    ['redis://:s3cret@host:6379/2', 'redis://host:6379/2', 's3cret'],
    ['redis://user:p@ss:w/rd?@host', 'redis://user@host', 'p@ss:w/rd?'],
    ['redis://user:p%40ss@[::1]:6379', 'redis://user@[::1]:6379', 'p@ss'],
    ['redis://host:6379?password=s3cret', 'redis://host:6379', 's3cret'],
    ['redis://host:6379?db=1&password=p@ss', 'redis://host:6379', 'p@ss'],
    ['redis+sentinel://one,two/main?password=p@ss', 'redis+sentinel://one,two/main', 'p@ss'],
    ['redis+sentinel://user:p@ss@one,two:26380/main', 'redis+sentinel://user@one,two:26380/main', 'p@ss'],
  ]
  for (const [typed, address, password] of logins) {
    it(`reveals no part of its password: ${typed}`, () => {
      assert.deepEqual(splitPassword(typed), { address, password })
      assert.equal(findSharedQuotaProblem(typed), 'has-password')
      assert.equal(findSharedQuotaProblem(address), undefined)
      assert.equal(splitPassword(address), undefined)
    })
  }

  it('is refused if it is not a valid address', () => {
    for (const text of [
      'host',
      'http://host',
      'redis://',
      'redis://host?auth=s3cret',
      'redis://host#s3cret',
      'redis://host:6379/mydb',
      'redis://host:65536',
      'redis://one,two',
      'redis+sentinel://one,two',
      'redis+sentinel://one/main?auth=s3cret',
      'redis+sentinel://one,/main',
    ])
      assert.equal(findSharedQuotaProblem(text), 'unreadable', text)
  })

  it('may have a user with any characters, and a database', () => {
    assert.deepEqual(readRedisAddress(' redis://100%@host/2 '), {
      isTls: false,
      username: '100%',
      hosts: [{ host: 'host', port: 6379 }],
      sentinelName: null,
      database: 2,
    })
    assert.equal(readRedisAddress('rediss://a%40b@[::1]:6380/')?.username, 'a@b')
  })

  it('may name sentinels by host, IPv4 or IPv6, each with or without a port', () => {
    assert.deepEqual(readRedisAddress('rediss+sentinel://one,127.0.0.1:26380,[fd00::1]:26381,[::1]/main/3'), {
      isTls: true,
      hosts: [
        { host: 'one', port: 26379 },
        { host: '127.0.0.1', port: 26380 },
        { host: 'fd00::1', port: 26381 },
        { host: '::1', port: 26379 },
      ],
      sentinelName: 'main',
      username: '',
      database: 3,
    })
  })
})

describe('the connection to a shared Redis', () => {
  it('is in clear text if it leaves this machine without TLS', () => {
    for (const address of ['redis://plant.test', 'redis+sentinel://one.test:26379,127.0.0.1:26379/main'])
      assert.equal(isClearText(address), true, address)
    for (const address of [
      'rediss://plant.test',
      'redis://127.0.0.1:6379',
      'redis://[::1]:6379',
      'plant.test',
    ])
      assert.equal(isClearText(address), false, address)
  })
})
