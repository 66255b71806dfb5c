import assert from 'node:assert/strict'
import { type Demo, demoPort, hurried, startDemo } from '../support/demo'
import { launchChromium } from '../support/editor/chromium'
import { WallDisplay } from '../support/wall-display'

/** Ends only a test that hangs: a busy machine takes a minute. */
const SHOWN_MS = 120_000

describe('the demo in a browser', function () {
  this.timeout(4 * SHOWN_MS)
  let demo: Demo

  afterEach(() => {
    if (demo.child.exitCode === null) demo.child.kill('SIGKILL')
  })

  it("opens and closes the freezer's door: the freezer is in alarm, and then normal again", async () => {
    const port = await demoPort()
    demo = startDemo(port)
    await demo.printed(/Started flows/)
    await demo.deploy(hurried(await demo.flows()))
    const browser = await launchChromium()
    try {
      const display = await WallDisplay.open(browser, `http://127.0.0.1:${port}`)
      const { page } = display
      const freezer = display.tile('Freezer 1')
      await demo.beginStory(180)
      await page.getByRole('button', { name: 'Open the door of Freezer 1' }).click()
      await freezer.and(page.locator('.is-above')).waitFor({ timeout: SHOWN_MS })
      await display.alarms.filter({ hasText: 'Freezer 1, Freezer above limit −15.0 °C' }).waitFor()
      await page.getByRole('button', { name: 'Close the door of Freezer 1' }).click()
      await page.getByRole('button', { name: 'Open the door of Freezer 1' }).waitFor()
      await freezer.and(page.locator('.is-ok')).waitFor({ timeout: SHOWN_MS })
      await display.alarms.filter({ hasText: 'Freezer 1, Freezer over' }).waitFor()
      assert.deepEqual(await display.tooWide(), [])
      assert.deepEqual(display.faults, [])
    } finally {
      await browser.close()
    }
    assert.equal(await demo.interrupt(), 0, demo.text())
  })
})
