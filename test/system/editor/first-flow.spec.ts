import assert from 'node:assert/strict'
import { manualClock } from '../../../simulator'
import { rackA } from '../../support/devices'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { type Runtime, runtimes } from '../../support/runtimes'

for (const runtime of runtimes.slice(0, 2)) {
  describe(`the first flow in ${runtime.title}`, function () {
    this.timeout(2 * ACTING_MS)
    tests(runtime)
  })
}

/** The devices that each node requests. */
const choices = {
  current: ['Rack A', 'Rack B'],
  latest: ['Rack A', 'Freezer 1'],
  range: ['Rack A'],
  alerts: ['Rack A', 'Freezer 1'],
}
type Name = keyof typeof choices
const names = Object.keys(choices) as Name[]

function tests(runtime: Runtime): void {
  // Shortens the wait for the first readings. The service's time stands still, because the tests count the rest of its
  // limits.
  const harness = useEditor(runtime, { clock: manualClock(Date.now()) }, { speed: 5 })
  let editor: Editor

  it('creates and tests an account, picks devices before any deploy, and shows the messages', async () => {
    editor = await harness.open()
    const ids = {} as Record<Name, string>
    for (const [index, name] of names.entries()) {
      ids[name] = await editor.drop(`envlog-${name}`, { x: 200, y: 60 + 80 * index })
    }
    await makesAccount(ids.current)
    for (const name of names) await picks(name, ids[name])
    await opensAgain('latest', ids.latest)
    await editor.deploy()
    const counted =
      runtime.lang === 'ja'
        ? /^(?:(?:(?:記録|警報|応答) )?\d+ (?:台|件)|新着なし) /
        : /^(?:\d+ (?:devices?|records?|alerts?)|nothing new) /
    for (const name of names) {
      const status = editor.status(ids[name]).filter({ hasText: counted })
      await status.waitFor({ timeout: ACTING_MS / 2 })
    }
  })

  async function makesAccount(id: string): Promise<void> {
    const form = await editor.edit(id)
    const account = await form.addAccount()
    await account.fill({ name: 'Plant A', baseUrl: harness.simulator.url })
    await account.fillLogin({ ...harness.simulator.account, loginPass: 'wrong-one' })
    const [refused, ...more] = await account.test()
    assert.match(refused ?? '', /refused the login/)
    assert.deepEqual(more, [`Address: ${harness.simulator.url}`])

    await account.fillLogin(harness.simulator.account)
    const devices = harness.simulator.truth.current().length
    assert.deepEqual(await account.test(), [
      `The service responds at ${harness.simulator.url}`,
      'API key, login ID and password are correct',
      `${devices} devices`,
      'Records of remote units are available',
    ])
    assert.equal(await account.bars().first().getAttribute('value'), '8')
    await account.done()
    assert.match(await form.field('account').locator('option:checked').innerText(), /Plant A/)
    await form.cancel()
  }

  async function picks(name: Name, id: string): Promise<void> {
    const form = await editor.edit(id)
    await form.field('account').selectOption({ label: 'Plant A' })
    await form.select('list')
    const requests = harness.simulator.log.length
    const picker = await form.pick('devices')
    await picker.whenListed()
    for (const device of choices[name]) await picker.box(`${device} `).first().check()
    await picker.done()
    assert.equal(harness.simulator.log.length, requests, 'the list is known from the test')
    await form.whenShown('#node-input-select')
    await form.whenChosen('devices', choices[name].join(', '))
    assert.match((await form.preview()).sends, new RegExp(`Sends: ${choices[name].length} device`))
    await form.duration('repeat').fill('7200')
    await form.done()
  }

  async function opensAgain(name: Name, id: string): Promise<void> {
    const { select, devices } = await editor.properties(id)
    assert.deepEqual([select, (devices as object[])[0]], ['list', rackA])
    const form = await editor.edit(id)
    // Names are shown as soon as the devices are known.
    await form.whenChosen('devices', choices[name].join(', '))
    const picker = await form.pick('devices')
    await picker.whenListed()
    for (const device of choices[name]) assert.ok(await picker.box(`${device} `).first().isChecked(), device)
    assert.equal(await picker.count(), `${choices[name].length} chosen`)
    await picker.cancel()
    await form.whenShown('#node-input-select')
    await form.cancel()
  }
}
