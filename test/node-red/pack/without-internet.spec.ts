import { installOffline, packOffline } from '../../../scripts/pack-offline'

const INSTALL_MS = 120_000

describe('the package for machines without internet', () => {
  it('can be installed from an empty cache, and its nodes load', async function () {
    this.timeout(INSTALL_MS)
    await installOffline((await packOffline()).tarball)
  })
})
