import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodes } from '../../support/built'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import type { FlowNode } from '../../support/node-red'
import { root } from '../../support/package'
import { firstRuntime } from '../../support/runtimes'
import { until } from '../../support/wait'

/** Flows of version 1 from before some properties existed, with numbers as text. */
const saved: FlowNode[] = JSON.parse(readFileSync(join(root, 'test/fixtures/saved/v1.json'), 'utf8'))
const COUNTED = /^(?:no |\d+) (?:device|record|alert)s? /

describe('a flow that was saved by version 1', function () {
  this.timeout(ACTING_MS)
  const harness = useEditor(firstRuntime, {}, { speed: 5 })
  let editor: Editor

  before('is deployed as it is in its file, for the service of this test', async () => {
    const { apiKey, loginId, loginPass } = harness.simulator.account
    const here = { baseUrl: harness.simulator.url, credentials: { apiKey, loginId, loginPass } }
    await harness.nodeRed.deploy(saved.map((node) => (node.id === 'account' ? { ...node, ...here } : node)))
  })

  beforeEach('opens the editor', async () => {
    editor = await harness.editor()
  })

  const actions = saved.filter(({ type }) => type.startsWith('envlog-') && type !== 'envlog-account')
  const running = actions.filter(({ repeat }) => Number(repeat) > 0)

  it('has all five nodes', () => {
    const types = new Set(saved.map(({ type }) => type).filter((type) => type !== 'tab'))
    assert.deepEqual(types, new Set(nodes.map(({ type }) => type)))
  })

  it('runs', async () => {
    for (const { id } of running) await editor.status(id).filter({ hasText: COUNTED }).waitFor()
  })

  it('opens without errors and without a change', async () => {
    for (const { id } of actions) {
      assert.equal((await editor.held(id)).valid, true, id)
      const form = await editor.edit(id)
      await form.unfold()
      assert.equal(await form.body.locator('.input-error').count(), 0, id)
      await form.done()
      const node = saved.find((one) => one.id === id) ?? {}
      const held = await editor.held(id)
      for (const [name, value] of Object.entries(node)) {
        if (['wires', 'x', 'y', 'z'].includes(name)) continue
        assert.deepEqual(String(JSON.stringify(held[name])), String(JSON.stringify(value)), `${id}: ${name}`)
      }
    }
    const account = await editor.editAccount('account')
    assert.equal(await account.body.locator('.input-error').count(), 0)
    await account.cancel()
  })

  it('continues after another deploy', async () => {
    const form = await editor.edit('current')
    await form.field('name').fill('renamed')
    await form.done()
    const before = harness.simulator.counts().current.total
    await editor.deploy()
    await until(
      'another request arrives',
      () => harness.simulator.counts().current.total > before,
      ACTING_MS / 2,
    )
    await editor.status('current').filter({ hasText: COUNTED }).waitFor()
    assert.doesNotMatch(harness.nodeRed.log(), /\[error\]/)
  })
})
