import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import type { ActionForm } from '../../support/editor/action-form'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { editorFlow } from '../../support/editor/flow'
import { firstRuntime } from '../../support/runtimes'
import { until } from '../../support/wait'

describe('*Try now* in the forms', function () {
  this.timeout(ACTING_MS)
  const harness = useEditor(firstRuntime)
  let editor: Editor

  before('deploys one of each node', () => harness.nodeRed.deploy(editorFlow(harness.simulator)))

  beforeEach('opens the editor', async () => {
    editor = await harness.editor()
  })

  const button = (form: ActionForm) => form.body.getByRole('button', { name: 'Try now' })
  const line = (form: ActionForm, text: string | RegExp): Locator =>
    form.body.locator('#envlog-try-lines').getByText(text)
  const sample = (form: ActionForm) => form.body.locator('#envlog-sample').innerText()
  const stateFiles = () => {
    const folder = join(harness.nodeRed.userDir, 'envlog')
    return existsSync(folder) ? readdirSync(folder, { recursive: true }).toSorted() : []
  }

  it('shows the message for the settings in the form until one changes, and saves nothing', async () => {
    const before = stateFiles()
    const form = await editor.edit('latest')
    await form.field('output').selectOption('rows')
    await button(form).click()
    await line(
      form,
      /^ ?From the service at .+ 2 requests used \(1 for the device list\), \d+ left\.$/,
    ).waitFor()
    await line(form, /^ ?Device 1 of 14: /).waitFor()
    const words = form.body.locator('.envlog-try-words li')
    assert.match(await words.first().innerText(), /^\S.+ · -?[\d.]+ °C.* · \d+ (?:sec|min)\. ago$/)
    assert.equal(await words.last().innerText(), 'and 290 more')
    await line(form, 'As if the node had sent nothing before.').waitFor()
    const message = JSON.parse(await sample(form))
    assert.equal(message.envlog.account, 'Plant A')
    assert.equal(message.payload.length, 21)
    await form.field('output').selectOption('readings')
    assert.equal(await form.body.locator('#envlog-try-lines').innerText(), '')
    assert.equal(JSON.parse(await sample(form)).payload.serial, '5212A1B2', 'the example again')
    await form.cancel()
    assert.deepEqual(stateFiles(), before)
  })

  it('asks before it uses a request for alerts', async () => {
    const form = await editor.edit('alerts')
    const alerts = () => harness.simulator.log.filter(({ endpoint }) => endpoint === 'alert').length
    await button(form).click()
    await line(form, 'The account allows 12 requests for alerts in 1 h.').waitFor()
    await form.body.getByRole('button', { name: 'Cancel', exact: true }).click()
    assert.equal(await form.body.locator('#envlog-try-lines').innerText(), '')
    assert.equal(alerts(), 0)
    await button(form).click()
    await form.body.getByRole('button', { name: 'Use one now' }).click()
    await form.body.locator('#envlog-try-lines .fa-check, #envlog-try-lines .fa-times').waitFor()
    assert.equal(alerts(), 1)
    await form.cancel()
  })

  it('says what prevents a request', async () => {
    const { log } = harness.simulator
    const requests = log.length
    const form = await editor.edit('current')
    await form.select('list')
    await button(form).click()
    await line(form, 'No device is chosen.').waitFor()
    await form.select('msg')
    await button(form).click()
    await line(form, /^ ?The devices or times come with a message/).waitFor()
    await form.select('all')
    await form.duration('repeat').fill('often')
    await button(form).click()
    await line(form, /'Repeat every' must be from 0 to 2,000,000 seconds/).waitFor()
    assert.equal(log.length, requests)
    await form.cancel()
  })

  it('ignores clicks during a request, which ends with the form', async () => {
    const { simulator } = harness
    simulator.set({ faults: [{ kind: 'delay', delay: 600_000 }] })
    const requests = simulator.log.length
    const form = await editor.edit('current')
    await button(form).click()
    await line(form, 'Requesting …').waitFor()
    assert.ok(await button(form).isDisabled())
    const running = async () => {
      const url = `${harness.nodeRed.url}/envlog/accounts/account/quota`
      return ((await (await fetch(url)).json()) as { running: number }).running
    }
    await until('the request runs', async () => (await running()) === 1)
    await form.cancel()
    await until('the request ends', async () => (await running()) === 0)
    assert.ok(simulator.log.length <= requests + 1)
    simulator.set({ faults: [] })
  })
})
