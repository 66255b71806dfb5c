import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { packageJson, root } from '../support/package'
import { runsOn, semver } from '../support/semver'

const yaml = createRequire(require.resolve('mocha'))('js-yaml') as { load(text: string): unknown }

interface Step {
  uses?: string
  run?: string
}

interface Job {
  uses?: string
  steps?: Step[]
  permissions?: Record<string, string>
  strategy?: { matrix: { 'node-red'?: string[]; node?: number[]; exclude?: object[] } }
}

interface Workflow {
  permissions: Record<string, string>
  jobs: Record<string, Job>
}

interface Form {
  name: string
  description: string
  body: { type: string; id?: string; attributes: { label?: string; options?: unknown[] } }[]
}

const at = join(root, '.github')
const read = <T>(...path: string[]) => yaml.load(readFileSync(join(at, ...path), 'utf8')) as T
const workflows = readdirSync(join(at, 'workflows')).map(
  (file) => [file, read<Workflow>('workflows', file)] as const,
)
const scripts = Object.keys((packageJson as { scripts?: object }).scripts ?? {})

describe('the workflows', () => {
  for (const [file, { jobs, permissions }] of workflows) {
    const steps = Object.values(jobs).flatMap((job) => job.steps ?? [])

    it(`use what there is: ${file}`, () => {
      for (const { uses } of Object.values(jobs)) if (uses) assert.ok(existsSync(join(root, uses)), uses)
      for (const { uses = 'actions/none@v1' } of steps) assert.match(uses, /^actions\/[\w-]+@v\d+$/)
      const commands = steps.map(({ run = '' }) => run).join('\n')
      const named = [...commands.matchAll(/npm run (?:--?\w+ )*([\w:]+)/g)].map(([, name = '']) => name)
      assert.deepEqual(
        named.filter((name) => !scripts.includes(name)),
        [],
      )
      for (const [path] of commands.matchAll(/\bscripts\/[\w-]+\.ts/g))
        assert.ok(existsSync(join(root, path)), path)
    })

    it(`may only read, but for the job that publishes: ${file}`, () => {
      assert.deepEqual(permissions, { contents: 'read' })
      const more = Object.entries(jobs).filter(([, job]) => job.permissions)
      assert.deepEqual(
        more.map(([name]) => name),
        file === 'release.yml' ? ['publish'] : [],
      )
    })
  }

  it('try each supported Node-RED on each Node.js that it runs on', () => {
    const matrix = workflows.find(([file]) => file === 'test.yml')?.[1].jobs.flows?.strategy?.matrix
    assert.ok(matrix)
    assert.deepEqual(matrix.node, [20, 22, 24])
    assert.deepEqual(matrix['node-red'], ['4.1', '5'])
    assert.deepEqual(matrix.exclude, [{ 'node-red': '5', node: 20 }])
    for (const node of matrix.node ?? []) assert.ok(runsOn(`${node}.99.0`, packageJson.engines.node))
    for (const nodeRed of matrix['node-red'] ?? []) {
      const [major, minor = 0] = nodeRed.split('.')
      assert.ok(semver.satisfies(`${major}.${minor}.9`, packageJson['node-red'].version), nodeRed)
    }
  })
})

describe('the issue forms', () => {
  for (const file of readdirSync(join(at, 'ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml')) {
    it(`can be shown: ${file}`, () => {
      const { name, description, body } = read<Form>('ISSUE_TEMPLATE', file)
      assert.ok(name && description)
      const fields = body.filter(({ type }) => type !== 'markdown')
      const ids = fields.map(({ id }) => id)
      assert.equal(new Set(ids).size, ids.length)
      for (const { type, id, attributes } of fields) {
        assert.ok(['input', 'textarea', 'dropdown', 'checkboxes'].includes(type), `${id}: ${type}`)
        assert.match(id ?? '', /^\w+$/)
        assert.ok(attributes.label, id)
        const options = attributes.options ?? []
        assert.ok(options.every((option) => typeof option === 'string'))
        assert.equal(type === 'dropdown', options.length > 0)
      }
    })
  }

  it('ask for what helps with a bug, and for no secrets', () => {
    const { body } = read<Form>('ISSUE_TEMPLATE', 'bug.yml')
    const ids = body.flatMap(({ id }) => id ?? [])
    for (const id of ['package', 'runtime', 'node', 'status', 'code', 'account', 'flow', 'log'])
      assert.ok(ids.includes(id), id)
    assert.match(JSON.stringify(body[0]), /leave out API key, password and login ID/)
  })
})
