import assert from 'node:assert/strict'
import { isClearText } from '../../../../src/shared/account-rules'

describe('the connection to a shared Redis', () => {
  it('is in clear text if it leaves this machine without TLS', () => {
    for (const address of [
      'redis://plant.test',
      ' redis://user@10.0.0.5:6380 ',
      'redis+sentinel://one.test:26379,127.0.0.1:26379/main',
    ])
      assert.equal(isClearText(address), true, address)
  })

  it('is not in clear text with TLS, on this machine, or if the address is invalid', () => {
    for (const address of [
      'rediss://plant.test',
      'redis://127.0.0.1:6379',
      'redis://localhost',
      'redis://[::1]:6379',
      'rediss+sentinel://one.test:26379/main',
      'plant.test',
      '',
    ])
      assert.equal(isClearText(address), false, address)
  })
})
