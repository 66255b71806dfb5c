import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
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

describe('the device picker', function () {
  this.timeout(ACTING_MS)
  // 4.1 and 5 are compared in the first flow.
  const harness = useEditor(firstRuntime, { limits: 'off' })
  let others: Record<'hard' | 'many', Simulator>
  let editor: Editor
  let form: ActionForm

  before('deploys nodes with choices of all kinds', async () => {
    const hard: DeviceDefinition[] = hostileGroups.map((name, index) => ({
      serial: `5C00000${index}`,
      base: { serial: '5F000001', name: MARKUP },
      name,
      group: { num: 1, name },
    }))
    others = {
      hard: await startSimulator({ limits: 'off', fleet: hard }),
      many: await startSimulator({ limits: 'off', devices: 500 }),
    }
    const listed = { select: 'list', devices: [] }
    const flow = editorFlow(harness.simulator, { latest: listed, current: listed, alerts: listed })
    const latest = flow.find(({ id }) => id === 'latest') as FlowNode
    const devices = [rackA, { serial: UNKNOWN }, { serial: UNKNOWN, base: BASE_UNIT }]
    await harness.nodeRed.deploy([
      ...flow,
      { ...latest, id: 'gone', y: 400, devices, bases: [BASE_UNIT] },
      { ...latest, id: 'hard', y: 480, account: 'account-hard' },
      { ...latest, id: 'many', y: 560, account: 'account-many' },
      ...Object.entries(others).map(([name, other]) => editorAccount(other, `account-${name}`, { name })),
    ])
  })

  after(() => Promise.all(Object.values(others ?? {}).map((other) => other.close())))

  beforeEach(async () => {
    editor = await harness.editor()
  })

  async function pick(which: Parameters<ActionForm['pick']>[0] = 'devices'): Promise<Picker> {
    const picker = await form.pick(which)
    await picker.whenListed()
    return picker
  }

  async function leave(picker: Picker, how: 'done' | 'cancel'): Promise<void> {
    await picker[how]()
    await form.whenShown('#node-input-select')
  }

  const finds = (picker: Picker, names: readonly string[]) =>
    until(`found: ${names}`, async () => (await picker.leaves()).toSorted().join() === names.join())

  it('shows details of each device, and selects exactly those that a search finds', async () => {
    form = await editor.edit('latest')
    const picker = await pick()
    const freezer = await picker.row('Freezer 1').innerText()
    assert.match(freezer, /52A10001.*-?\d+(?:\.\d)? °C, Sensor Error.*ago/s)
    await picker.body.locator('.envlog-branch', { hasText: 'Rack B' }).locator('.envlog-fold').click()
    await picker.search('rack')
    await finds(picker, ['Rack A', 'Rack B'])
    await picker.press('all')
    assert.equal(await picker.count(), '2 chosen')
    // Some browsers do not clear the search themselves.
    const search = picker.body.locator('[data-envlog=search]')
    await search.dispatchEvent('keydown', { key: 'Escape' })
    assert.equal(await search.inputValue(), '')
    assert.ok((await picker.leaves()).length > 2)
    await leave(picker, 'cancel')
    await form.cancel()
  })

  it('selects all and none of the listed devices, and shows a partial selection', async () => {
    form = await editor.edit('latest')
    const picker = await pick()
    const standalone = picker.box('Standalone devices')
    await standalone.check()
    assert.ok(await picker.box('Freezer 1').isChecked())
    await picker.box('Freezer 1').uncheck()
    const isPart = (box: Locator) => box.evaluate((one) => (one as HTMLInputElement).indeterminate)
    assert.ok(await isPart(standalone))
    await picker.press('all')
    assert.equal(await picker.count(), `${harness.simulator.truth.current().length} chosen`)
    await picker.press('none')
    assert.equal(await picker.count(), '0 chosen')
    await picker.box('Rack B ').check()
    assert.ok(await isPart(picker.box('Office 5F0A1001')))
    await leave(picker, 'cancel')
    await form.cancel()
  })

  it('accepts typed and pasted serial numbers; other words stay, with a reason', async () => {
    form = await editor.edit('latest')
    const picker = await pick()
    await picker.whenListed()
    await picker.typed.fill(`${UNKNOWN}, wrong\n${rackA.base}/${rackA.serial};short/52C10009`)
    await picker.press('add')
    assert.match(await picker.wrong(), /^These are not serial numbers: wrong, short\/52C10009\./)
    assert.ok((await picker.wrong()).endsWith(`Added, but not in this account: ${UNKNOWN}.`))
    assert.equal(await picker.typed.inputValue(), 'wrong short/52C10009')
    // *Done* does not close it as long as there is an invalid word.
    await picker.element.locator('#node-dialog-ok').click()
    await picker.typed.fill('')
    await leave(picker, 'done')
    await form.whenChosen('devices', 'Rack A')
    await form.done()
    assert.deepEqual((await editor.properties('latest')).devices, [{ serial: UNKNOWN }, rackA])
  })

  it('keeps chosen devices that are not in the account until they are removed, with the keyboard', async () => {
    form = await editor.edit('gone')
    const picker = await pick()
    assert.match(await picker.row(UNKNOWN).first().innerText(), /not in this account/)
    await leave(picker, 'cancel')
    const gone = form.missing('devices')
    assert.deepEqual(await gone.locator('s').allInnerTexts(), [UNKNOWN, `${BASE_UNIT}/${UNKNOWN}`, BASE_UNIT])
    for (const left of [2, 1, 0]) {
      await form.body.locator('#envlog-devices > button').focus()
      await editor.page.keyboard.press('Tab')
      await editor.page.keyboard.press('Enter')
      assert.equal(await gone.locator('s').count(), left)
      const focused = await editor.page.evaluate(() => document.activeElement?.parentElement?.id)
      assert.equal(focused, 'envlog-devices', 'the focus is not lost')
    }
    await form.done()
    const { devices, bases } = await editor.properties('gone')
    assert.deepEqual([devices, bases], [[rackA], []])
  })

  it('accepts a base unit with all its devices together with single devices, and exclusions', async () => {
    form = await editor.edit('current')
    const picker = await pick()
    const rackB = picker.box('Rack B ')
    await rackB.check()
    await picker.box('Office 5F0A1001').check()
    // The base unit includes its devices.
    assert.deepEqual([await rackB.isChecked(), await rackB.isDisabled()], [true, true])
    await picker.box('Freezer 1').check()
    await leave(picker, 'done')
    await form.whenChosen('devices', 'Office (all devices), Freezer 1')
    await form.unfold()
    const excluded = await pick('exclude')
    await excluded.box('Rack B').check()
    await leave(excluded, 'done')
    await form.whenChosen('exclude', 'Rack B')
    assert.match((await form.preview()).sends, /Sends: 3 devices/)
    await form.done()
    const { bases, devices, exclude } = await editor.properties('current')
    const freezer = { serial: '52A10001', base: '52A10001' }
    assert.deepEqual([bases, devices, exclude], [['5F0A1001'], [freezer], ['52C10009']])
  })

  it('keeps the choice of each kind while another one is shown', async () => {
    form = await editor.edit('alerts')
    const choices = [
      { select: 'list', which: 'devices', box: 'Office 5F0A1001', shown: 'Office (all devices)' },
      { select: 'base', which: 'bases', box: 'Old depot', shown: 'Old depot' },
      { select: 'group', which: 'groups', box: 'Cold store', shown: 'Cold store' },
    ] as const
    for (const { select, which, box } of choices) {
      await form.select(select)
      const picker = await pick(which)
      await picker.box(box).first().check()
      await leave(picker, 'done')
    }
    for (const { select, which, shown } of choices) {
      await form.select(select)
      await form.whenChosen(which, shown)
    }
    await form.done()
    const { devices, bases, groups } = await editor.properties('alerts')
    assert.deepEqual([devices, bases, groups], [[], ['5F0A1001'], ['Cold store']])
  })

  it('shows any name of a group or base unit unchanged, and saves it', async () => {
    form = await editor.edit('hard')
    await form.select('group')
    const picker = await pick('groups')
    assert.deepEqual(new Set(await picker.branches()), new Set(hostileGroups.map((name) => name.trim())))
    await picker.press('all')
    await leave(picker, 'done')
    assert.match((await form.preview()).sends, new RegExp(`Sends: ${hostileGroups.length} devices`))
    await form.select('list')
    const devices = await pick()
    await devices.box('5F000001').first().check()
    await leave(devices, 'done')
    await form.whenChosen('devices', `${MARKUP} (all devices)`)
    await form.done()
    assert.deepEqual(new Set((await editor.properties('hard')).groups as string[]), new Set(hostileGroups))
  })

  it('lists and chooses 500 devices, and scrolls through them', async () => {
    form = await editor.edit('many')
    const picker = await pick()
    assert.equal((await picker.leaves()).length, 500)
    const scrolls = await picker.body.evaluate((body) =>
      [body, body.parentElement].some((one) => one && one.scrollHeight > one.clientHeight),
    )
    assert.equal(scrolls, false, "no scroll bar other than the tree's")
    await picker.press('all')
    await leave(picker, 'done')
    await form.whenChosen('devices', /and 496 more$/)
    await form.cancel()
  })

  it('shows why a request failed, and still accepts typed serial numbers', async () => {
    harness.simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    try {
      form = await editor.edit('gone')
      const picker = await form.pick('devices')
      await picker.press('refresh')
      assert.match(await picker.whenFailed(), /service failed \(503\)/)
      await picker.typed.fill('52A10003')
      await picker.press('add')
      assert.ok(await picker.box('52A10003').isChecked())
      await leave(picker, 'done')
      await form.cancel()
    } finally {
      harness.simulator.set({ faults: [] })
    }
  })
})
