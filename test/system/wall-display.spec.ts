import assert from 'node:assert/strict'
import type { Browser, Locator } from 'playwright-core'
import {
  type AlertDefinition,
  type DeviceDefinition,
  manualClock,
  type RecordValue,
  type Simulator,
  signals,
  startSimulator,
} from '../../simulator'
import { EXAMPLE_LIMITS } from '../../src/shared/example-limits'
import { launchChromium } from '../support/editor/chromium'
import { openPage, type PageOptions } from '../support/editor/page'
import { rounds, useExamples } from '../support/examples'
import { until } from '../support/wait'
import { WallDisplay } from '../support/wall-display'
import { shownBy } from './shown-by'

const STARTING_MS = 300_000
const FLOW_MS = 300_000
const SPEED = 5
const POLL_MS = 2000
/** Requests are rare where only the first readings matter: each one draws the chart again. */
const SELDOM = { 'envlog-current': { repeat: 60 * SPEED } }
const WALL = 'Dashboard - needs @flowfuse node-red-dashboard/wall display'
const CHART = 'envlog-example-dashboard-chart'
const HTML = '<img src=x onerror="window.wasRun=1">'
/** With a date if it is of another day than the test. */
const TIME = String.raw`(?:\d\d?/\d\d?, )?\d\d:\d\d`
const SIZES = [
  [375, 812],
  [780, 1024],
  [1440, 900],
  [1920, 1080],
] as const
/** Those of the example, but nothing is waited for. */
const AT_ONCE = {
  'envlog-limits': { limits: EXAMPLE_LIMITS.map((row) => ({ ...row, minutes: 0 })), errorAfter: 1 },
}
const DAY_MS = 86_400_000
const DRAWN_MS = 60_000
/** Time between two looks at the chart, of which each transfers all its points. */
const CHARTED_MS = 500

interface State {
  values?: Record<number, RecordValue>
  /** of its temperatures, instead of °C */
  unit?: 'F'
  /** when the device was silenced: the time of its last measurement, in seconds since 1970 UTC */
  silentSince?: number
  battery?: number
  alerts?: AlertDefinition[]
}

/** Never above the limit by chance, which would happen in a few hours of a month. */
const room = { ...signals.room, excursions: 0 }
const air = (num: number) => ({ num, name: 'Air', unit: 'C', signal: room })

/** One freezer has its own rows in the example's limits; the others have that of all temperatures, -10 to 35. */
const DEVICES: readonly DeviceDefinition[] = [
  {
    serial: '52A10001',
    name: 'Freezer',
    channels: [{ num: 1, name: 'Inside', unit: 'C', signal: signals.freezer }],
  },
  { serial: '52A1000A', name: 'Twin', channels: [air(1), air(2)] },
  { serial: '52A1000B', name: 'Twin', channels: [air(1)] },
  { serial: '52A1000C', name: 'Cold', channels: [air(1)] },
  { serial: '52A1000D', name: 'Silent', channels: [air(1)] },
  { serial: '52A1000E', name: 'Empty', channels: [air(1)] },
  { serial: '52B10006', name: 'Powered', channels: [air(1)] },
  {
    serial: '52C1000F',
    name: `Remote ${HTML}`,
    base: { serial: '5F0A1001', name: `Base ${HTML}` },
    channels: [air(1), { num: 2, unit: '%', signal: signals.humidity }],
  },
]

const secondsNow = () => Math.floor(Date.now() / 1000)

interface Point {
  _datapoint: { category: string; x: number; y: number }
}

