import assert from 'node:assert/strict'
import { STORED_SECRET } from '../../../src/shared/admin'
import { rackA } from '../../support/devices'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { editorFlow } from '../../support/editor/flow'
import { startPeer } from '../../support/peers'
import { type Runtime, runtimes } from '../../support/runtimes'
import { answeringWith } from '../../support/secrets/echo-harness'
import { type EchoResponse, requestInField, requestInWords } from '../../support/secrets/echo-responses'
import { anyPieceIn } from '../../support/secrets/echoes'
import { filesWith } from '../traces'

for (const runtime of runtimes.slice(0, 2)) {
  describe(`the first flow in ${runtime.title}`, function () {
    this.timeout(ACTING_MS)
    tests(runtime)
  })
}

const choices = {
  current: { picked: ['Rack A', 'Rack B'], names: 'Rack A, Rack B' },
  latest: { picked: ['Rack A', 'Freezer 1'], names: 'Rack A, Freezer 1' },
  range: { picked: ['Rack A'], names: 'Rack A' },
  alerts: { picked: ['Rack A', 'Freezer 1'], names: 'Rack A, Freezer 1' },
} as const
type Name = keyof typeof choices
const names = Object.keys(choices) as Name[]

function tests(runtime: Runtime): void {
  // Shortens the wait for the first readings.
  const harness = useEditor(runtime, {}, { speed: 5 })
  let editor: Editor

  it('creates and tests an account, picks devices before any deploy, and shows the messages', async function () {
    this.timeout(2 * ACTING_MS)
    editor = await harness.open()
    const ids = {} as Record<Name, string>
    for (const [index, name] of names.entries()) {
      ids[name] = await editor.drop(`envlog-${name}`, { x: 200, y: 60 + 80 * index })
    }
    await makesAccount(ids.current)
    for (const name of names) {
      await picks(name, ids[name])
      await opensAgain(name, ids[name])
    }
    await editor.deploy()
    const counted =
      runtime.lang === 'ja'
        ? /^(?:(?:記録|警報|応答) )?\d+ (?:台|件) /
        : /^\d+ (?:devices?|records?|alerts?) /
    for (const name of names) {
      const status = editor.status(ids[name]).filter({ hasText: counted })
      await status.waitFor({ timeout: ACTING_MS / 2 })
    }
  })

  async function makesAccount(id: string): Promise<void> {
    const form = await editor.doubleClick(id)
    const account = await form.addAccount()
    await account.fill({ name: 'Plant A', baseUrl: harness.simulator.url })
    await account.fillLogin({ ...harness.simulator.account, loginPass: 'wrong-one' })
    const [refused, ...more] = await account.test()
    assert.match(refused ?? '', /refused the login/)
    assert.deepEqual(more, [])

    await account.fillLogin(harness.simulator.account)
    const devices = harness.simulator.truth.current().length
    assert.deepEqual(await account.test(), [
      'The service answers at this address',
      'API key, login ID and password are correct',
      `${devices} devices`,
      'Records of remote units are available',
      'Current readings: 8 of 10 requests left',
    ])
    assert.equal(await account.bars().first().getAttribute('aria-valuenow'), '8')
    await account.done()
    assert.match(await form.field('account').locator('option:checked').innerText(), /Plant A/)
    await form.cancel()
  }

  async function picks(name: Name, id: string): Promise<void> {
    const { picked, names: shownNames } = choices[name]
    const form = await editor.edit(id)
    await form.field('account').selectOption({ label: 'Plant A' })
    await form.select('list')
    const requests = harness.simulator.log.length
    const picker = await form.pick('devices')
    await picker.whenListed()
    for (const device of picked) await picker.box(`${device} `).first().check()
    await picker.done()
    assert.equal(harness.simulator.log.length, requests, 'the list is known from the test')
    await form.whenShown('#node-input-select')
    await form.whenChosen('devices', shownNames)
    assert.match((await form.preview()).sends, new RegExp(`Sends: ${picked.length} device`))
    await form.field('repeat').fill('7200')
    await form.done()
  }

  async function opensAgain(name: Name, id: string): Promise<void> {
    const { picked, names: shownNames } = choices[name]
    const { select, devices } = await editor.held(id)
    assert.equal(select, 'list')
    assert.equal((devices as unknown[]).length, picked.length)
    assert.deepEqual((devices as object[])[0], rackA)
    const form = await editor.edit(id)
    assert.equal(await form.field('select').inputValue(), 'list')
    // Names are shown as soon as the devices are known.
    await form.body.locator('#envlog-devices .envlog-chosen-names', { hasText: shownNames }).waitFor()
    if (name === 'latest') {
      const picker = await form.pick('devices')
      await picker.whenListed()
      for (const device of picked) assert.ok(await picker.box(`${device} `).first().isChecked(), device)
      assert.equal(await picker.count(), `${picked.length} chosen`)
      await picker.cancel()
      await form.whenShown('#node-input-select')
    }
    await form.cancel()
  }

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
}
