import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import account from '../../../src/nodes/account/account'
import { packageJson, root } from '../../support/package'

const yaml = createRequire(require.resolve('mocha'))('js-yaml') as { load(text: string): unknown }

interface Manifest {
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

interface Job {
  uses?: string
  needs?: string | string[]
  steps?: { run?: string }[]
}

const read = (...path: string[]) => readFileSync(join(root, ...path), 'utf8')
const manifestOf = (name: string): Manifest => JSON.parse(read('node_modules', name, 'package.json'))
const jobsOf = (name: string) =>
  (yaml.load(read('.github', 'workflows', name)) as { jobs: Record<string, Job> }).jobs

describe('what SECURITY.md says', () => {
  it('on secrets: each is a credential that Node-RED never returns', () => {
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
    // A login ID alone gives no access, and users who edit it have to see it.
    assert.deepEqual(types, {
      ...{ apiKey: 'password', loginId: 'text', loginPass: 'password', sharedQuotaPassword: 'password' },
    })
  })

  it('on dependencies: two, and redis as an option; no install scripts', () => {
    const names = Object.keys(packageJson.dependencies)
    assert.deepEqual(names.sort(), ['undici', 'valibot'])
    const own = packageJson as unknown as Manifest
    assert.equal(own.peerDependenciesMeta?.redis?.optional, true)
    for (const [name, { scripts = {}, dependencies = {} }] of [
      ['ours', { scripts: own.scripts }] as [string, Manifest],
      ...names.map((name) => [name, manifestOf(name)] as [string, Manifest]),
    ]) {
      for (const script of ['preinstall', 'install', 'postinstall']) assert.ok(!(script in scripts), name)
      assert.deepEqual(dependencies, {}, `${name} brings no others`)
    }
  })

  it('on releases: none while a dependency has a known vulnerability', () => {
    const { test, build, publish } = jobsOf('release.yml')
    assert.equal(test?.uses, './.github/workflows/test.yml')
    assert.ok([build?.needs].flat().includes('test') && [publish?.needs].flat().includes('build'))
    const steps = Object.values(jobsOf('test.yml')).flatMap((job) => job.steps ?? [])
    assert.ok(steps.some(({ run }) => run === 'npm audit --omit=dev'))
  })
})
