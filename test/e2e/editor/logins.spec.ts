import assert from 'node:assert/strict'
import { STORED_SECRET } from '../../../src/shared/admin'
import { rackA } from '../../support/devices'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { editorFlow } from '../../support/editor/flow'
import { startPeer } from '../../support/peers'
import { otherRuntime } from '../../support/runtimes'
import { answeringWith } from '../../support/secrets/echo-harness'
import { type EchoResponse, requestInField, requestInWords } from '../../support/secrets/echo-responses'
import { anyPieceIn } from '../../support/secrets/echoes'
import { filesWith } from '../traces'

describe('logins in the editor', function () {
  this.timeout(ACTING_MS)
  // Shortens the wait for the first readings.
  const harness = useEditor(otherRuntime, {}, { speed: 5 })
  let editor: Editor

  it('does not send deployed secrets to the browser, and picks devices with them', async () => {
    await harness.nodeRed.deploy(
      editorFlow(harness.simulator, { latest: { select: 'list', devices: [rackA] } }),
    )
    editor = await harness.open()
    const { apiKey, loginPass } = harness.simulator.account
    const answers: string[] = []
    editor.page.on('response', (answer) => {
      if (!answer.url().includes('/vendor/'))
        void answer.text().then(
          (text) => answers.push(text),
          () => {},
        )
    })
    await editor.load()
    const form = await editor.edit('latest')
    const picker = await form.pick('devices')
    await picker.press('refresh')
    await picker.whenListed()
    assert.ok(await picker.box('Rack A ').first().isChecked())
    await picker.cancel()
    await form.whenShown('#node-input-select')
    const account = await form.editAccount()
    assert.equal(await account.field('apiKey').inputValue(), STORED_SECRET)
    assert.match((await account.test())[0] ?? '', /answers at this address/)

    // With another address, stored secrets are not used.
    await account.fill({ baseUrl: 'https://other.example' })
    assert.match((await account.test())[0] ?? '', /only all together, .* that were deployed with them/)
    await account.cancel()
    await form.whenShown('#node-input-select')
    await form.cancel()
    assert.ok(answers.some((text) => text.includes('Plant A')))
    for (const secret of [apiKey, loginPass]) assert.ok(!answers.some((text) => text.includes(secret)))
    const files = filesWith(apiKey, harness.nodeRed.userDir).filter((name) => !name.endsWith('.backup'))
    assert.deepEqual(files, ['flows_cred.json'])
  })

  it('shows no secret that a service echoes: not in a status, the sidebar or the account’s test', async () => {
    let says: EchoResponse = requestInField
    const peer = await startPeer(answeringWith((echo, request) => says(echo, request)))
    try {
      const account = { baseUrl: `http://127.0.0.1:${peer.port}` }
      const nodes = {
        current: { output: 'raw', wires: [['collector']] },
        latest: { select: 'list', devices: [rackA] },
      }
      const place = { z: 'tab', x: 400, y: 400 }
      const inject = { type: 'inject', props: [], ...place }
      await harness.nodeRed.deploy([
        ...editorFlow(harness.simulator, { account, ...nodes }),
        { ...inject, id: 'trigger-current', wires: [['current']] },
        { ...inject, id: 'trigger-latest', wires: [['latest']] },
        { id: 'catch', type: 'catch', scope: null, wires: [['collector']], ...place },
        // The whole message as text.
        {
          id: 'collector',
          type: 'debug',
          tosidebar: true,
          targetType: 'jsonata',
          complete: '$string($$)',
          ...place,
        },
      ])
      editor = await harness.open()
      const messages = await editor.debug()
      await harness.nodeRed.inject('trigger-current')
      await messages.first().locator('.red-ui-debug-msg-object-handle').click()
      await messages.filter({ hasText: '"got":"***"' }).waitFor()
      says = requestInWords
      await harness.nodeRed.inject('trigger-latest')
      await messages.nth(1).locator('.red-ui-debug-msg-object-handle').click()
      await messages.filter({ hasText: 'ENVLOG_SERVICE' }).first().waitFor()
      await editor.status('latest').filter({ hasText: 'service error' }).waitFor()
      const form = await editor.editAccount('account')
      assert.match((await form.test())[0] ?? '', /The service refused the request/)
      const { apiKey, loginPass } = harness.simulator.account
      const fields = await editor.page
        .locator('input')
        .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value))
      for (const shown of [await editor.page.content(), await editor.page.innerText('body'), ...fields]) {
        assert.equal(anyPieceIn(shown, [apiKey, loginPass]), undefined)
      }
      await form.cancel()
    } finally {
      await peer.close()
    }
  })

  it('shows a refused login in the status, in the viewer’s language', async () => {
    await harness.nodeRed.deploy(editorFlow(harness.simulator, { current: { repeat: 7200 } }))
    editor = await harness.open()
    const account = await editor.editAccount('account')
    await account.fill({ loginPass: 'wrong-one' })
    await account.done()
    await editor.deploy()
    const ours = await harness.open({ language: 'ja' })
    await editor.status('current').filter({ hasText: 'login refused' }).waitFor()
    await ours.status('current').filter({ hasText: 'ログイン拒否' }).waitFor()
  })
})
