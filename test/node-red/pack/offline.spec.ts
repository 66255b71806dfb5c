import assert from 'node:assert/strict'
import { installOffline, packOffline } from '../../../scripts/offline'
import { nodes } from '../../support/built'
import { type NodeRed, startNodeRed } from '../../support/node-red'
import { execute, type Packed, pack, packageJson } from '../../support/package'
import { firstRuntime } from '../../support/runtimes'

const INSTALL_MS = 120_000

describe('the package for machines without internet', () => {
  let packed: Packed
  let nodeRed: NodeRed | undefined

  before('packs it', async function () {
    this.timeout(INSTALL_MS)
    packed = await packOffline()
  })

  after('ends Node-RED', () => nodeRed?.stop('SIGKILL'))

  it('contains the published package and its dependencies', async () => {
    const { files } = await pack()
    const own = packed.files.filter((file) => !file.startsWith('node_modules/'))
    assert.deepEqual(own.toSorted(), files.toSorted())
    const { stdout } = await execute('tar', ['-tzf', packed.tarball])
    const modules = [...stdout.matchAll(/^package\/node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/gm)]
    assert.deepEqual(modules.map(([, name]) => name).toSorted(), Object.keys(packageJson.dependencies))
  })

  it('is the only one that can be installed with an empty cache and without a registry', async function () {
    this.timeout(INSTALL_MS)
    const { tarball } = await pack()
    await assert.rejects(installOffline(tarball, ['--offline']), /ENOTCACHED/)
    await installOffline(packed.tarball, ['--offline'])
  })

  it('can be installed like by the palette manager, and Node-RED has all nodes', async function () {
    this.timeout(INSTALL_MS)
    nodeRed = await startNodeRed(firstRuntime, { userDir: await installOffline(packed.tarball) })
    const sets = await nodeRed.json<{ module: string; types: string[]; err?: string }[]>('/nodes')
    const found = sets.filter(({ module }) => module === packageJson.name)
    assert.deepEqual(
      found.map(({ types, err }) => ({ types, err })),
      [{ types: nodes.map(({ type }) => type), err: undefined }],
    )
  })
})
