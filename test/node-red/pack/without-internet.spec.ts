import assert from 'node:assert/strict'
import { installOffline, packOffline } from '../../../scripts/pack-offline'
import { pack } from '../../support/package'

const INSTALL_MS = 120_000

describe('the package for machines without internet', () => {
  it('can be installed from an empty cache, and its nodes load', async function () {
    this.timeout(INSTALL_MS)
    await installOffline((await packOffline()).tarball)
  })

  it('is needed there: the published package cannot be installed from an empty cache', async function () {
    this.timeout(INSTALL_MS)
    await assert.rejects(installOffline((await pack()).tarball), /ENOTCACHED/)
  })
})