describe('the wall display', () => {
  // Written every 30 seconds and at the end: every message changes the records of a day.
  const contextStorage = { default: { module: 'localfilesystem' } }
  const harness = useExamples({ speed: SPEED, examples: [WALL], contextStorage })
  let browser: Browser
  let simulator: Simulator
  let displays: WallDisplay[]
  let states: Record<string, State>
  let devices: readonly DeviceDefinition[]

  const fleet = () =>
    devices.map((device): DeviceDefinition => {
      const { values, unit, silentSince, battery = 5, alerts = [] } = states[device.serial] ?? {}
      const told = () => ({ unixtime: silentSince ?? secondsNow() - 20, ...(values && { values }) })
      const channels = (device.channels ?? []).map((channel) => (unit ? { ...channel, unit } : channel))
      return { ...device, channels, records: { interval: 300 }, battery, alerts, current: told }
    })

  const set = (serial: string, state: State) => {
    states[serial] = { ...states[serial], ...state }
    simulator.set({ fleet: fleet() })
  }

  /** Polls often, which the described limits do not allow. */
  const deploy = (more: Record<string, object> = {}) => {
    const limits = JSON.stringify({ current: { limit: 1000 }, alert: { limit: 1000 } })
    const often = { 'envlog-account': { limits }, 'envlog-current': { repeat: (POLL_MS / 1000) * SPEED } }
    return harness.deploy([WALL], { simulator, more: { ...often, ...AT_ONCE } }, (flow) =>
      flow.map((node) => ({ ...node, ...more[node.type] })),
    )
  }

  const open = async (options: PageOptions = {}) => {
    const display = await WallDisplay.open(browser, harness.nodeRed.url, options)
    displays.push(display)
    return display
  }

  /**
   * Clicks an item in the open list of devices until the chart shows or hides it. Node-RED sends a choice back, which
   * would replace one made before it arrives; and a list that is being redrawn does not react to a click.
   */
  const choose = (item: Locator, isShown: () => Promise<boolean>, wanted: boolean) =>
    until(
      `it is ${wanted ? '' : 'not '}shown`,
      async () => {
        if ((await item.getAttribute('aria-selected')) !== String(wanted)) await item.click()
        return (await isShown()) === wanted
      },
      DRAWN_MS,
      CHARTED_MS,
    )

  const points = async () =>
    ((await shownBy<Point[]>(harness.nodeRed.url, CHART)) ?? []).map((point) => point._datapoint)
  const names = async () => [...new Set((await points()).map(({ category }) => category))]
  const charted = () =>
    until('the chart has lines', async () => (await points()).length > 500, DRAWN_MS, CHARTED_MS)

  /** The chart and the tiles take their new sizes some frames after the page. */
  async function assertFits(display: WallDisplay, width: number, height: number): Promise<void> {
    await display.page.setViewportSize({ width, height })
    let faults: string[] = []
    const fits = async () => {
      faults = [...(await display.tooWide()), ...(await display.wrapped()), ...(await display.cut())]
      return faults.length === 0
    }
    await until('it fits', fits).catch((error) => assert.fail(`${width}: ${faults.join()} (${error})`))
  }

  async function assertNothingRan({ page }: WallDisplay): Promise<void> {
    assert.equal(await page.locator('img[src=x]').count(), 0)
    assert.equal(await page.evaluate(() => 'wasRun' in window), false)
  }

  before('starts a browser', async function () {
    this.timeout(STARTING_MS)
    browser = await launchChromium()
  })

  after('ends it', () => browser?.close())

  beforeEach(async () => {
    displays = []
    devices = DEVICES
    // At some times of the day the simulated freezer is above its limit.
    states = { '52A10001': { values: { 1: -18 } } }
    simulator = await startSimulator({ clock: manualClock(Date.now()), limits: 'off', fleet: fleet() })
  })

  afterEach('found no error in a console, and nothing asked of another host', async () => {
    for (const { close } of displays) await close()
    await simulator.close()
    for (const { faults } of displays) assert.deepEqual(faults, [])
  })

  for (const [theme, language, words] of [
    [
      'light',
      'en-US',
      ['above limit', 'below limit', 'silent since', 'no value', 'replace battery', 'OK', '2 hours ago'],
    ],
    [
      'dark',
      'ja',
      ['上限値超過', '下限値未満', '測定途絶（', '測定値なし', '要電池交換', '正常', '2 時間前'],
    ],
  ] as const) {
    it(`fits a phone, a tablet, a desk and a wall, is readable, and shows text from the service as plain text: ${theme}, ${language}`, async function () {
      this.timeout(FLOW_MS)
      set('52A10001', {
        values: { 1: -8 },
        alerts: [{ unixtime: 1_795_000_000, texts: { ch1: HTML } }],
      })
      set('52A1000C', { values: { 1: -20 } })
      set('52A1000D', { silentSince: secondsNow() - 7200 })
      set('52A1000E', { battery: 1 })
      set('52C1000F', { values: { 2: HTML } })
      const isDark = theme === 'dark' && { theme: 'envlog-example-dashboard-theme-dark' }
      await deploy({ 'ui-page': { ...isDark }, ...SELDOM })
      await charted()
      const display = await open({ language })
      await display.page.locator('.envlog-alerts li').first().waitFor()
      await display.page.locator('.envlog-spark').nth(6).waitFor()
      for (const state of ['silent', 'error'])
        await display.page.locator(`.envlog-tile.is-${state}`).waitFor()
      for (const [width, height] of SIZES) await assertFits(display, width, height)
      // Devices that need attention are visible immediately.
      await display.page.setViewportSize({ width: 1440, height: 900 })
      assert.deepEqual(await display.hidden(), [])
      const names = await display.page.locator('.envlog-tile h2').allInnerTexts()
      assert.deepEqual(names, [
        'Freezer',
        'Cold',
        'Silent',
        `Remote ${HTML}`,
        'Empty',
        'Twin',
        'Twin',
        'Powered',
      ])
      await display.page.setViewportSize({ width: 1920, height: 1080 })
      const text = await display.page.locator('.envlog-tiles').innerText()
      for (const word of words) assert.ok(text.includes(word), word)
      assert.deepEqual(await display.unreadable(), [])
      const size = await display
        .tile('Freezer')
        .locator('.envlog-value')
        .evaluate((e) => getComputedStyle(e).fontSize)
      // The size with the widest font of any machine.
      assert.ok(Number.parseFloat(size) > 50, size)

      await display.tile(`Remote ${HTML}`).filter({ hasText: HTML }).waitFor()
      await display.page.locator('.envlog-base', { hasText: `Base ${HTML}` }).waitFor()
      assert.ok((await display.alerts()).some((alert) => alert.includes(HTML)))
      await display.alarms.filter({ hasText: HTML }).waitFor()
      await assertNothingRan(display)
    })
  }

  it("has 24 hours from the start, a line for each channel, and keeps the user's choice", async function () {
    this.timeout(FLOW_MS)
    await deploy(SELDOM)
    await charted()
    const display = await open()
    const twins = 'Twin Air (52A1000A ch1),Twin Air (52A1000A ch2),Twin'
    const others = ['Freezer', 'Silent', 'Empty', 'Cold']
    assert.deepEqual((await names()).toSorted(), [...others, ...twins.split(',')].toSorted())
    for (const name of await names()) {
      const times = (await points()).filter(({ category }) => category === name).map(({ x }) => x)
      assert.ok(
        times.every((time, at) => at === 0 || time >= Number(times[at - 1])),
        name,
      )
      assert.ok(times.length > 140 && (times[0] ?? 0) < Date.now() - 0.99 * DAY_MS, name)
    }
    const path = await display.tile('Freezer').locator('.envlog-spark path').getAttribute('d')
    assert.ok((path ?? '').split('L').length > 140)

    const { page } = display
    await page.locator('.envlog-choose .v-select').first().click()
    for (const name of others) {
      const isShown = async () => (await names()).includes(name)
      await choose(page.locator('.v-list-item').filter({ hasText: new RegExp(`^${name}$`) }), isShown, false)
    }
    assert.equal((await names()).join(), twins)
    // The device's name is plain text in the list of devices, and in the chart's legend and tooltip.
    const isShown = async () => (await names()).some((name) => name.includes(HTML))
    await choose(page.locator('.v-list-item').filter({ hasText: HTML }), isShown, true)
    const kept = (await names()).join()
    await page.keyboard.press('Escape')
    // The chart may just be redrawn: then the tooltip waits for the next move of the pointer.
    const canvas = page.locator('.nrdb-ui-chart canvas').first()
    await until('the tooltip shows it', async () => {
      for (const x of [300, 310]) await canvas.hover({ position: { x, y: 100 } })
      return (await page.locator('.nrdb-ui-chart div', { hasText: HTML }).count()) > 0
    })
    await assertNothingRan(display)
    await display.close()
    await harness.restart()
    await until('they are shown again', async () => (await names()).join() === kept)
    const later = await open()
    await later.page.locator('.envlog-choose .v-select', { hasText: '3' }).waitFor()
  })

  it('follows the readings, and lists the alerts of a device whose state has changed, newest first', async function () {
    this.timeout(FLOW_MS)
    await deploy()
    const display = await open()
    const { page } = display
    const freezer = display.tile('Freezer')
    await freezer.and(page.locator('.is-ok')).waitFor()
    set('52A10001', {
      values: { 1: -8.2 },
      alerts: [
        { unixtime: 1_795_000_000, texts: { ch1: 'Inside Upper Limit: -8.2 C' } },
        { unixtime: 1_794_000_000, texts: { 'battery-level': 'Low Battery' } },
      ],
    })
    await freezer
      .and(page.locator('.is-above'))
      .filter({ hasText: '−8.2 °C' })
      .filter({ hasText: 'above limit' })
      .waitFor()
    await display.alarms
      .filter({ hasText: /Freezer, Inside above limit −15.0 °C since .*, now −8.2 °C/ })
      .waitFor()
    await until('both are listed', async () => (await display.alerts()).length === 2)
    const [first = '', second = ''] = await display.alerts()
    assert.match(first, /Freezer above limit.*Inside Upper Limit: -8\.2 C/s)
    assert.match(second, /Freezer battery.*Low Battery/s)
    assert.match(await page.locator('.envlog-quota').innerText(), /Current readings.*of/s)
    set('52A10001', { values: { 1: -18 } })
    await freezer.and(page.locator('.is-ok')).filter({ hasText: '−18.0 °C' }).waitFor()
    await display.alarms
      .and(page.locator('.is-over'))
      .filter({ hasText: /over: above limit −15.0 °C .*, at worst −8.2 °C/ })
      .waitFor()

    // The limits are in °C.
    set('52A10001', { unit: 'F', values: { 1: 5.1 } })
    await freezer.and(page.locator('.is-above')).filter({ hasText: '°F' }).waitFor()
    set('52A10001', { values: { 1: 3 } })
    await freezer.and(page.locator('.is-ok')).waitFor()
  })

  it('tells alarms worst first, those that are over last, and by the same clock as the tiles: that of the viewer', async function () {
    this.timeout(FLOW_MS)
    set('52A10001', { values: { 1: -8 } })
    set('52A1000C', { values: { 1: -20 } })
    await deploy()
    const display = await open({ timezoneId: 'Asia/Kathmandu' })
    const tile = display.tile('Freezer').filter({ hasText: 'above limit since' })
    await tile.waitFor()
    const [since = 'no time'] = /since .*?\d\d:\d\d/.exec(await tile.innerText()) ?? []
    await display.alarms.filter({ hasText: 'Freezer, Inside' }).filter({ hasText: since }).waitFor()
    set('52A1000E', { battery: 1 })
    await display.alarms.filter({ hasText: 'Empty' }).waitFor()
    set('52A1000C', { values: { 1: 20 } })
    await display.alarms.and(display.page.locator('.is-over')).waitFor()
    const names = (await display.alarms.allInnerTexts()).map((text) => /Freezer|Empty|Cold/.exec(text)?.[0])
    assert.deepEqual(names, ['Freezer', 'Empty', 'Cold'])
  })

  it('acknowledges an alarm and mutes its device, with a name that the browser keeps, for all displays', async function () {
    this.timeout(FLOW_MS)
    set('52A10001', { values: { 1: -8 } })
    await deploy()
    const display = await open()
    const other = await open({ language: 'ja' })
    const { page } = display
    const alarm = display.alarms.filter({ hasText: 'Freezer, Inside' })
    const dialog = page.getByRole('dialog')
    const name = dialog.getByLabel('Your name')
    await alarm.getByRole('button', { name: 'Acknowledge' }).click()
    await name.fill('Night shift')
    await dialog.getByLabel('Note').fill('door closed')
    assert.deepEqual(await display.unreadable(), [])
    await page.keyboard.press('Enter')
    await alarm.filter({ hasText: /acknowledged by Night shift, .*\d\d:\d\d: door closed/ }).waitFor()
    await other.alarms.filter({ hasText: /Night shift が確認（.*\d\d:\d\d）: door closed/ }).waitFor()
    assert.equal(await alarm.getByRole('button', { name: 'Acknowledge' }).count(), 0)

    await page.reload()
    await alarm.getByRole('button', { name: 'Mute for an hour: Freezer' }).click()
    assert.equal(await name.inputValue(), 'Night shift')
    // With a name, the button has the focus: no keyboard covers a touch screen.
    await page.keyboard.press('Enter')
    const muted = page.locator('.envlog-sum li', { hasText: 'devices muted: 1' })
    await muted.waitFor()
    await other.page.locator('.envlog-sum li', { hasText: '通知停止中の機器：1 台' }).waitFor()
    await page.getByRole('button', { name: 'End the mute' }).click()
    await page.keyboard.press('Enter')
    await muted.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Mute all for an hour' }).click()
    await page.keyboard.press('Enter')
    await page.locator('.envlog-sum li', { hasText: /muted until .*\d\d:\d\d/ }).waitFor()
  })

  it("tells the night's alarms after a restart, without fetching their alerts again", async function () {
    this.timeout(FLOW_MS)
    await deploy()
    const before = await open()
    for (const [value, state] of [-8, -7, -6, -8, -7, -6].flatMap(
      (each) =>
        [
          [each, 'above'],
          [-18, 'ok'],
        ] as const,
    )) {
      set('52A10001', { values: { 1: value } })
      await before
        .tile('Freezer')
        .and(before.page.locator(`.is-${state}`))
        .waitFor()
    }
    const worst = async (display: WallDisplay) => {
      await until('five are shown', async () => (await display.alarms.count()) === 5)
      await display.page.getByRole('button', { name: 'All 6 alarms' }).click()
      await until('all are shown', async () => (await display.alarms.count()) === 6)
      const texts = await display.alarms.allInnerTexts()
      return texts.map((text) => /over: above limit −15.0 °C .*, at worst (−\d)/.exec(text)?.[1])
    }
    assert.deepEqual(await worst(before), ['−6', '−7', '−8', '−6', '−7', '−8'])
    await before.close()
    await rounds(simulator, 5)
    const { total } = simulator.counts().alert
    await harness.restart()
    await rounds(simulator, 5)
    assert.deepEqual(await worst(await open()), ['−6', '−7', '−8', '−6', '−7', '−8'])
    assert.equal(simulator.counts().alert.total, total)
  })

  /** Of each seven devices, one is too warm. @returns how many are */
  function manyDevices(count: number): number {
    devices = Array.from({ length: count }, (_, at) => ({
      serial: `53A1${String(at).padStart(4, '0')}`,
      name: `Storage room ${at}`,
      channels: [air(1), { num: 2, unit: '%', signal: signals.humidity }],
    }))
    const isIll = (at: number) => at % 7 === 3
    for (const [at, { serial }] of devices.entries())
      states[serial] = { values: { 1: isIll(at) ? 41 : 21, 2: 50 } }
    simulator.set({ fleet: fleet() })
    return devices.filter((_, at) => isIll(at)).length
  }

  const heightOf = ({ page }: WallDisplay) => page.evaluate(() => document.documentElement.scrollHeight)

  /** Everything is visible on a wall without scrolling. */
  async function assertOnOnePage(display: WallDisplay): Promise<void> {
    await until('it fits', async () => (await heightOf(display)) <= 1080).catch(async () =>
      assert.equal(await heightOf(display), 1080),
    )
    for (const part of ['.nrdb-ui-chart canvas', '.envlog-alarms', '.envlog-quota']) {
      const box = await display.page.locator(part).first().boundingBox()
      assert.ok(box && box.height > 20 && box.y + box.height <= 1080, part)
    }
    assert.deepEqual(await display.unreadable(), [])
  }

  for (const [count, most] of [
    [60, 16],
    [200, 8],
  ] as const)
    it(`fits a wall with ${count} devices: what is not OK in full, the others as dots with name and value`, async function () {
      this.timeout(FLOW_MS)
      const ill = manyDevices(count)
      const full = Math.min(ill, most)
      await deploy(SELDOM)
      await charted()
      const display = await open({ width: 1920, height: 1080 })
      const { page } = display
      await until('tiles', async () => (await page.locator('.envlog-tile.is-above').count()) === full)
      assert.equal(await page.locator('.envlog-small li').count(), count - full)
      assert.equal(await page.locator('.envlog-small .is-above').count(), ill - full)
      const room = page.locator('.envlog-small .is-ok').first()
      assert.match((await room.innerText()).replace(/\s+/g, ' '), /Storage room 0 OK 21\.0 °C/)
      await page.locator('.envlog-alarms button', { hasText: `All ${ill} alarms` }).waitFor()
      await assertOnOnePage(display)
      const noHistory = page.locator('.envlog-tile', { hasText: 'History of 40 devices only' })
      assert.equal(await noHistory.count(), count === 60 ? 3 : 2)
      for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height })
        await until('nothing is too wide', async () => (await display.tooWide()).length === 0)
      }
    })

  it("shows by the viewer's clock that nothing arrives", async function () {
    this.timeout(FLOW_MS)
    await deploy({ 'envlog-current': { repeat: 0 } })
    await harness.press('ask')
    const { page } = await open()
    const passTime = (ms: number) =>
      page.evaluate((more) => {
        const { now } = Date
        Date.now = () => now() + more
      }, ms)
    await passTime(120_000)
    await page
      .locator('.envlog-tile', { hasText: /[2-9] minutes ago/ })
      .first()
      .waitFor()
    const late = page.locator('.envlog-updated.is-late')
    assert.equal(await late.count(), 0)
    await passTime(70_000)
    await late.waitFor()
    await harness.press('ask')
    await late.waitFor({ state: 'hidden' })
  })

  it('shows warnings, ignores the battery of a device with external power, and is right after a restart without the service', async function () {
    this.timeout(FLOW_MS)
    set('52A10001', { values: { 1: -8 } })
    set('52A1000D', { silentSince: secondsNow() - 7200 })
    set('52A1000E', { battery: 1 })
    set('52B10006', { battery: 1 })
    set('52C1000F', { values: { 2: 80 } })
    await deploy()
    const shows = async (display: WallDisplay) => {
      for (const [name, state] of [
        ['Freezer', 'above'],
        ['Silent', 'silent'],
        ['Empty', 'battery'],
        ['Powered', 'ok'],
        [`Remote ${HTML}`, 'warning'],
      ] as const)
        await display
          .tile(name)
          .and(display.page.locator(`.is-${state}`))
          .waitFor()
      await until('there is a sentence for each', async () => (await display.alarms.count()) === 4)
    }
    await shows(await open())
    for (const { close } of displays) await close()
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await harness.restart()
    const display = await open()
    await display.banner.waitFor()
    await shows(display)
  })

  it('shows the states of limits and no others, what is missing, and an alarm of a device that became silent', async function () {
    this.timeout(FLOW_MS)
    const since = secondsNow() - 1200
    set('52A10001', { values: { 1: -8 } })
    set('52A1000B', { values: { 1: null } })
    set('52A1000C', { silentSince: since, values: { 1: 50 } })
    set('52A1000D', { silentSince: since })
    const limits = [{ select: 'all', quantity: 'temperature', above: 40, unit: 'C', minutes: 0, margin: 0 }]
    await deploy({ 'envlog-limits': { limits, silentAfter: 10, errorAfter: 1, battery: false } })
    const display = await open()
    const { page } = display
    // After midnight, the time has a date.
    const silent = new RegExp(`silent since .*${new Date(since * 1000).toTimeString().slice(0, 5)}`)
    for (const [name, state, text] of [
      ['Freezer', 'ok', '−8.0'],
      ['Silent', 'silent', silent],
      ['Cold', 'above', silent],
    ] as const)
      await display
        .tile(name)
        .and(page.locator(`.is-${state}`))
        .filter({ hasText: text })
        .waitFor()
    const broken = page.locator('.envlog-tile.is-error').filter({ hasText: 'Twin' })
    await broken.filter({ hasText: new RegExp(`no value since ${TIME}`) }).waitFor()
    set('52A10001', { values: { 1: 41 } })
    await display
      .tile('Freezer')
      .filter({ hasText: new RegExp(`above limit since ${TIME}`) })
      .waitFor()
  })

  it('says when alerts come that the quota did not allow', async function () {
    this.timeout(FLOW_MS)
    const limits = { current: { limit: 1000 }, alert: { limit: 1 } }
    simulator.set({ limits })
    await deploy({ 'envlog-account': { limits: JSON.stringify(limits) } })
    const { page } = await open()
    const reason = new RegExp(
      `Alerts not fetched: .+\\. The quota is used up\\. Next attempt at about ${TIME}\\.`,
    )
    await page.locator('.envlog-alerts').filter({ hasText: reason }).waitFor()
    await page
      .locator('.envlog-quota')
      .filter({ hasText: new RegExp(`Alerts\\s*0 left, more by ${TIME}`) })
      .waitFor()
  })

  it('names the devices whose alerts could not be fetched, until they are', async function () {
    this.timeout(FLOW_MS)
    simulator.set({ faults: [{ kind: 'status', status: 503, endpoints: ['alert'] }] })
    await deploy()
    const { page } = await open()
    const list = page.locator('.envlog-alerts')
    const reason = `The service reports an error. Next attempt at about ${TIME}.`
    const pending = list.filter({ hasText: new RegExp(`Alerts not fetched: Freezer.*${reason}`) })
    await pending.waitFor()
    await until('the request has failed', () => simulator.counts().alert.total > 1)
    await pending.waitFor()
    simulator.set({ faults: [] })
    await list.filter({ hasText: `No alerts from 4 of ${DEVICES.length} devices.` }).waitFor()
    simulator.set({ faults: [{ kind: 'status', status: 503, endpoints: ['alert'], serials: ['52A1000C'] }] })
    set('52A1000C', { values: { 1: -20 } })
    set('52A1000E', { battery: 1 })
    await list.filter({ hasText: new RegExp(`Alerts not fetched: Cold\\. ${reason}\\s*$`) }).waitFor()
  })

  it('fetches the alerts of a device again if it changes while they are being fetched', async function () {
    this.timeout(FLOW_MS)
    const cold = { endpoints: ['alert'] as const, serials: ['52A1000C'] }
    simulator.set({ faults: [{ kind: 'delay', delay: 1.5 * POLL_MS, ...cold }] })
    // Without its retries, which would also fetch them.
    await deploy({ inject: { repeat: '' } })
    const { page } = await open()
    await until('its alerts are being fetched', () => simulator.counts().alert.total === 4)
    simulator.set({ faults: [{ kind: 'status', status: 503, ...cold }] })
    set('52A1000C', { values: { 1: -20 } })
    const failure = 'Alerts not fetched: Cold. The service reports an error.'
    await page.locator('.envlog-alerts').filter({ hasText: failure }).waitFor()
  })

  it('waits for the first readings, and shows that the service does not respond, until it does, and that Node-RED is away', async function () {
    this.timeout(FLOW_MS)
    // Polls only on demand; otherwise a poll might succeed before *Try again* is pressed.
    await harness.deploy([WALL], { simulator, more: { 'envlog-current': { repeat: 0 } } })
    const waiting = await openPage(browser, harness.nodeRed.url)
    await waiting.page.goto(`${harness.nodeRed.url}/dashboard/readings`)
    for (const place of ['.envlog-wall', '.envlog-alerts'])
      await waiting.page.locator(place, { hasText: 'Waiting for the first readings' }).waitFor()
    assert.equal(await waiting.page.getByText('No alerts').count(), 0)
    await waiting.close()
    assert.deepEqual(waiting.faults, [])

    await harness.press('ask')
    const display = await open()
    assert.equal(await display.banner.count(), 0)
    simulator.set({ faults: [{ kind: 'status', status: 503 }] })
    await harness.press('ask')
    await display.banner
      .filter({ hasText: 'No readings from the service. The service reports an error.' })
      .waitFor()
    // A page that is opened now shows it too, with the last values.
    const late = await open({ language: 'ja' })
    await late.banner.filter({ hasText: 'サービスから測定値を取得できません。' }).waitFor()
    await late.tile('Freezer').filter({ hasText: '°C' }).waitFor()
    simulator.set({ faults: [] })
    await display.page.getByRole('button', { name: 'Try again' }).click()
    for (const each of [display, late]) await each.banner.waitFor({ state: 'hidden' })
    // Killed, because the dashboard removes the widgets from all pages during a slow stop.
    await harness.nodeRed.stop('SIGKILL')
    await late.banner.filter({ hasText: 'Node-RED に接続できません。' }).waitFor()
    // The browser's message about it.
    for (const { close, faults } of displays) {
      await close()
      faults.length = 0
    }
    await harness.nodeRed.start()
  })
})
