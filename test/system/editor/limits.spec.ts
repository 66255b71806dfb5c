import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import type { ActionForm } from '../../support/editor/action-form'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { editorAlarms, editorFlow, editorLimits } from '../../support/editor/flow'
import { otherRuntime } from '../../support/runtimes'
import { until } from '../../support/wait'

declare const RED: {
  nodes: { node(id: string): { validationErrors?: string[] }; dirty(): boolean }
  history: { pop(): void }
}

const NEW_LIMIT = {
  name: '',
  select: 'all',
  devices: [],
  bases: [],
  groups: [],
  quantity: 'temperature',
  channel: null,
  above: null,
  below: null,
  unit: 'C',
  minutes: 0,
  margin: 0,
}
const SAVED = ['first', 'second', 'third'].map((name, above) => ({ ...NEW_LIMIT, name, above }))
const sentenceOf = (name: string, above: number) => `${name}: temperature of all devices above ${above} °C`
const [FIRST, SECOND, THIRD] = SAVED.map(({ name, above }) => sentenceOf(name, above))

describe('the form of limits', function () {
  this.timeout(ACTING_MS)
  const harness = useEditor(otherRuntime)
  let editor: Editor
  let form: ActionForm

  before('deploys nodes with and without limits', async () => {
    const empty = editorLimits([], { id: 'empty' })
    const wrong = { name: 7, above: '8', quantity: 'x', devices: [5], bases: {}, select: null, more: true }
    const { type } = editorLimits([])
    const bare = { type, id: 'bare', account: 'account', limits: [{ above: 8 }] }
    const damaged = editorLimits([wrong, null], { id: 'damaged' })
    await harness.nodeRed.deploy([
      ...editorFlow(harness.simulator),
      editorLimits(SAVED),
      empty,
      damaged,
      bare,
      editorAlarms(),
    ])
  })

  beforeEach(async () => {
    editor = await harness.editor()
  })

  const row = (at: number) => form.body.locator('.envlog-limits-table li').nth(at)
  const line = (at: number) => row(at).locator('.envlog-limit-line')
  const field = (at: number, name: string) =>
    row(at).locator(`[data-limit=${name}]${name === 'minutes' ? ' + .envlog-duration input' : ''}`)
  const problem = (at: number) => row(at).locator('.envlog-limit-problem').innerText()
  const sentences = () => form.body.locator('.envlog-limit-line').allInnerTexts()
  const limitsOf = async (id: string) => (await editor.properties(id)).limits

  async function add(): Promise<void> {
    await form.body.locator('.red-ui-editableList-addButton').click()
  }

  async function drag(from: Locator, to: Locator): Promise<void> {
    const { mouse } = editor.page
    const [start, end] = [await from.boundingBox(), await to.boundingBox()]
    assert.ok(start && end)
    await mouse.move(start.x + 5, start.y + 5)
    await mouse.down()
    await mouse.move(start.x + 5, start.y + 15)
    await mouse.move(start.x + 5, end.y + end.height - 1, { steps: 5 })
    await mouse.up()
  }

  it('edits a new row at once, names its problem while typing, and saves numbers', async () => {
    form = await editor.editLimits('empty')
    await add()
    assert.equal(await problem(0), "Enter 'Above', 'Below' or both.")
    await field(0, 'name').fill('above')
    assert.equal(await problem(0), "'above' is a reserved name. Choose another name.")
    for (const [name, value] of Object.entries({
      name: 'too warm',
      above: '−15,0',
      minutes: '10',
      margin: '1',
    }))
      await field(0, name).fill(value)
    assert.equal(await problem(0), '')
    await field(0, 'done').click()
    const sentence = 'too warm: temperature of all devices above -15 °C for 10 min, back at -16 °C'
    assert.deepEqual(await sentences(), [sentence])
    await form.done()
    const saved = [{ ...NEW_LIMIT, name: 'too warm', above: -15, minutes: 10, margin: 1 }]
    assert.deepEqual(await limitsOf('empty'), saved)
    form = await editor.editLimits('empty')
    assert.deepEqual(await sentences(), [sentence])
    await form.cancel()
    await editor.page.evaluate(() => RED.history.pop())
    assert.deepEqual(await limitsOf('empty'), [], 'undone')
  })

  it('keeps a wrong number, so that the limit stays wrong', async () => {
    form = await editor.editLimits('limits')
    await line(0).click()
    for (const [name, value] of Object.entries({ above: '8.5 °C', minutes: 'ten' }))
      await field(0, name).fill(value)
    assert.equal(await problem(0), "'Above' must be a number such as -5.5.")
    await form.done()
    form = await editor.editLimits('limits')
    assert.equal(await problem(0), "'Above' must be a number such as -5.5.")
    assert.equal((await sentences())[0], 'first: temperature of all devices above … °C')
    await form.cancel()
    const [limit] = (await limitsOf('limits')) as { above: unknown; minutes: unknown }[]
    assert.deepEqual([limit?.above, limit?.minutes], ['8.5 °C', 'ten'])
    await editor.page.evaluate(() => RED.history.pop())
  })

  it('keeps the defaults of properties that another program has left out', async () => {
    form = await editor.editLimits('bare')
    await form.done()
    const { errorAfter, silentAfter, battery } = await editor.properties('bare')
    assert.deepEqual([Number(errorAfter), Number(silentAfter), battery], [10, 90, true])
  })

  it('says if Silent for is too short for the devices whose messages arrive', async () => {
    await editor.page.route('**/envlog/limits/limits/interval', (route) =>
      route.fulfill({ json: { minutes: 60 } }),
    )
    form = await editor.editLimits('limits')
    const hint = form.body.locator('#envlog-silent-hint')
    await hint.filter({ hasText: 'Loggers here send every 1 h: choose more than 2 h.' }).waitFor()
    await form.duration('silentAfter').fill('150')
    await hint.waitFor({ state: 'hidden' })
    await form.cancel()
  })

  it('leaves saved rows as they are, and repairs damaged ones', async () => {
    form = await editor.editLimits('limits')
    for (const at of [0, 1, 2]) await line(at).click()
    await field(1, 'done').click()
    await form.done()
    assert.equal(await editor.page.evaluate(() => RED.nodes.dirty()), false)
    form = await editor.editLimits('damaged')
    assert.deepEqual(await sentences(), [sentenceOf('7', 8), 'temperature of all devices …'])
    await form.done()
    assert.deepEqual(await limitsOf('damaged'), [
      { ...NEW_LIMIT, name: '7', above: 8, quantity: null },
      { ...NEW_LIMIT, quantity: null },
    ])
  })

  it('duplicates, moves and removes rows, also with the keyboard', async () => {
    const { keyboard } = editor.page
    form = await editor.editLimits('limits')
    await line(0).focus()
    await keyboard.press('Enter')
    await field(0, 'duplicate').click()
    assert.match(await problem(1), /^This limit never applies/)
    await keyboard.press('End')
    await keyboard.type(' copy')
    assert.equal(await problem(1), '')
    await field(1, 'done').click()
    const copy = sentenceOf('first copy', 0)
    assert.deepEqual(await sentences(), [FIRST, copy, SECOND, THIRD])
    await keyboard.press('Alt+ArrowDown')
    await keyboard.press('Alt+ArrowDown')
    await keyboard.press('Alt+ArrowUp')
    assert.deepEqual(await sentences(), [FIRST, SECOND, copy, THIRD])
    await drag(row(0).locator('.red-ui-editableList-item-handle'), row(2))
    assert.deepEqual(await sentences(), [SECOND, copy, FIRST, THIRD])
    await row(1).getByLabel('Delete').click()
    await form.done()
    assert.deepEqual(await limitsOf('limits'), [SAVED[1], SAVED[0], SAVED[2]])
  })

  it('chooses devices with the picker, or channels by their number', async () => {
    form = await editor.editLimits('empty')
    await add()
    await field(0, 'select').selectOption('list')
    assert.equal(await problem(0), 'No device is chosen.')
    await field(0, 'chosen').locator('> button').click()
    await form.picker.whenShown('.envlog-picker')
    await form.picker.whenListed()
    await form.picker.box('Freezer 1').first().check()
    await form.picker.done()
    await form.whenShown('#node-config-input-account')
    await field(0, 'below').fill('2.5')
    await field(0, 'quantity').selectOption('channel')
    await field(0, 'channel').fill('')
    assert.match(await problem(0), /^'Channel' must be a whole number/)
    await field(0, 'channel').fill('2')
    await until('it is named', async () => (await line(0).innerText()) === 'channel 2 of Freezer 1 below 2.5')
    await form.done()
    const devices = [{ serial: '52A10001', base: '52A10001' }]
    const expected = { ...NEW_LIMIT, select: 'list', devices, quantity: null, channel: 2, below: 2.5 }
    assert.deepEqual(await limitsOf('empty'), [expected])
  })

  it('marks the node with its first problem', async () => {
    form = await editor.editLimits('limits')
    await line(1).click()
    await field(1, 'below').fill('5')
    await form.done()
    const errors = await editor.page.evaluate(() => RED.nodes.node('limits').validationErrors)
    assert.deepEqual(errors, ["Limit 2: 'Above' must be greater than 'Below'."])
  })

  it('saves where the limits come from, if not from rows, and keeps the rows', async () => {
    form = await editor.editLimits('limits')
    const source = form.body.locator('#envlog-limits-source + .red-ui-typedInput-container')
    const choose = async (type: string) => {
      await source.locator('button').first().click()
      await editor.page.locator(`.red-ui-typedInput-options:visible [value="${type}"]`).click()
      assert.equal(await form.field('limitsType').inputValue(), type)
    }
    await choose('global')
    assert.equal(await row(0).isVisible(), false)
    await source.locator('input:visible').fill('plant.limits')
    await form.done()
    const { limits, limitsType, rows } = await editor.properties('limits')
    assert.deepEqual([limits, limitsType, rows], ['plant.limits', 'global', SAVED])
    form = await editor.editLimits('limits')
    assert.equal(await source.locator('input:visible').inputValue(), 'plant.limits')
    await choose('table')
    assert.deepEqual(await sentences(), [FIRST, SECOND, THIRD])
    await form.done()
    const again = await editor.properties('limits')
    assert.deepEqual([again.limits, again.limitsType, again.rows], [SAVED, 'table', []])
  })

  it('opens from the node with its alarms, which shows an example of each output', async () => {
    form = await editor.edit('alarms')
    await form.body.locator('#node-input-btn-limits-edit').click()
    await form.whenShown('#node-config-input-battery')
    await form.done()
    await form.whenShown('#node-input-output')
    await form.field('send').selectOption('all')
    assert.match(
      await form.example(),
      /"payload": "Freezer 3, Inside: too warm, above -15 °C for 12 minutes, now .*\\nFreezer 4/,
    )
    assert.equal(await form.field('latch').isVisible(), false)
    await form.field('output').selectOption('states')
    assert.match(await form.body.locator('#envlog-sample').innerText(), /"payload": true/)
    assert.deepEqual(
      [await form.field('send').isVisible(), await form.field('latch').isVisible()],
      [false, true],
    )
    await form.field('latch').check()
    await form.field('output').selectOption('summary')
    assert.match(await form.body.locator('#envlog-sample').innerText(), /"unacknowledged": 2/)
    await form.field('output').selectOption('states')
    await form.done()
    const { output, latch } = await editor.properties('alarms')
    assert.deepEqual([output, latch], ['states', true])
  })
})
