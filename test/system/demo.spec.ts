import assert from 'node:assert/strict'
import { type Demo, demoPort, startDemo } from '../support/demo'
import { launchChromium } from '../support/editor/chromium'
import { WallDisplay } from '../support/wall-display'

/** Four polls: the demo polls every 15 seconds. */
const SHOWN_MS = 60_000

describe('the demo in a browser', function () {
  this.timeout(4 * SHOWN_MS)
  let demo: Demo

  afterEach(() => {
    if (demo.child.exitCode === null) demo.child.kill('SIGKILL')
  })

  it("opens and closes the freezer's door, and shows that the freezer gets warm", async () => {
    const port = await demoPort()
    demo = startDemo(port)
    await demo.printed(/Started flows/)
    const browser = await launchChromium()
    try {
      const display = await WallDisplay.open(browser, `http://127.0.0.1:${port}`)
      const { page } = display
      await demo.beginStory(180)
      await page.getByRole('button', { name: 'Open the door of Freezer 1' }).click()
      await display.tile('Freezer 1').and(page.locator('.is-high')).waitFor({ timeout: SHOWN_MS })
      await page.getByRole('button', { name: 'Close the door of Freezer 1' }).click()
      await page.getByRole('button', { name: 'Open the door of Freezer 1' }).waitFor()
      assert.deepEqual(await display.tooWide(), [])
      assert.deepEqual(display.faults, [])
    } finally {
      await browser.close()
    }
    assert.equal(await demo.interrupt(), 0, demo.text())
  })
})
