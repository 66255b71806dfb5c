import assert from 'node:assert/strict'
import { STORED_SECRET } from '../../../src/shared/admin'
import { rackA } from '../../support/devices'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { editorFlow } from '../../support/editor/flow'
import { otherRuntime } from '../../support/runtimes'
import { filesWith } from '../../support/traces'

describe('logins in the editor', function () {
  this.timeout(ACTING_MS)
  const harness = useEditor(otherRuntime)
  let editor: Editor

  before('deploys one of each node', async () => {
    const latest = { select: 'list', devices: [rackA] }
    await harness.nodeRed.deploy(editorFlow(harness.simulator, { latest }))
    editor = await harness.editor()
  })

  it('do not send deployed secrets to the browser, which can still list devices with them', async () => {
    const answers = [await (await harness.nodeRed.get('/flows')).text()]
    editor.page.on('response', (answer) => {
      void answer.text().then(
        (text) => answers.push(text),
        () => {},
      )
    })
    const form = await editor.edit('latest')
    const picker = await form.pick('devices')
    await picker.press('refresh')
    await picker.whenListed()
    assert.ok(await picker.box('Rack A ').first().isChecked())
    await picker.cancel()
    await form.whenShown('#node-input-select')
    const account = await form.editAccount()
    assert.equal(await account.field('apiKey').inputValue(), STORED_SECRET)
    assert.match((await account.test())[0] ?? '', /responds at http:/)
    await account.cancel()
    await form.whenShown('#node-input-select')
    await form.cancel()
    assert.ok(answers.some((text) => text.includes('Plant A')))
    assert.ok(answers.some((text) => text.includes('Rack A')))
    const { apiKey, loginPass } = harness.simulator.account
    for (const secret of [apiKey, loginPass]) assert.ok(!answers.some((text) => text.includes(secret)))
    const files = filesWith(apiKey, harness.nodeRed.userDir).filter((name) => !name.endsWith('.backup'))
    assert.deepEqual(files, ['flows_cred.json'])
  })

  it("show missing settings in the user's language, and log them in the server's", async () => {
    const credentials = { ...harness.simulator.account, apiKey: '' }
    const flow = editorFlow(harness.simulator)
    await harness.nodeRed.deploy(
      flow.map((node) => (node.id === 'account' ? { ...node, credentials } : node)),
    )
    await editor.status('current').filter({ hasText: 'API key missing' }).waitFor()
    const logged = harness.nodeRed.log().match(/\[envlog-account:Plant A\] アカウントの設定が不足/g)
    assert.equal(logged?.length, 1, 'not logged exactly once')
  })
})
