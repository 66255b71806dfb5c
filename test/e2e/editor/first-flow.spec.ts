import assert from 'node:assert/strict'
import { STORED } from '../../../src/shared/admin'
import { rackA } from '../../support/devices'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useRoom } from '../../support/editor/room'
import { type Runtime, runtimes } from '../../support/runtimes'
import { filesWith } from '../traces'

const [on41, on5] = runtimes as [Runtime, Runtime]

for (const runtime of [on41, on5]) {
  describe(`the first flow in ${runtime.title}`, function () {
    this.timeout(ACTING_MS)
    tests(runtime)
  })
}

function tests(runtime: Runtime): void {
  const room = useRoom(runtime)
  let editor: Editor
  const ids: Record<string, string> = {}

  before('opens the editor', async () => {
    editor = await room.open()
  })

  it('makes an account and tests it, before anything is deployed', async () => {
    ids.current = await editor.drop('envlog-current', { x: 200, y: 60 })
    const form = await editor.edit(ids.current)
    const account = await form.addAccount()
    await account.fill({ name: 'Plant A', baseUrl: room.simulator.url })
    await account.fillLogin({ ...room.simulator.account, loginPass: 'wrong-one' })
    const [refused, ...more] = await account.test()
    assert.match(refused ?? '', /refused the login/)
    assert.deepEqual(more, [])

    await account.fillLogin(room.simulator.account)
    const devices = room.simulator.truth.current().length
    assert.deepEqual(await account.test(), [
      'Address reached',
      'API key, login and password are right',
      `${devices} devices`,
      'Records of remote units can be had',
      'Current readings: 8 of 10 requests left',
    ])
    assert.equal(await account.bars().first().getAttribute('aria-valuenow'), '8')
    await account.done()
    assert.match(await form.field('account').locator('option:checked').innerText(), /Plant A/)
    await form.cancel()
  })

  const choices = {
    current: { picked: ['Rack A', 'Rack B'], names: 'Rack A, Rack B' },
    latest: { picked: ['Rack A', 'Freezer 1'], names: 'Rack A, Freezer 1' },
    range: { picked: ['Rack A'], names: 'Rack A' },
    alerts: { picked: ['Rack A', 'Freezer 1'], names: 'Rack A, Freezer 1' },
  } as const

  for (const [index, [name, { picked, names }]] of Object.entries(choices).entries()) {
    it(`picks devices for envlog-${name} before any deploy; opened again they are there`, async () => {
      ids[name] ??= await editor.drop(`envlog-${name}`, { x: 200, y: 60 + 80 * index })
      const form = await editor.edit(ids[name])
      await form.field('account').selectOption({ label: 'Plant A' })
      await form.select('list')
      const asked = room.simulator.log.length
      const picker = await form.pick('devices')
      await picker.whenListed()
      for (const device of picked) await picker.box(`${device} `).first().check()
      await picker.done()
      assert.equal(room.simulator.log.length, asked, 'the list is known from the test')
      await form.whenShown('#node-input-select')
      assert.equal(await form.chosen('devices'), names)
      assert.match((await form.told()).sends, new RegExp(`Sends: ${picked.length} device`))
      await form.field('repeat').fill('7200')
      await form.done()
      await opensAgain(name, picked, names)
    })
  }

  async function opensAgain(name: string, picked: readonly string[], names: string): Promise<void> {
    const id = ids[name] as string
    const { select, devices } = await editor.held(id)
    assert.equal(select, 'list')
    assert.equal((devices as unknown[]).length, picked.length)
    assert.deepEqual((devices as object[])[0], rackA)
    const form = await editor.edit(id)
    assert.equal(await form.field('select').inputValue(), 'list')
    // Names are told as soon as the devices are known.
    await form.body.locator('#envlog-devices .envlog-chosen-names', { hasText: names }).waitFor()
    if (name !== 'latest') return form.cancel()
    const picker = await form.pick('devices')
    await picker.whenListed()
    for (const device of picked) assert.ok(await picker.box(`${device} `).first().isChecked(), device)
    assert.equal(await picker.count(), `${picked.length} chosen`)
    await picker.cancel()
    await form.whenShown('#node-input-select')
    await form.cancel()
  }

  it('deploys, runs by itself and says below each node what came', async () => {
    await editor.deploy()
    const counted =
      runtime.lang === 'ja' ? /^(?:警報 |応答 )?\d+ (?:台|件) / : /^\d+ (?:devices?|records?|alerts?) /
    for (const name of Object.keys(choices)) {
      const status = editor.status(ids[name] as string).filter({ hasText: counted })
      await status.waitFor({ timeout: ACTING_MS / 2 })
    }
  })

  it('keeps the secrets from the browser once they are deployed, and picks with them', async () => {
    const { apiKey, loginPass } = room.simulator.account
    const answers: string[] = []
    editor.page.on('response', (answer) => {
      if (!answer.url().includes('/vendor/'))
        void answer.text().then(
          (text) => answers.push(text),
          () => {},
        )
    })
    await editor.load()
    const form = await editor.edit(ids.latest as string)
    const picker = await form.pick('devices')
    await picker.press('refresh')
    await picker.whenListed()
    assert.ok(await picker.box('Rack A ').first().isChecked())
    await picker.cancel()
    await form.whenShown('#node-input-select')
    const account = await form.editAccount()
    assert.equal(await account.field('apiKey').inputValue(), STORED)
    assert.match((await account.test())[0] ?? '', /Address reached/)

    // Another address: what is stored is not for it.
    await account.fill({ baseUrl: 'https://other.example' })
    assert.match((await account.test())[0] ?? '', /were stored for another address or login. Type them anew/)
    await account.cancel()
    await form.whenShown('#node-input-select')
    await form.cancel()
    assert.ok(answers.some((text) => text.includes('Plant A')))
    for (const secret of [apiKey, loginPass]) assert.ok(!answers.some((text) => text.includes(secret)))
    assert.deepEqual(filesWith(apiKey, room.nodeRed.userDir), ['flows_cred.json'])
  })

  it('says in the viewer’s language below the node that the login is refused', async () => {
    const [id] = await editor.accounts()
    const account = await editor.editAccount(id as string)
    await account.fill({ loginPass: 'wrong-one' })
    await account.done()
    await editor.deploy()
    const ours = await room.open({ language: 'ja' })
    await editor
      .status(ids.current as string)
      .filter({ hasText: 'login refused' })
      .waitFor()
    await ours
      .status(ids.current as string)
      .filter({ hasText: 'ログイン拒否' })
      .waitFor()
  })
}
