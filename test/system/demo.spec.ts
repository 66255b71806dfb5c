import assert from 'node:assert/strict'
import { type Demo, demoPort, folderWithTestNodes, startDemo } from '../support/demo'
import { launchChromium } from '../support/editor/chromium'
import { until } from '../support/wait'
import { WallDisplay } from '../support/wall-display'

/** Four rounds. */
const TOLD_MS = 60_000
const STORY_MS = 300_000

describe('the demo in a browser', function () {
  this.timeout(STORY_MS)
  let demo: Demo

  afterEach(() => {
    if (demo.child.exitCode === null) demo.child.kill('SIGKILL')
  })

  it('tells its story on the dashboard and in the alerts, and opens the freezer’s door', async () => {
    const port = await demoPort()
    demo = startDemo(port, folderWithTestNodes())
    await demo.printed(/Started flows/)
    const browser = await launchChromium()
    const display = await WallDisplay.open(browser, `http://127.0.0.1:${port}`)
    const { page } = display
    const hasState = (name: string, state: string) =>
      display
        .tile(name)
        .and(page.locator(`.is-${state}`))
        .waitFor({ timeout: TOLD_MS })
    const alert = (text: RegExp) =>
      until(`${text}`, async () => (await display.alerts()).some((each) => text.test(each)), TOLD_MS)
    try {
      await display.tile('Freezer 1').locator('.envlog-spark').waitFor({ timeout: TOLD_MS })
      await demo.beginStory(60)
      await hasState('Freezer 1', 'high')
      await alert(/^Freezer 1 above limit/)
      await demo.beginStory(180)
      await hasState('Freezer 1', 'ok')
      await hasState('Rack B', 'stale')
      await hasState('Rack A', 'battery')
      for (const text of [/^Freezer 1 recovered/, /^Rack B communication/, /^Rack A battery/])
        await alert(text)

      await page.getByRole('button', { name: 'Open the door of Freezer 1' }).click()
      await page.getByRole('button', { name: 'Close the door of Freezer 1' }).waitFor()
      const events = await fetch(`http://127.0.0.1:${port + 8}/simulator/events`)
      assert.ok(((await events.json()) as { kind: string }[]).some(({ kind }) => kind === 'door'))
      await hasState('Freezer 1', 'high')
      await page.getByRole('button', { name: 'Close the door of Freezer 1' }).click()
      await page.getByRole('button', { name: 'Open the door of Freezer 1' }).waitFor()
      assert.deepEqual(await display.tooWide(), [])
      assert.deepEqual(display.faults, [])
    } finally {
      await browser.close()
    }
    assert.equal(await demo.interrupt(), 0, demo.text())
    assert.deepEqual(demo.loggedErrors(), [])
  })
})
