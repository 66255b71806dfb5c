import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import account from '../../../src/nodes/account/account'
import { packageJson, root } from '../../support/package'

interface Manifest {
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8')
const manifestOf = (name: string): Manifest => JSON.parse(read('node_modules', name, 'package.json'))

describe('SECURITY.md', () => {
  it('lists exactly the secrets: each is a credential that Node-RED never returns', () => {
    const types: Record<string, string> = {}
    const registerType = (_name: string, _make: unknown, { credentials = {} }) => {
      for (const [name, { type }] of Object.entries<{ type: string }>(credentials)) types[name] = type
    }
    const route = () => {}
    account({
      nodes: { registerType },
      auth: { needsPermission: () => route },
      httpAdmin: { get: route, post: route },
    } as never)
    // A login ID alone gives no access, and users who edit it must see it.
    assert.deepEqual(types, {
      apiKey: 'password',
      loginId: 'text',
      loginPass: 'password',
      sharedQuotaPassword: 'password',
    })
  })

  it('states the dependencies: one, with redis as an option; no install scripts', () => {
    const names = Object.keys(packageJson.dependencies)
    assert.deepEqual(names.sort(), ['undici'])
    const own = packageJson as unknown as Manifest
    assert.equal(own.peerDependenciesMeta?.redis?.optional, true)
    for (const [name, { scripts = {}, dependencies = {} }] of [
      ['ours', { scripts: own.scripts }] as [string, Manifest],
      ...names.map((name) => [name, manifestOf(name)] as [string, Manifest]),
    ]) {
      for (const script of ['preinstall', 'install', 'postinstall']) assert.ok(!(script in scripts), name)
      assert.deepEqual(dependencies, {}, `${name} has no dependencies`)
    }
  })
})
