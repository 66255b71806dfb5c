import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageJson, root } from '../../support/package'
import { runsOn, semver } from '../../support/semver'

const OLDEST_NODE = '20.18.1'
const OLDEST_NODE_RED = '4.1.0'

interface Locked {
  version?: string
  dev?: boolean
  engines?: { node?: string }
  resolved?: string
  dependencies?: Record<string, string>
}

const lock: { packages: Record<string, Locked> } = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
)

/** Installed runtime dependencies, including indirect ones. */
const runtimePackages = Object.entries(lock.packages).filter(([path, { dev }]) => path !== '' && !dev)

describe('package.json', () => {
  it('supports Node-RED and Node.js from the stated versions on', () => {
    assert.equal(semver.minVersion(packageJson.engines.node).version, OLDEST_NODE)
    assert.equal(semver.minVersion(packageJson['node-red'].version).version, OLDEST_NODE_RED)
    for (const version of ['4.1.0', '4.9.9', '5.0.0']) {
      assert.ok(semver.satisfies(version, packageJson['node-red'].version), `Node-RED ${version}`)
    }
    for (const version of ['20.18.1', '22.9.0', '24.0.0']) {
      assert.ok(semver.satisfies(version, packageJson.engines.node), `Node ${version}`)
    }
  })

  it('depends only on packages that the oldest Node.js can install', () => {
    assert.ok(runtimePackages.length >= Object.keys(packageJson.dependencies).length)
    for (const [path, { engines }] of runtimePackages) {
      assert.ok(runsOn(OLDEST_NODE, engines?.node), `${path}: ${engines?.node}`)
    }
  })

  it('locks its dependencies at allowed versions', () => {
    for (const [name, range] of Object.entries(packageJson.dependencies)) {
      const locked = lock.packages[`node_modules/${name}`]
      assert.ok(locked?.version && semver.satisfies(locked.version, range), name)
    }
  })

  it('has its nodes in one file, whose name in Node-RED equals that of its catalogs', () => {
    assert.deepEqual(packageJson['node-red'].nodes, { envlog: 'dist/envlog.js' })
  })
})

describe('package-lock.json', () => {
  it('contains no registry URLs', () => {
    const named = Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined)
    assert.deepEqual(named, [])
  })

  it('matches package.json', () => {
    assert.equal(lock.packages['']?.version, packageJson.version)
    assert.deepEqual(lock.packages['']?.dependencies, packageJson.dependencies)
  })
})
