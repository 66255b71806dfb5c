import assert from 'node:assert/strict'
import { type DeviceDefinition, type Simulator, startSimulator } from '../../../simulator'
import { rackA } from '../../support/devices'
import type { ActionForm } from '../../support/editor/action-form'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { editorAccount, editorFlow } from '../../support/editor/flow'
import type { Picker } from '../../support/editor/picker'
import type { FlowNode } from '../../support/node-red'
import { firstRuntime } from '../../support/runtimes'
import { until } from '../../support/wait'

const UNKNOWN = '99999999'
const BASE_UNIT = '5F0A1009'
const MARKUP = `<b>A & B</b> "__count__" $t(x)`
// Node-RED's own search fails for the text `__proto__` in any node.
const hostileGroups = [MARKUP, 'constructor', ' ', 'a, b', '52A10001', '冷'.repeat(300)]

describe('the device picker and hard choices', function () {
  this.timeout(ACTING_MS)
  const harness = useEditor(firstRuntime, { limits: 'off' })
  let hard: Simulator
  let many: Simulator
  let editor: Editor

  before('deploys nodes with choices of all kinds', async () => {
    const base = { serial: '5F000001', name: MARKUP }
    const fleet: DeviceDefinition[] = hostileGroups.map((name, index) => ({
      serial: `5C00000${index}`,
      base,
      name,
      group: { num: 1, name },
    }))
    hard = await startSimulator({ limits: 'off', fleet })
    many = await startSimulator({ limits: 'off', devices: 500 })
    const chosen = {
      select: 'list',
      devices: [rackA, { serial: UNKNOWN }, { serial: UNKNOWN, base: BASE_UNIT }],
      bases: [BASE_UNIT],
      groups: ['Cold store'],
    }
    const flow = editorFlow(harness.simulator, { latest: chosen, current: { select: 'list', devices: [] } })
    const current = flow.find(({ id }) => id === 'current') as FlowNode
    const { groups: _groups, fieldNames: _names, ...older } = current
    await harness.nodeRed.deploy([
      ...flow,
      { ...older, id: 'old', y: 400, version: 1, output: 'points', devices: [rackA], bases: ['5F0A1001'] },
      { ...current, id: 'odd', y: 480, account: 'hard' },
      { ...current, id: 'large', y: 560, account: 'many' },
      editorAccount(hard, 'hard', { name: 'Hard' }),
      editorAccount(many, 'many', { name: 'Many' }),
    ])
  })

  after(() => Promise.all([hard?.close(), many?.close()]))

  async function pick(
    form: ActionForm,
    which: Parameters<ActionForm['pick']>[0] = 'devices',
  ): Promise<Picker> {
    const picker = await form.pick(which)
    await picker.whenListed()
    return picker
  }

  async function leave(form: ActionForm, picker: Picker, how: 'done' | 'cancel'): Promise<void> {
    await picker[how]()
    await form.whenShown('#node-input-select')
  }

  it('shows a node of version 1 as it was, and changes nothing in it by opening it', async () => {
    editor = await harness.editor()
    assert.match((await editor.node('old').textContent()) ?? '', /1 device\b/)
    const form = await editor.edit('old')
    assert.equal(await form.field('select').inputValue(), 'list')
    assert.doesNotMatch(await form.chosen('devices'), /all devices/)
    assert.equal(await form.field('fieldNames').inputValue(), 'channel', 'not blank')
    assert.match((await form.preview()).sends, /Sends: 1 device,/)
    await form.cancel()
    assert.ok(await editor.isAsLoaded())
    await (await editor.edit('old')).done()
    // Without base units that had no effect, these settings have the same meaning in both versions.
    const { select, devices, bases, groups, fieldNames, version } = await editor.held('old')
    assert.deepEqual(
      { select, devices, bases, groups, fieldNames, version },
      { select: 'list', devices: [rackA], bases: [], groups: [], fieldNames: 'channel', version: 1 },
    )
  })

  it('removes missing devices by keyboard, one after the other', async () => {
    editor = await harness.editor()
    const form = await editor.edit('latest')
    await leave(form, await pick(form), 'cancel')
    const gone = form.gone('devices')
    assert.deepEqual(await gone.locator('s').allInnerTexts(), [UNKNOWN, `${BASE_UNIT}/${UNKNOWN}`, BASE_UNIT])
    const { keyboard } = editor.page
    for (const left of [2, 1, 0]) {
      await form.body.locator('#envlog-devices > button').focus()
      await keyboard.press('Tab')
      await keyboard.press(left === 1 ? 'Space' : 'Enter')
      assert.equal(await gone.locator('s').count(), left)
      const focused = await editor.page.evaluate(() => document.activeElement?.parentElement?.id)
      assert.equal(focused, 'envlog-devices', 'the focus is not lost')
    }
    assert.equal(await gone.isVisible(), false)
    await form.done()
    const { devices, bases } = await editor.held('latest')
    assert.deepEqual([devices, bases], [[rackA], []])
  })

  it('keeps what was chosen of each kind while another is looked at', async () => {
    editor = await harness.editor()
    const form = await editor.edit('current')
    const choices = [
      ['list', 'devices', 'Office 5F0A1001', 'Office (all devices)'],
      ['base', 'bases', 'Old depot', 'Old depot'],
      ['group', 'groups', 'Cold store', 'Cold store'],
    ] as const
    for (const [select, which, box] of choices) {
      await form.select(select)
      const picker = await pick(form, which)
      await picker.box(box).first().check()
      await leave(form, picker, 'done')
    }
    for (const [select, which, , shown] of [...choices].reverse()) {
      await form.select('all')
      await form.select(select)
      await form.whenChosen(which, shown)
    }
    await form.done()
    const { select, devices, bases, groups } = await editor.held('current')
    assert.deepEqual([select, devices, bases, groups], ['list', [], ['5F0A1001'], ['Cold store']])
  })

  it('deselects all hits, and leaves a chosen base unit of which only a part is found', async () => {
    editor = await harness.editor()
    const form = await editor.edit('alerts')
    await form.select('list')
    const picker = await pick(form)
    await picker.box('Office 5F0A1001').check()
    await picker.search('rack b')
    await until('it is found', async () => (await picker.leaves()).join() === 'Rack B')
    await picker.press('none')
    assert.equal(await picker.count(), '1 chosen')
    await picker.search('')
    await until('all devices are shown', async () => (await picker.leaves()).length > 5)
    await picker.press('all')
    assert.ok(await picker.box('Office 5F0A1001').isChecked())
    await picker.press('none')
    assert.equal(await picker.count(), '0 chosen')
    await leave(form, picker, 'cancel')
    await form.cancel()
  })

  it('shows any name of a group or base unit as it is, and saves it', async () => {
    editor = await harness.editor()
    const form = await editor.edit('odd')
    await form.select('group')
    const picker = await pick(form, 'groups')
    assert.deepEqual(new Set(await picker.branches()), new Set(hostileGroups.map((name) => name.trim())))
    await picker.press('all')
    assert.equal(await picker.count(), `${hostileGroups.length} chosen`)
    await leave(form, picker, 'done')
    assert.equal(await form.gone('groups').isVisible(), false)
    assert.match((await form.preview()).sends, new RegExp(`Sends: ${hostileGroups.length} devices`))
    await form.select('list')
    const devices = await pick(form)
    await devices.box('5F000001').first().check()
    await leave(form, devices, 'done')
    await form.whenChosen('devices', `${MARKUP} (all devices)`)
    await form.select('group')
    await form.done()
    const { groups } = await editor.held('odd')
    assert.deepEqual(new Set(groups as string[]), new Set(hostileGroups))
  })

  it('lists, finds and chooses 500 devices', async () => {
    editor = await harness.editor()
    const form = await editor.edit('large')
    const picker = await pick(form)
    assert.equal((await picker.leaves()).length, 500)
    await picker.press('all')
    await picker.press('none')
    await picker.press('all')
    assert.match(await picker.count(), /^500 chosen$/)
    await picker.search('temperature')
    await until('some are found', async () => (await picker.leaves()).length < 501)
    await picker.search('')
    await leave(form, picker, 'done')
    await form.whenChosen('devices', /and 496 more$/)
    await form.done()
    assert.equal(((await editor.held('large')).devices as unknown[]).length, 500)
  })

  it('can be used by keyboard, also if the focused item is folded or filtered out', async () => {
    editor = await harness.editor()
    const form = await editor.edit('old')
    const picker = await pick(form)
    const { keyboard } = editor.page
    const focused = () => editor.page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
    await picker.typed.fill(UNKNOWN)
    await picker.press('add')
    await picker.box(UNKNOWN).focus()
    await keyboard.press('ArrowLeft')
    assert.match(await focused(), new RegExp(UNKNOWN), 'a branch without a box is not folded under the focus')
    await picker.search('cold store freezer')
    await until('it is found', async () => (await picker.leaves()).join() === 'Freezer 1')
    await picker.body.locator('[data-envlog=search]').focus()
    const found = []
    for (let tabs = 0; tabs < 6; tabs++) {
      await keyboard.press('Tab')
      found.push(await focused())
    }
    assert.ok(
      found.some((name) => /Standalone devices|Freezer 1/.test(name)),
      `what is found can be reached: ${found}`,
    )
    await picker.search('')
    await until('all devices are shown', async () => (await picker.leaves()).length > 5)
    await picker.box('Freezer 1').focus()
    await picker.body.locator('.envlog-branch', { hasText: 'Freezer 1' }).locator('.envlog-fold').click()
    const first = picker.body.locator('input[type=checkbox][tabindex="0"]')
    assert.equal(await first.count(), 1)
    assert.ok(await first.isVisible(), 'one that is seen is in the order of tabs')
    await leave(form, picker, 'cancel')
    await form.cancel()
  })

  it('finds by quantity in Japanese', async () => {
    editor = await harness.open({ language: 'ja' })
    const form = await editor.edit('alerts')
    await form.select('list')
    const picker = await pick(form)
    const all = (await picker.leaves()).length
    await picker.search('CO2 濃度')
    await until('few are found', async () => (await picker.leaves()).length < all)
    const measures = harness.simulator.truth
      .devices()
      .filter(({ channels }) => channels.some(({ unit }) => unit === 'ppm'))
    assert.deepEqual(new Set(await picker.leaves()), new Set(measures.map(({ name }) => name)))
    await leave(form, picker, 'cancel')
    await form.cancel()
  })
})
