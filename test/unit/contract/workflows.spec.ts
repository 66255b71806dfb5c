import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { packageJson, root } from '../../support/package'
import { runsOn, semver } from '../../support/semver'

const yaml = createRequire(require.resolve('mocha'))('js-yaml') as { load(text: string): unknown }

interface Step {
  uses?: string
  run?: string
  with?: Record<string, unknown>
}

interface Job {
  uses?: string
  env?: object
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

    it(`use existing actions and scripts: ${file}`, () => {
      for (const { uses } of Object.values(jobs)) if (uses) assert.ok(existsSync(join(root, uses)), uses)
      // A tag can be moved to other code; a commit cannot.
      for (const { uses } of steps) if (uses) assert.match(uses, /^actions\/[\w-]+@[0-9a-f]{40}$/)
      const commands = steps.map(({ run = '' }) => run).join('\n')
      const named = [...commands.matchAll(/npm run (?:--?\w+ )*([\w:]+)/g)].map(([, name = '']) => name)
      assert.deepEqual(
        named.filter((name) => !scripts.includes(name)),
        [],
      )
      for (const [path] of commands.matchAll(/\bscripts\/[\w-]+\.ts/g))
        assert.ok(existsSync(join(root, path)), path)
    })

    it(`have only read permissions, except for jobs that publish: ${file}`, () => {
      assert.deepEqual(permissions, { contents: 'read' })
      const more = Object.entries(jobs).filter(([, job]) => job.permissions)
      assert.deepEqual(
        more.map(([name]) => name),
        file === 'release.yml' ? ['publish', 'release'] : [],
      )
    })

    it(`run no foreign code with permissions or secrets, and keep no credentials: ${file}`, () => {
      for (const [name, job] of Object.entries(jobs)) {
        const text = JSON.stringify(job)
        const isHarmless = job.permissions === undefined
        if (isHarmless) assert.ok(!/secrets\.|github\.token/.test(text), name)
        else assert.ok(!/checkout@|npm (?:ci|install|run|pack)|npx/.test(text), name)
        if (!isHarmless) assert.ok(!job.env, `${name}: tokens are given to single steps`)
        for (const { uses = '', with: settings } of job.steps ?? []) {
          if (uses.includes('/checkout@')) assert.equal(settings?.['persist-credentials'], false, name)
        }
      }
    })
  }

  it('release only main, built without install scripts, and attest all files', () => {
    const { build, publish } = workflows.find(([file]) => file === 'release.yml')?.[1].jobs ?? {}
    const commands = (build?.steps ?? []).map(({ run = '' }) => run)
    assert.ok(commands.some((one) => one.includes('merge-base --is-ancestor')))
    assert.ok(commands.includes('npm ci --ignore-scripts'))
    assert.ok(commands.every((one) => !/npx (?!--no-install)/.test(one)))
    const attested = publish?.steps?.find(({ uses }) => uses?.includes('attest-build-provenance'))
    assert.match(String(attested?.with?.['subject-path']), /\*\.tgz\s+sbom\.cdx\.json/)
    assert.ok(
      publish?.steps?.some(({ run = '' }) => /npm publish .*--provenance .*--ignore-scripts/.test(run)),
    )
  })

  it('test each supported Node-RED on each of its Node.js versions', () => {
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
    it(`are valid: ${file}`, () => {
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

  it('ask for the details of a bug, and for no secrets', () => {
    const { body } = read<Form>('ISSUE_TEMPLATE', 'bug.yml')
    const ids = body.flatMap(({ id }) => id ?? [])
    for (const id of ['package', 'runtime', 'node', 'status', 'code', 'account', 'flow', 'log'])
      assert.ok(ids.includes(id), id)
    assert.match(JSON.stringify(body[0]), /leave out API key, password and login ID/)
  })
})
