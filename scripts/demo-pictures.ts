/**
 * Takes pictures of the demo's dashboard in each language, theme and width, and the pictures for the READMEs: the
 * dashboard next to the editor, and the dashboard alone.
 *
 *     npm run build && npx tsx scripts/demo-pictures.ts  # into .cache/screenshots
 *     npx tsx scripts/demo-pictures.ts some/folder       # into some/folder, without building
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Browser } from 'playwright-core'
import { storyFleet } from '../simulator/fleet/story'
import { demoPort, startDemo } from '../test/support/demo'
import { launchChromium } from '../test/support/editor/chromium'
import { Editor } from '../test/support/editor/editor'
import type { Language } from '../test/support/editor/page'
import type { FlowNode } from '../test/support/node-red'
import { until } from '../test/support/wait'
import { WallDisplay } from '../test/support/wall-display'
import { toDataUrl, toWebp } from './webp'

const root = dirname(__dirname)
const folder = resolve(process.argv[2] ?? join(root, '.cache', 'screenshots'))
const images = join(root, 'docs', 'images')
const LANGUAGES: readonly Language[] = ['en-US', 'ja']
const LOCALES: Record<Language, string> = { 'en-US': 'en_US.UTF-8', ja: 'ja_JP.UTF-8' }
const HEIGHTS = { 375: 812, 1280: 800, 1920: 1080 }
/** Sizes of the READMEs' pictures, in pixels. */
const BESIDE = { width: 1440, height: 520 }
const ALONE = { width: 1280, height: 720 }
const WARM_MS = 120_000

/** The flow tab that creates the dashboard. */
const TAB = 'envlog-example-dashboard'

interface Red {
  actions: { invoke(name: string): void }
  workspaces: { show(tab: string): void }
}
declare const RED: Red

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  // Also the time zone of the browser.
  process.env.TZ = 'Asia/Tokyo'
  const browser = await launchChromium()
  try {
    for (const language of LANGUAGES) await takePictures(browser, language)
  } finally {
    await browser.close()
  }
}

/** The sentences of alarms are in the language of Node-RED, so each language has a demo of its own. */
async function takePictures(browser: Browser, language: Language): Promise<void> {
  process.env.LC_ALL = LOCALES[language]
  const port = await demoPort()
  const running = startDemo(port)
  const demo = `http://127.0.0.1:${port}`
  try {
    // The log is in the demo's language, so no line of it says in both that the flows have started.
    await until(
      'the dashboard responds',
      () =>
        fetch(`${demo}/dashboard/readings`).then(
          ({ ok }) => ok,
          () => false,
        ),
      WARM_MS,
    )
    await showStory(browser, demo, `http://127.0.0.1:${port + 8}/simulator`)
    const dashboard = await takeDashboardPictures(browser, demo, language, 'light')
    const editor = await takeEditorPicture(browser, demo, language)
    await composeWithEditor(browser, editor, dashboard, join(images, `demo.${language}.webp`))
    await setTheme(demo, 'envlog-example-dashboard-theme-dark')
    const dark = await takeDashboardPictures(browser, demo, language, 'dark')
    await composeDashboard(browser, dark, join(images, `dashboard.${language}.webp`))
  } finally {
    await running.interrupt()
  }
}

/** Shows the story in its second minute, with the freezer's door open. */
async function showStory(browser: Browser, demo: string, simulator: string): Promise<void> {
  // At first everything is normal, so that the changes appear in the alerts.
  const display = await WallDisplay.open(browser, demo)
  const headers = { 'content-type': 'application/json' }
  const fleet = storyFleet(Date.now() - 110_000)
  await fetch(`${simulator}/options`, { method: 'PUT', headers, body: JSON.stringify({ fleet }) })
  const door = { serial: '52A10001', kind: 'door' }
  await fetch(`${simulator}/events`, { method: 'POST', headers, body: JSON.stringify(door) })
  await waitForStory(display)
}

async function waitForStory(display: WallDisplay): Promise<void> {
  for (const [name, state] of [
    ['Freezer 1', 'above'],
    ['Rack B', 'silent'],
    ['Rack A', 'battery'],
  ]) {
    const tile = display.tile(name ?? '').and(display.page.locator(`.is-${state}`))
    await tile.waitFor({ timeout: WARM_MS })
  }
  const isListed = async (name: string) => (await display.alerts()).some((alert) => alert.startsWith(name))
  for (const name of ['Freezer 1', 'Rack A', 'Rack B']) {
    await until(`${name} is in the list of alerts`, () => isListed(name), WARM_MS)
  }
  await display.page.locator('.nrdb-ui-chart canvas').waitFor()
  await display.close()
}

async function setTheme(demo: string, theme: string): Promise<void> {
  const flows = (await (await fetch(`${demo}/flows`)).json()) as FlowNode[]
  const changed = flows.map((node) => (node.type === 'ui-page' ? { ...node, theme } : node))
  const headers = { 'content-type': 'application/json' }
  await fetch(`${demo}/flows`, { method: 'POST', headers, body: JSON.stringify(changed) })
}

/** Takes the pictures of all widths, and returns the widest one. */
async function takeDashboardPictures(
  browser: Browser,
  demo: string,
  language: Language,
  theme: string,
): Promise<Buffer> {
  let widest: Buffer = Buffer.alloc(0)
  for (const [width, height] of Object.entries(HEIGHTS)) {
    const display = await WallDisplay.open(browser, demo, { language, width: Number(width), height })
    await display.page.locator('.envlog-spark').nth(8).waitFor({ timeout: WARM_MS })
    // The chart is drawn once its colours have loaded.
    await display.page.waitForTimeout(2500)
    const fullPage = Number(width) < 1920
    const path = join(folder, `wall-${theme}-${language}-${width}.png`)
    widest = await display.page.screenshot({ path, fullPage })
    await display.close()
  }
  return widest
}

async function takeEditorPicture(browser: Browser, demo: string, language: Language): Promise<Buffer> {
  const editor = await Editor.open(browser, demo, { language, width: 1000, height: 1010 })
  await editor.page.evaluate((tab) => {
    for (const action of ['toggle-palette', 'toggle-sidebar']) RED.actions.invoke(`core:${action}`)
    RED.workspaces.show(tab)
  }, TAB)
  await editor.status('envlog-example-dashboard-current').waitFor()
  // Waits until the sidebars have moved out of the window.
  await editor.page.waitForTimeout(1000)
  const picture = await editor.page.screenshot()
  await editor.close()
  return picture
}

async function composeWithEditor(
  browser: Browser,
  editor: Buffer,
  dashboard: Buffer,
  path: string,
): Promise<void> {
  const frame = 'height: 100%; box-sizing: border-box; border: 1px solid #98a2b3; border-radius: 6px'
  const pictures = [editor, dashboard].map((picture) => `<img style="${frame}" src="${toDataUrl(picture)}">`)
  const row = 'display: flex; justify-content: space-between; height: 100%; background: #fff'
  await compose(browser, BESIDE, `<div style="${row}">${pictures.join('')}</div>`, path)
}

async function composeDashboard(browser: Browser, dashboard: Buffer, path: string): Promise<void> {
  await compose(browser, ALONE, `<img style="width: 100%" src="${toDataUrl(dashboard)}">`, path)
}

async function compose(
  browser: Browser,
  viewport: { width: number; height: number },
  body: string,
  path: string,
): Promise<void> {
  const page = await browser.newPage({ viewport })
  await page.setContent(`<body style="margin: 0; height: 100vh">${body}</body>`)
  writeFileSync(path, await toWebp(page, await page.screenshot()))
  await page.close()
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
