import assert from 'node:assert/strict'
import type { ActionForm } from '../../support/editor/action-form'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { editorFlow } from '../../support/editor/flow'
import { otherRuntime } from '../../support/runtimes'
import { until } from '../../support/wait'

const SEARCH = 'name, serial number, model, group or quantity'

describe('the forms', function () {
  this.timeout(ACTING_MS)
  const harness = useEditor(otherRuntime)
  let editor: Editor

  before('deploys one of each node', async () => {
    const alerts = editorFlow(harness.simulator).find(({ id }) => id === 'alerts')
    const off = [
      { id: 'off', type: 'tab', label: 'off', disabled: true },
      { ...alerts, id: 'off-alerts', type: 'envlog-alerts', z: 'off', repeat: 60 },
      { ...alerts, id: 'no-account', type: 'envlog-alerts', z: 'off', account: '' },
    ]
    await harness.nodeRed.deploy([...editorFlow(harness.simulator), ...off])
  })

  beforeEach('opens the editor', async () => {
    editor = await harness.editor()
  })

  it('show a report of the service as it will be saved', async () => {
    const form = await editor.editAccount('account')
    const report = await form.report()
    assert.equal(JSON.parse(report).format, 'envlog-report')
    assert.equal(await form.saveReport(), `${report}\n`)
    await form.cancel()
  })

  it('show the remaining quota, and the devices with less than half of their records left', async () => {
    const quota = '**/envlog/accounts/account/quota'
    await editor.page.route(quota, async (route) => {
      const response = await route.fetch()
      const row = { endpoint: 'data', device: '52A10001/52A10001', limit: 160_000 }
      const records = [1000, 80_000].map((left) => ({ ...row, name: 'Freezer 1', left }))
      await route.fulfill({ json: { ...(await response.json()), records } })
    })
    const form = await editor.editAccount('account')
    await form.bars().and(form.body.getByLabel('Freezer 1: 1,000 of 160,000 records left')).waitFor()
    assert.match(
      (await form.bars().first().getAttribute('aria-label')) ?? '',
      /^current readings: .+ \(2 min\)/,
    )
    assert.equal(await form.bars().count(), 7)
    await form.cancel()
    await editor.page.unroute(quota)
  })

  it('test the typed values, say which is not valid, and keep no result of earlier values', async () => {
    const form = await editor.editAccount('account')
    const { account, log } = harness.simulator
    await form.fillLogin(account)
    await form.fill({ baseUrl: 'http://service.example' })
    const requests = log.length
    assert.ok((await form.test())[0]?.startsWith((await form.reason('baseUrl')) ?? 'no reason'))
    await form.fill({ baseUrl: 'http://127.0.0.1:9/' })
    assert.match((await form.test()).join(), /^The service cannot be reached/)
    assert.equal(log.length, requests)
    const note = form.body.getByText('The password begins or ends with a blank')
    assert.equal(await note.isVisible(), false)
    await form.fill({ loginPass: 'another ' })
    assert.ok(await note.isVisible())
    assert.equal(await form.body.locator('.envlog-test-line').count(), 0)
    await form.cancel()
  })

  it('move a password from the address of a shared quota to the credential, and warn about clear text', async () => {
    const form = await editor.editAccount('account')
    await form.unfold()
    const [address, password] = [form.field('sharedQuota'), form.field('sharedQuotaPassword')]
    const note = form.body.locator('#envlog-shared-note')
    assert.equal(await note.isVisible(), false)
    await address.fill('redis://:a%20b@cache.example:6379')
    await address.blur()
    assert.equal(await address.inputValue(), 'redis://cache.example:6379')
    assert.equal(await password.inputValue(), 'a b')
    assert.equal(await note.isVisible(), true)
    await form.cancel()
  })

  it('offer calendar periods, which need no end', async () => {
    let form = await editor.edit('range')
    const end = form.body.locator('#node-input-to + .red-ui-typedInput-container')
    assert.ok(await end.isVisible())
    await form.body.getByRole('button', { name: 'Choose a day, week or month' }).click()
    const utcDays = form.body.locator('.envlog-utc-days')
    assert.match(await utcDays.innerText(), /UTC/)
    await utcDays.locator('button').click()
    assert.deepEqual([await utcDays.isVisible(), await form.field('time').inputValue()], [false, 'local'])
    await form.done()
    form = await editor.edit('range')
    assert.equal(await form.field('from').inputValue(), 'today')
    assert.equal(await end.isVisible(), false)
    await form.cancel()
  })

  it('offer a date and time picker', async () => {
    const form = await editor.edit('range')
    await typedInput(form, 'from', 'date')
    await form.body.locator('#node-input-from + div .red-ui-typedInput-option-expand').click()
    await editor.page.locator('.envlog-date-time').fill('2026-11-20T08:30')
    await form.field('name').focus()
    assert.equal(await form.field('from').inputValue(), '2026-11-20 08:30')
    await form.cancel()
  })

  it('accept devices from a message or the context, and show them again', async () => {
    let form = await editor.edit('latest')
    await form.select('msg')
    assert.equal(await form.duration('repeat').isVisible(), false, 'only messages cannot repeat')
    await typedInput(form, 'property', 'flow')
    await form.body.locator('.envlog-select-msg input.red-ui-typedInput-input').fill('plant.devices')
    await form.done()
    const { property, propertyType } = await editor.properties('latest')
    assert.deepEqual([property, propertyType], ['plant.devices', 'flow'])
    form = await editor.edit('latest')
    assert.equal(await form.field('property').inputValue(), 'plant.devices')
    assert.ok(await form.duration('repeat').isVisible())
    await form.cancel()
  })

  it('validate a choice with the typed values of other fields, and again when these change', async () => {
    const form = await editor.edit('latest')
    await form.unfold()
    await form.field('advance').selectOption('acknowledged')
    await form.field('send').selectOption('each')
    assert.match((await form.reason('advance')) ?? '', /Receipts need/)
    await form.field('send').selectOption('device')
    assert.equal(await form.reason('advance'), undefined)
    await form.cancel()
  })

  it('offer a start time for latest', async () => {
    const form = await editor.edit('latest')
    await form.unfold()
    const start = form.body.locator('#envlog-start + .red-ui-typedInput-container')
    await start.locator('button').first().click()
    await editor.page.locator('.red-ui-typedInput-options:visible [value="time"]').click()
    await start.locator('input:visible').fill('2026-01-01')
    await form.done()
    assert.equal((await editor.properties('latest')).start, '2026-01-01')
  })

  it('collapse rarely used settings, and show only those that apply', async () => {
    const form = await editor.edit('range')
    const areShown = async (expected: Record<string, boolean>) => {
      for (const [name, isShown] of Object.entries(expected))
        assert.equal(await form.field(name).isVisible(), isShown, name)
    }
    await areShown({ topic: false })
    const size = editor.page.viewportSize()
    await editor.page.setViewportSize({ width: 1400, height: 500 })
    await form.unfold()
    const summary = form.body.locator('details > summary').last()
    await until('they are scrolled to', () =>
      summary.evaluate((line) => {
        const form = line.closest('.red-ui-tray-content')?.getBoundingClientRect().top ?? 0
        return Math.abs(line.getBoundingClientRect().top - form) < 5
      }),
    )
    await editor.page.setViewportSize(size ?? { width: 1400, height: 1000 })
    await areShown({ topic: true, send: true, chunk: false, per: false, time: true })
    await form.field('send').selectOption('chunk')
    await areShown({ chunk: true })
    await form.field('output').selectOption('values')
    await areShown({ send: false, chunk: false })
    await form.field('output').selectOption('statistics')
    await areShown({ send: true, per: true, time: false })
    assert.match(await form.example(), /"localtime": "2026-11-19T17:00:00.000\+09:00"/)
    await form.cancel()
  })

  it('show the requests of a round, and suggest an interval within the quota', async () => {
    const form = await editor.edit('alerts')
    await form.unfold()
    const picker = await form.pick('exclude')
    await picker.whenListed()
    await picker.cancel()
    await form.whenShown('#node-input-select')
    await form.duration('repeat').fill('3600')
    const devices = harness.simulator.truth.current().length
    const round = `^One round needs ${devices} requests. A round lasts at least \\d h \\d+ min. `
    const share = 'This is 1\\d\\d% of the request limit \\(alerts\\).$'
    const { budget } = await form.preview()
    assert.match(budget, new RegExp(round + share), 'without those of a disabled flow')
    const remedy = form.body.locator('#envlog-remedy')
    const seconds = (devices / 12) * 3600
    assert.equal(await remedy.innerText(), `Use ${seconds / 60} min or more`)
    await remedy.click()
    assert.equal(await form.field('repeat').inputValue(), String(seconds))
    assert.equal(await form.duration('repeat').inputValue(), String(seconds / 60))
    assert.ok(!(await remedy.isVisible()))
    await form.field('repeat').locator('+ .envlog-duration select').selectOption('s')
    assert.match((await form.preview()).budget, /This is more than 10 times the request limit \(alerts\)\.$/)
    await form.cancel()
  })

  it('show durations in their largest unit, and save them in that of the property', async () => {
    let form = await editor.edit('latest')
    await form.unfold()
    await form.field('advance').selectOption('acknowledged')
    const unit = (name: string) => form.field(name).locator('+ .envlog-duration select')
    const shown = async (name: string) => [
      await form.duration(name).inputValue(),
      await unit(name).locator('option:checked').innerText(),
    ]
    assert.deepEqual(await shown('ackTimeout'), ['10', 'min'])
    assert.equal(await form.duration('wait').getAttribute('placeholder'), 'no limit')
    assert.match(
      (await form.duration('wait').getAttribute('aria-description')) ?? '',
      /^How long each request/,
    )
    await form.duration('repeat').fill('1,5')
    await unit('repeat').selectOption('h')
    await form.duration('ackTimeout').fill('0.5')
    assert.equal(await form.reason('ackTimeout'), undefined)
    await unit('ackTimeout').selectOption('s')
    assert.match(
      (await form.reason('ackTimeout')) ?? '',
      /^'Resend after' must be from 1 to 2,000,000 seconds/,
    )
    await form.duration('ackTimeout').fill('30')
    assert.equal(await form.reason('ackTimeout'), undefined)
    await form.done()
    const { repeat, ackTimeout } = await editor.properties('latest')
    assert.deepEqual([repeat, ackTimeout], ['5400', '30'])
    form = await editor.edit('latest')
    assert.deepEqual(await shown('repeat'), ['90', 'min'])
    await form.cancel()
  })

  it('show how much the first run sends at once', async () => {
    const form = await editor.edit('latest')
    const line = form.body.locator('#envlog-first-run')
    await line.filter({ hasText: /^On the first run: up to 300 records per device/ }).waitFor()
    await form.field('onlyNew').uncheck()
    assert.ok(!(await line.isVisible()))
    await form.cancel()
  })

  it('insert topic placeholders at the cursor', async () => {
    const form = await editor.edit('current')
    await form.unfold()
    const topic = form.field('topic')
    await topic.fill('a/b')
    await topic.press('ArrowLeft')
    await form.body.getByRole('button', { name: '{serial}' }).click()
    await editor.page.keyboard.type('!')
    assert.equal(await topic.inputValue(), 'a/{serial}!b')
    await form.cancel()
  })

  it("are found in the palette by what they measure, and link to the documentation, in the user's language", async () => {
    const japanese = await harness.open({ language: 'ja' })
    const { page } = japanese
    const search = page.locator('#red-ui-palette-search input')
    await search.fill('温度')
    await search.press('End')
    const found = page.locator('.red-ui-palette-node[data-palette-type^=envlog-]:visible')
    await until('the search finds them', async () => (await found.count()) === 5)
    const form = await japanese.edit('range')
    const address = await form.body.getByRole('link', { name: 'ドキュメント' }).getAttribute('href')
    const documentation = await (await fetch(`${harness.nodeRed.url}/${address}`)).text()
    assert.match(documentation, /<html lang="ja">/)
    assert.ok(documentation.includes(` id="${address?.split('#')[1]}"`), address ?? 'no link')
    await form.cancel()
  })

  it('choose the only account for a node that has none, or that is dropped into a flow', async () => {
    assert.equal((await editor.properties('no-account')).account, '', 'not changed by loading it')
    const unset = await editor.edit('no-account')
    await unset.done()
    assert.equal((await editor.properties('no-account')).account, 'account')
    const id = await editor.drop('envlog-alerts', { x: 400, y: 400 })
    assert.equal((await editor.properties(id)).account, 'account')
  })

  it("offer the context stores, with separate files first, and all time zones, the browser's first", async () => {
    const form = await editor.editAccount('account')
    await form.unfold()
    await form.field('store').locator('option').nth(1).waitFor({ state: 'attached' })
    const [files, store = ''] = await form.field('store').locator('option').allInnerTexts()
    assert.equal(files, 'files in the user directory')
    await form.field('store').selectOption(store)
    const own = await editor.page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone)
    const zones = form.body.locator('#envlog-zones option')
    assert.equal(await zones.first().getAttribute('value'), own)
    assert.ok((await zones.count()) > 100)
    await form.body.getByText(/^Rules of time zones: \d{4}\w+ \(Node\.js \d+\.\d+\.\d+\)$/).waitFor()
    await form.done()
    assert.equal((await editor.properties('account')).store, store)
  })

  it('can be used with the keyboard only', async () => {
    const { keyboard } = editor.page
    const form = await editor.edit('latest')
    await form.select('list')
    await form.field('select').focus()
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    const { picker } = form
    await picker.whenShown('.envlog-picker')
    await picker.whenListed()
    const focused = () => editor.page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
    const press = async (key: string, expected: RegExp) => {
      await keyboard.press(key)
      assert.match(await focused(), expected, key)
    }
    // Node-RED moves the focus shortly after its tray has opened.
    await until('the search has the focus', async () => (await focused()) === SEARCH)
    for (const next of [/^$/, /^$/, /^Request the list/, /^New York/]) await press('Tab', next)
    await press('ArrowDown', /^Freezer truck/)
    await press('ArrowLeft', /^New York/)
    assert.ok(!(await picker.row('Freezer truck').isVisible()), 'folded')
    await press('ArrowDown', /^Office/)
    await press('Space', /^Office/)
    await press('ArrowRight', /^Office/)
    // The devices of a chosen base unit are included, and cannot be changed separately.
    await press('ArrowDown', /^Old depot/)
    await keyboard.press('End')
    await keyboard.press('Space')
    assert.equal(await picker.count(), '2 chosen')
    await press('Tab', /^Type or paste/)
    await keyboard.type('52A10003')
    await keyboard.press('Control+Enter')
    await form.whenShown('#node-input-select')
    await form.whenChosen('devices', /^Office \(all devices\), .+, /)
    await until('the button has the focus', async () => (await focused()) === 'Choose devices and base units')

    await keyboard.press('Enter')
    await picker.whenShown('.envlog-picker')
    await picker.press('none')
    await keyboard.press('Escape')
    await form.whenShown('#node-input-select')
    await form.whenChosen('devices', /^Office \(all devices\), .+, /)
    await keyboard.press('Control+Escape')
    await form.element.waitFor({ state: 'detached' })
  })

  async function typedInput(form: ActionForm, name: string, type: string): Promise<void> {
    const button = form.body.locator(
      `#node-input-${name} + .red-ui-typedInput-container .red-ui-typedInput-type-select`,
    )
    const option = editor.page.locator(`.red-ui-typedInput-options:visible [value="${type}"]`)
    await button.click()
    await option.click()
    assert.equal(await form.field(`${name}Type`).inputValue(), type)
  }
})
