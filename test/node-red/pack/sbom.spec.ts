import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { billOfMaterials } from '../../../scripts/sbom'
import { packageJson, root } from '../../support/package'

const MAKING_MS = 30_000

interface Component {
  name: string
  version: string
  purl: string
  hashes?: { alg: string; content: string }[]
  licenses?: object[]
}

interface Bill {
  bomFormat: string
  metadata: { component: Component }
  components: Component[]
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

describe('the bill of materials', () => {
  let bill: Bill

  before('makes it', async function () {
    this.timeout(MAKING_MS)
    bill = JSON.parse(await billOfMaterials())
  })

  it('is of this package in CycloneDX', () => {
    const { name, version } = bill.metadata.component
    assert.equal(bill.bomFormat, 'CycloneDX')
    assert.deepEqual([name, version], [packageJson.name, packageJson.version])
  })

  it('lists the locked run-time dependencies, and nothing else', () => {
    const expected = Object.keys(packageJson.dependencies).map((name) => {
      const { version, integrity } = lock.packages[`node_modules/${name}`]
      const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')
      return { purl: `pkg:npm/${name}@${version}`, hashes: [{ alg: 'SHA-512', content }] }
    })
    assert.deepEqual(
      bill.components.map(({ purl, hashes }) => ({ purl, hashes })),
      expected,
    )
    assert.ok(bill.components.every(({ licenses }) => licenses?.length))
  })

  it('contains no path of this machine', () => {
    assert.ok(!JSON.stringify(bill).includes(root))
  })
})
