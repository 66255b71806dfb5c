import assert from 'node:assert/strict'
import { oldRelay, rackA } from '../../support/devices'
import type { ActionForm } from '../../support/editor/action-form'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useRoom } from '../../support/editor/room'
import { runtimes } from '../../support/runtimes'
import { until } from '../../support/wait'

const UNKNOWN = '99999999'

describe('the device picker', function () {
  this.timeout(ACTING_MS)
  // Its 4.1 and 5 differ in what the first flow shows.
  const room = useRoom(runtimes[0] as (typeof runtimes)[number], { limitsClock: 'real' })
  let editor: Editor
  let form: ActionForm
  let latest: string
  let current: string

  before('makes a flow with an account', async () => {
    editor = await room.open()
    latest = await editor.drop('envlog-latest', { x: 200, y: 60 })
    current = await editor.drop('envlog-current', { x: 200, y: 140 })
    form = await editor.edit(latest)
    const account = await form.addAccount()
    await account.fill({ baseUrl: room.simulator.url })
    await account.fillLogin(room.simulator.account)
    await account.done()
    await form.whenShown('#node-input-select')
    await form.select('list')
  })

  beforeEach(() => room.simulator.set({ faults: [] }))

  it('shows base units with their remote units, then standalone devices, with what tells them apart', async () => {
    const picker = await form.pick('devices')
    await picker.whenListed()
    assert.deepEqual(await picker.branches(), [
      'New York',
      'Office',
      'Old depot',
      '第2工場',
      'Standalone devices',
    ])
    const text = await picker.row('Freezer 1').innerText()
    assert.match(text, /52A10001/)
    assert.match(text, /-?\d+\.\d °C · Sensor Error/)
    assert.match(text, /ago/)
    assert.match(await picker.row('Spare').innerText(), /no reading/)
  })

  it('finds by name, serial, model and group', async () => {
    const { picker } = form
    // What is found is seen, folded or not.
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
    await picker.search('')
  })

  it('chooses all and none of a base unit, and tells when it is a part', async () => {
    const { picker } = form
    const office = picker.box('Office 5F0A1001')
    await office.check()
    for (const name of ['Rack A', 'Rack B'])
      assert.ok(await picker.box(`${name} 52C`).first().isChecked(), name)
    await picker.box('Rack B ').uncheck()
    assert.equal(await office.evaluate((box) => (box as HTMLInputElement).indeterminate), true)
    await office.check()
    await office.uncheck()
    assert.equal(await picker.count(), '0 chosen')
    await picker.press('all')
    assert.equal(await picker.count(), `${room.simulator.truth.current().length} chosen`)
    await picker.press('none')
    assert.equal(await picker.count(), '0 chosen')
  })

  it('takes what is typed and pasted; what is no serial number stays, with a reason', async () => {
    const { picker } = form
    await picker.typed.fill(`${UNKNOWN}, wrong\n${rackA.base}/${rackA.serial};short/52C10009`)
    await picker.press('add')
    assert.equal(
      await picker.wrong(),
      'No serial numbers: wrong, short/52C10009. They have 8 letters and digits.',
    )
    assert.equal(await picker.typed.inputValue(), 'wrong short/52C10009')
    assert.equal(await picker.count(), '2 chosen')
    // *Done* with a wrong word left does not close.
    await picker.element.locator('#node-dialog-ok').click()
    assert.ok(await picker.typed.isVisible())
    await picker.typed.fill('')
    await picker.done()
    await form.whenShown('#node-input-select')
    assert.equal(await form.chosen('devices'), `${UNKNOWN}, Rack A`)
  })

  it('marks what was chosen and is not in the account, and keeps it', async () => {
    const picker = await form.pick('devices')
    await picker.whenListed()
    assert.match(await picker.row(UNKNOWN).innerText(), /not in the account/)
    assert.ok(await picker.box(UNKNOWN).isChecked())
    assert.equal((await picker.branches()).at(-1), 'Not in the account')
    await picker.done()
    await form.whenShown('#node-input-select')
    await form.done()
    assert.deepEqual((await editor.held(latest)).devices, [{ serial: UNKNOWN }, rackA])
  })

  it('leaves all as it was when it is cancelled', async () => {
    form = await editor.edit(latest)
    const picker = await form.pick('devices')
    await picker.whenListed()
    await picker.press('none')
    await picker.cancel()
    await form.whenShown('#node-input-select')
    assert.equal(await form.chosen('devices'), `${UNKNOWN}, Rack A`)
  })

  it('tells in current that base units bring new devices along, and that only remote units go by themselves', async () => {
    await form.cancel()
    form = await editor.edit(current)
    await form.field('account').selectOption({ index: 0 })
    await form.select('list')
    const units = await form.pick('devices')
    await units.whenListed()
    assert.match(await units.body.innerText(), /Only remote units can be chosen one by one here/)
    assert.ok(!(await units.branches()).includes('Standalone devices'))
    await units.cancel()
    await form.whenShown('#node-input-select')
    await form.select('base')
    const bases = await form.pick('bases')
    await bases.whenListed()
    assert.match(
      await bases.body.innerText(),
      /added under a chosen base unit later are included by themselves/,
    )
    await bases.box('Office 5F0A1001').check()
    await bases.box('Freezer 1').check()
    await bases.done()
    await form.whenShown('#node-input-select')
    assert.equal(await form.chosen('bases'), 'Office, Freezer 1')
    await form.unfold()
    const excluded = await form.pick('exclude')
    await excluded.whenListed()
    await excluded.box('Rack B').check()
    await excluded.done()
    await form.whenShown('#node-input-select')
    assert.equal(await form.chosen('exclude'), 'Rack B')
    assert.match((await form.told()).sends, /Sends: 3 devices/)
    await form.done()
    const { bases: saved, exclude } = await editor.held(current)
    assert.deepEqual([saved, exclude], [['5F0A1001', '52A10001'], ['52C10009']])
  })

  it('says why the account cannot be asked, and lets choose by typing nevertheless', async () => {
    form = await editor.edit(latest)
    for (const { fault, reason } of [
      { fault: { kind: 'drop' }, reason: /could not be reached/ },
      { fault: { kind: 'status', status: 401 }, reason: /refused the login/ },
      { fault: { kind: 'status', status: 503 }, reason: /service failed \(503\)/ },
    ] as const) {
      room.simulator.set({ faults: [fault] })
      const account = await form.editAccount()
      await account.unfold()
      await account.fill({ retries: '0' })
      await account.done()
      await form.whenShown('#node-input-select')
      const picker = await form.pick('devices')
      await picker.press('refresh')
      assert.match(await picker.whenFailed(), reason)
      assert.ok(await picker.box(UNKNOWN).isChecked(), 'what was chosen stays')
      await picker.cancel()
      await form.whenShown('#node-input-select')
    }
    room.simulator.set({ faults: [{ kind: 'drop' }] })
    const picker = await form.pick('devices')
    await picker.typed.fill('52A10003')
    await picker.press('add')
    assert.ok(await picker.box('52A10003').isChecked())
    await picker.done()
    await form.whenShown('#node-input-select')
    assert.match((await form.told()).sends, /3 devices/)
  })

  it('says what asking again costs when little is left', async () => {
    await form.cancel()
    room.simulator.reset()
    room.simulator.spend('current', 8)
    form = await editor.edit(latest)
    const picker = await form.pick('devices')
    await picker.press('refresh')
    const told = picker.body.locator('.envlog-picker-state', { hasText: 'Asking again costs one request' })
    assert.match(await told.innerText(), /; 1 is left\.$/)
    await picker.cancel()
    await form.whenShown('#node-input-select')
  })

  it('says when the quota is used up until when it waits', async () => {
    room.simulator.reset()
    room.simulator.spend('current', 10)
    const picker = await form.pick('devices')
    await picker.press('refresh')
    assert.match(await picker.whenFailed(), /limit of requests is used up. The next one can go at \d/)
    await picker.cancel()
    await form.whenShown('#node-input-select')
    await form.cancel()
  })
})
