/**
 * Takes screenshots of each dialog in both languages: light on Node-RED 4.1, dark on 5.
 *
 *     npm run build && npx tsx scripts/screenshots.ts  # into .cache/screenshots
 *     npx tsx scripts/screenshots.ts some/folder       # into some/folder, without building
 *
 * The screenshots that the documents show are copied to docs/images.
 */
import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { startSimulator } from '../simulator'
import { launchChromium } from '../test/support/editor/chromium'
import { Editor } from '../test/support/editor/editor'
import { editorAccount, editorFlow, editorLimits } from '../test/support/editor/flow'
import type { Language } from '../test/support/editor/page'
import type { Tray } from '../test/support/editor/tray'
import { actions } from '../test/support/flow-types'
import { startNodeRed } from '../test/support/node-red'
import { type Runtime, runtimes } from '../test/support/runtimes'

const root = dirname(__dirname)
const folder = resolve(process.argv[2] ?? join(root, '.cache', 'screenshots'))
/** Screenshots to copy, in the light theme and each language. */
const SHOWN = ['picker-devices', 'account', 'alerts']
const [on41, on5] = runtimes as [Runtime, Runtime]
const WIDTH = 1300
const HEIGHT = 880
const TALL = 1450
/** Window width that leaves about 400 px for a dialog. */
const NARROW = 780
/** The rows of *limits*, one with a problem. */
const LIMITS = [
  { name: '-20', select: 'group', groups: ['Cold store'], above: -15, minutes: 10, margin: 1 },
  { name: '2-8', above: 8, below: 2, minutes: 30 },
  { quantity: 'humidity', below: 70, above: 60 },
]
const LANGUAGES: readonly Language[] = ['en-US', 'ja']

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await capture(on41, 'light')
  await capture(on5, 'dark')
  const images = join(root, 'docs', 'images')
  mkdirSync(images, { recursive: true })
  for (const language of LANGUAGES) {
    for (const name of SHOWN) {
      copyFileSync(join(folder, `light-${language}-${name}.png`), join(images, `${name}.${language}.png`))
    }
  }
}

async function capture(runtime: Runtime, theme: 'light' | 'dark'): Promise<void> {
  const [nodeRed, simulator, browser] = await Promise.all([
    startNodeRed(runtime),
    startSimulator(),
    launchChromium(),
  ])
  const limits = editorLimits(LIMITS)
  const nowhere = editorAccount(simulator, 'nowhere', { name: 'Away', baseUrl: 'http://127.0.0.1:9' })
  await nodeRed.deploy([
    ...editorFlow(simulator, { latest: { repeat: 600 }, alerts: { repeat: 3600 } }),
    limits,
    nowhere,
  ])
  try {
    for (const language of LANGUAGES) {
      const editor = await Editor.open(browser, nodeRed.url, {
        language,
        theme,
        width: WIDTH,
        height: HEIGHT,
      })
      await shootDialogs(editor, (name, tray) =>
        tray.element.screenshot({ path: join(folder, `${theme}-${language}-${name}.png`) }),
      )
      await editor.close()
      const narrow = await Editor.open(browser, nodeRed.url, {
        language,
        theme,
        width: NARROW,
        height: HEIGHT,
      })
      await shootNarrowDialogs(narrow, (name, tray) =>
        tray.element.screenshot({ path: join(folder, `${theme}-${language}-narrow-${name}.png`) }),
      )
      await narrow.close()
    }
  } finally {
    await browser.close()
    await nodeRed.stop()
    await simulator.close()
  }
}

type Shoot = (name: string, tray: Tray) => Promise<unknown>

async function shootDialogs(editor: Editor, shoot: Shoot): Promise<void> {
  const account = await editor.editAccount('account')
  await account.test()
  await shoot('account', account)
  await account.unfold()
  await inTallWindow(editor, () => shoot('account-unfolded', account))
  await account.cancel()
  for (const name of actions) {
    const form = await editor.edit(name)
    await form.body.locator('#envlog-budget', { hasText: /\d/ }).waitFor()
    await shoot(name, form)
    await form.unfold()
    await inTallWindow(editor, () => shoot(`${name}-unfolded`, form))
    if (name === 'latest') {
      await form.unfold()
      await form.example()
      await inTallWindow(editor, () => shoot(`${name}-example`, form))
    }
    await form.cancel()
  }
  await shootLimits(editor, shoot)
  await shootPickers(editor, shoot)
}

async function shootLimits(editor: Editor, shoot: Shoot): Promise<void> {
  const form = await editor.editLimits('limits')
  await form.body.locator('.envlog-limit-line').first().click()
  await shoot('limits', form)
  await form.cancel()
}

/** Runs `work` in a window that is tall enough for the whole dialog. */
async function inTallWindow(editor: Editor, work: () => Promise<unknown>): Promise<void> {
  await editor.page.setViewportSize({ width: WIDTH, height: TALL })
  await work()
  await editor.page.setViewportSize({ width: WIDTH, height: HEIGHT })
}

/** Mixed choices, including devices and groups that the account does not have. */
const CHOICES = [
  { which: 'devices', select: 'list', boxes: ['Office 5F0A1001', 'Freezer 1 '], typed: '99999999' },
  { which: 'bases', select: 'base', boxes: ['Office 5F0A1001', 'Freezer 1 '] },
  { which: 'groups', select: 'group', boxes: ['Cold store'], typed: 'No such group' },
  { which: 'exclude', boxes: ['Rack B'] },
] as const satisfies { which: string; select?: string; boxes: readonly string[]; typed?: string }[]

async function shootPickers(editor: Editor, shoot: Shoot): Promise<void> {
  const form = await editor.edit('latest')
  for (const { which, boxes, ...more } of CHOICES) {
    const typed = 'typed' in more ? more.typed : ''
    if ('select' in more) await form.select(more.select)
    else await form.unfold()
    const picker = await form.pick(which)
    await picker.whenListed()
    for (const box of boxes) await picker.box(box).check()
    await picker.typed.fill(typed)
    if (typed !== '') await picker.press('add')
    await shoot(`picker-${which}`, picker)
    await picker.done()
    await form.whenShown('#node-input-select')
    if (typed !== '') await shoot(`latest-${which}`, form)
  }
  await form.body.locator('#node-input-select').scrollIntoViewIfNeeded()
  await shoot('latest-chosen', form)
  await form.field('account').selectOption('nowhere')
  await form.select('list')
  const picker = await form.pick('devices')
  await picker.whenFailed()
  await picker.typed.fill('52A10003 5F0A1001/52C10009 wrong')
  await picker.press('add')
  await shoot('picker-failed', picker)
  await picker.cancel()
  await form.whenShown('#node-input-select')
  await form.cancel()
}

async function shootNarrowDialogs(editor: Editor, shoot: Shoot): Promise<void> {
  const account = await editor.editAccount('account')
  await account.unfold()
  await shoot('account', account)
  await account.cancel()
  await shootLimits(editor, shoot)
  const form = await editor.edit('latest')
  await form.select('list')
  await shoot('latest', form)
  const picker = await form.pick('devices')
  await picker.whenListed()
  await shoot('picker', picker)
  await picker.cancel()
  await form.whenShown('#node-input-select')
  await form.cancel()
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
