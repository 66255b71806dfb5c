import assert from 'node:assert/strict'
import { manualClock, type Simulator, startSimulator } from '../../../simulator'
import { oldRelay, rackA } from '../../support/devices'
import type { ActionForm } from '../../support/editor/action-form'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { editorAccount, editorFlow } from '../../support/editor/flow'
import type { Picker } from '../../support/editor/picker'
import type { FlowNode } from '../../support/node-red'
import { firstRuntime } from '../../support/runtimes'
import { until } from '../../support/wait'

const UNKNOWN = '99999999'

describe('the device picker', function () {
  this.timeout(ACTING_MS)
  // 4.1 and 5 differ in the first flow.
  const harness = useEditor(firstRuntime, { limits: 'off' })
  /** Services with few requests left, and with none. */
  let few: Simulator
  let none: Simulator
  let editor: Editor
  let form: ActionForm

  before('deploys one of each node', async () => {
    // Their time stands still, so what is used up stays so until the last test.
    const isStill = { windows: 'sliding', clock: manualClock(Date.now()) } as const
    few = await startSimulator(isStill)
    none = await startSimulator(isStill)
    few.spend('current', 7)
    none.spend('current', 10)
    const listed = { select: 'list', devices: [] }
    const flow = editorFlow(harness.simulator, { latest: listed, current: listed })
    const latest = flow.find(({ id }) => id === 'latest') as FlowNode
    await harness.nodeRed.deploy([
      ...flow,
      { ...latest, id: 'chosen', y: 400, devices: [{ serial: UNKNOWN }, rackA] },
      editorAccount(few, 'few', { name: 'Few' }),
      editorAccount(none, 'none', { name: 'None' }),
    ])
  })

  after(() => Promise.all([few?.close(), none?.close()]))

  beforeEach(async () => {
    editor = await harness.editor()
  })

  afterEach(() => harness.simulator.set({ faults: [] }))

  /** `latest` and `current` have no devices yet, `chosen` has an unknown one and a known one. */
  async function edit(name: 'latest' | 'current' | 'chosen'): Promise<void> {
    form = await editor.edit(name)
  }

  async function pick(which: Parameters<ActionForm['pick']>[0] = 'devices'): Promise<Picker> {
    const picker = await form.pick(which)
    await picker.whenListed()
    return picker
  }

  async function leave(picker: Picker, how: 'done' | 'cancel'): Promise<void> {
    await picker[how]()
    await form.whenShown('#node-input-select')
  }

  it('shows base units with their remote units, then standalone devices, with details of each', async () => {
    await edit('latest')
    const picker = await pick()
    assert.deepEqual(await picker.branches(), [
      'New York',
      'Office',
      'Old depot',
      '第2工場',
      'Standalone devices',
    ])
    const text = await picker.row('Freezer 1').innerText()
    assert.match(text, /52A10001/)
    assert.match(text, /-?\d+(?:\.\d)? °C, Sensor Error/)
    assert.match(text, /ago/)
    assert.match(await picker.row('Spare').innerText(), /no reading/)
    await leave(picker, 'cancel')
    await form.cancel()
  })

  it('finds by name, serial, model and group', async () => {
    await edit('latest')
    const picker = await pick()
    // Hits are visible, also in a folded branch.
    const branch = editor.page.locator('.envlog-branch', { hasText: 'Rack B' })
    await branch.locator('.envlog-fold').click()
    for (const [text, found] of [
      ['rack b', ['Rack B']],
      [oldRelay.serial.toLowerCase(), ['Archive, old relay']],
      ['M-540', ['St. John’s store']],
      ['cold store freezer', ['Freezer 1']],
      ['nothing at all', []],
    ] as const) {
      await picker.search(text)
      const isFound = async () => (await picker.leaves()).join() === found.join()
      await until(`found by ${text}`, isFound)
    }
    await leave(picker, 'cancel')
    await form.cancel()
  })

  it('selects all and none of what is listed, and shows a partial selection', async () => {
    await edit('latest')
    const picker = await pick()
    const standalone = picker.box('Standalone devices')
    await standalone.check()
    assert.ok(await picker.box('Freezer 1').isChecked())
    await picker.box('Freezer 1').uncheck()
    const isPart = (box: typeof standalone) => box.evaluate((one) => (one as HTMLInputElement).indeterminate)
    assert.equal(await isPart(standalone), true)
    await standalone.check()
    await standalone.uncheck()
    assert.equal(await picker.count(), '0 chosen')
    await picker.box('Rack B ').check()
    assert.equal(await isPart(picker.box('Office 5F0A1001')), true)
    await picker.press('all')
    assert.equal(await picker.count(), `${harness.simulator.truth.current().length} chosen`)
    await picker.press('none')
    assert.equal(await picker.count(), '0 chosen')
    await leave(picker, 'cancel')
    await form.cancel()
  })

  it('selects all hits, and nothing that is hidden', async () => {
    await edit('latest')
    const picker = await pick()
    await picker.search('rack')
    await until('it is found', async () => (await picker.leaves()).join() === 'Rack A,Rack B')
    await picker.press('all')
    assert.equal(await picker.count(), '2 chosen')
    await leave(picker, 'cancel')
    await form.cancel()
  })

  it('is summarised in the form by up to four names and the number of others', async () => {
    await edit('latest')
    const names = ['Rack B', 'Freezer 1', 'Meeting room', 'Spare', 'Workshop']
    const picker = await pick()
    for (const name of names.slice(0, 4)) await picker.box(`${name} `).first().check()
    await leave(picker, 'done')
    await form.whenChosen('devices', names.slice(0, 4).join(', '))
    const again = await pick()
    await again.box(`${names[4]} `).first().check()
    await leave(again, 'done')
    await form.whenChosen('devices', `${names.slice(0, 4).join(', ')} and 1 more`)
    await form.cancel()
  })

  it('accepts typed and pasted serial numbers; other words stay, with a reason', async () => {
    await edit('latest')
    const picker = await pick()
    await picker.typed.fill(`${UNKNOWN}, wrong\n${rackA.base}/${rackA.serial};short/52C10009`)
    await picker.press('add')
    assert.equal(
      await picker.wrong(),
      'These are not serial numbers: wrong, short/52C10009. Serial numbers have 8 letters and digits.',
    )
    assert.equal(await picker.typed.inputValue(), 'wrong short/52C10009')
    assert.equal(await picker.count(), '2 chosen')
    // *Done* does not close while an invalid word is left.
    await picker.element.locator('#node-dialog-ok').click()
    assert.ok(await picker.typed.isVisible())
    await picker.typed.fill('')
    await leave(picker, 'done')
    await form.whenChosen('devices', 'Rack A')
    assert.match(await form.gone('devices').innerText(), /99999999/)
    await form.done()
    assert.deepEqual((await editor.held('latest')).devices, [{ serial: UNKNOWN }, rackA])
  })

  it('marks and keeps chosen devices that are not in the account', async () => {
    await edit('chosen')
    const picker = await pick()
    assert.match(await picker.row(UNKNOWN).innerText(), /not in this account/)
    assert.ok(await picker.box(UNKNOWN).isChecked())
    assert.equal((await picker.branches()).at(-1), 'Not in this account')
    await leave(picker, 'done')
    await form.done()
    assert.deepEqual((await editor.held('chosen')).devices, [{ serial: UNKNOWN }, rackA])
  })

  it('changes nothing when it is cancelled', async () => {
    await edit('chosen')
    const picker = await pick()
    await picker.press('none')
    await leave(picker, 'cancel')
    await form.whenChosen('devices', 'Rack A')
    assert.match(await form.gone('devices').innerText(), /99999999/)
    await form.cancel()
  })

  it('accepts a mixed choice: a base unit with all its devices, and single devices', async () => {
    await edit('current')
    await form.select('list')
    const picker = await pick()
    assert.match(await picker.body.innerText(), /also those that are added to it later/)
    await picker.box('Rack B ').check()
    await picker.box('Office 5F0A1001').check()
    // The base unit includes its devices.
    assert.deepEqual(
      await Promise.all([picker.box('Rack B ').isChecked(), picker.box('Rack B ').isDisabled()]),
      [true, true],
    )
    await picker.box('Freezer 1').check()
    assert.equal(await picker.count(), '2 chosen')
    await leave(picker, 'done')
    await form.whenChosen('devices', 'Office (all devices), Freezer 1')
    await form.unfold()
    const excluded = await pick('exclude')
    await excluded.box('Rack B').check()
    await leave(excluded, 'done')
    await form.whenChosen('exclude', 'Rack B')
    assert.match((await form.preview()).sends, /Sends: 3 devices/)
    await form.done()
    const { bases, devices, exclude } = await editor.held('current')
    assert.deepEqual(
      [bases, devices, exclude],
      [['5F0A1001'], [{ serial: '52A10001', base: '52A10001' }], ['52C10009']],
    )
  })

  it('keeps a choice of another kind that is not used now', async () => {
    await edit('current')
    await form.select('list')
    const picker = await pick()
    await picker.box('Office 5F0A1001').check()
    await leave(picker, 'done')
    const before = await form.chosen('devices')
    assert.match(before, /\(all devices\)/)
    await form.select('all')
    await form.done()
    await edit('current')
    await form.select('list')
    await form.whenChosen('devices', before)
    await form.done()
  })

  it('selects groups, also with devices that are added later', async () => {
    await edit('latest')
    await form.select('group')
    const picker = await pick('groups')
    assert.match(await picker.body.innerText(), /added to a chosen group later are included automatically/)
    const names = new Set(harness.simulator.truth.devices().map(({ group }) => group.name))
    names.delete('')
    assert.deepEqual(new Set(await picker.branches()), names)
    await picker.box('Cold store').check()
    await picker.typed.fill('No such group')
    await leave(picker, 'done')
    await form.whenChosen('groups', 'Cold store')
    assert.match(await form.gone('groups').innerText(), /No such group/)
    await form.done()
    assert.deepEqual((await editor.held('latest')).groups, ['Cold store', 'No such group'])
  })

  it('finds devices by quantity, in the viewer’s language', async () => {
    await edit('latest')
    const picker = await pick()
    await picker.search('co2')
    const found = await picker.leaves()
    const measures = harness.simulator.truth
      .devices()
      .filter(({ channels }) => channels.some(({ unit }) => unit === 'ppm'))
    assert.deepEqual(new Set(found), new Set(measures.map(({ name }) => name)))
    await leave(picker, 'cancel')
    await form.cancel()
  })

  it('allows removing in the form what the account no longer has', async () => {
    await edit('chosen')
    const gone = form.gone('devices')
    assert.equal(await gone.locator('s').innerText(), UNKNOWN)
    await form.whenChosen('devices', 'Rack A')
    await gone.getByRole('button').click()
    assert.equal(await gone.locator('s').count(), 0)
    await form.done()
    assert.deepEqual((await editor.held('chosen')).devices, [rackA])
  })

  for (const { fault, reason } of [
    { fault: { kind: 'drop' }, reason: /The connection to the service broke/ },
    { fault: { kind: 'status', status: 401 }, reason: /refused the login/ },
    { fault: { kind: 'status', status: 503 }, reason: /service failed \(503\)/ },
  ] as const) {
    it(`shows why the request failed, and still accepts typed serial numbers: ${JSON.stringify(fault)}`, async () => {
      harness.simulator.set({ faults: [fault] })
      await edit('chosen')
      const picker = await form.pick('devices')
      await picker.press('refresh')
      assert.match(await picker.whenFailed(), reason)
      assert.ok(await picker.box(UNKNOWN).isChecked(), 'what was chosen stays')
      await picker.typed.fill('52A10003')
      await picker.press('add')
      assert.ok(await picker.box('52A10003').isChecked())
      await leave(picker, 'done')
      assert.match((await form.preview()).sends, /3 devices/)
      await form.cancel()
    })
  }

  it('shows the cost of a refresh if little quota is left', async () => {
    await edit('latest')
    await form.field('account').selectOption('few')
    const picker = await pick()
    await picker.press('refresh')
    const notice = picker.body.locator('.envlog-picker-state', { hasText: 'takes one request' })
    assert.match(await notice.innerText(), /; 1 is left\.$/)
    await leave(picker, 'cancel')
    await form.cancel()
  })

  it('shows until when it waits if the quota is used up', async () => {
    await edit('latest')
    await form.field('account').selectOption('none')
    const picker = await form.pick('devices')
    assert.match(await picker.whenFailed(), /Request limit reached. The next request is possible at \d/)
    await leave(picker, 'cancel')
    await form.cancel()
  })
})
