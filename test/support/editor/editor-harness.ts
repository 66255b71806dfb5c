/** A complete Node-RED, a simulated service and a browser for the tests of a file. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../simulator'
import { type NodeRed, type StartOptions, startNodeRed } from '../node-red'
import { root } from '../package'
import type { Runtime } from '../runtimes'
import { launchChromium } from './chromium'
import { Editor } from './editor'
import type { PageOptions } from './page'

const STARTING_MS = 300_000
const ENDING_MS = 20_000
/** Longer, because other tests may use both cores. */
export const ACTING_MS = 90_000

export interface EditorHarness {
  readonly nodeRed: NodeRed
  readonly simulator: Simulator
  /** The editor with the deployed flow; nothing is open or changed. The options are those of its first use. */
  editor(options?: PageOptions): Promise<Editor>
  /** Opens a new page; it is closed after the test, and its errors are checked after the file. */
  open(options?: PageOptions): Promise<Editor>
}

/** Saved in `.cache/failures`. */
async function saveScreenshot({ page }: Editor, title: string): Promise<void> {
  const path = join(root, '.cache', 'failures', `${title.replace(/\W+/g, '-')}.png`)
  await page.screenshot({ path })
  console.error(`What the editor showed: ${path}`)
}

/** Call this in a `describe`. */
export function useEditor(
  runtime: Runtime,
  options: SimulatorOptions = {},
  more: StartOptions = {},
): EditorHarness {
  let nodeRed: NodeRed
  let simulator: Simulator
  let browser: Browser
  let editors: Editor[] = []
  /** Loading takes most of a test's time: a page whose changes can be undone is reused by the next test. */
  let idle: Editor | undefined

  before(`starts ${runtime.title} and a browser`, async function () {
    this.timeout(STARTING_MS)
    ;[nodeRed, simulator, browser] = await Promise.all([
      startNodeRed(runtime, more),
      startSimulator(options),
      launchChromium(),
    ])
  })

  after('found no error in the console and no request to another host', async function () {
    this.timeout(ENDING_MS)
    const faults = editors.flatMap((editor) => editor.faults)
    await browser?.close()
    editors = []
    await nodeRed?.stop('SIGKILL')
    await simulator?.close()
    assert.deepEqual(faults, [])
  })

  afterEach('closes pages that are not as they were; of a failed test a picture stays', async function () {
    const { currentTest } = this
    const isFailed = currentTest?.state === 'failed'
    for (const editor of editors.filter(({ page }) => !page.isClosed())) {
      if (isFailed) await saveScreenshot(editor, currentTest.title)
      if (isFailed || editor !== idle || !(await editor.restore())) await editor.close()
    }
  })

  return {
    get nodeRed() {
      return nodeRed
    },
    get simulator() {
      return simulator
    },
    async editor(page) {
      if (!idle || idle.page.isClosed()) idle = await this.open(page)
      return idle
    },
    async open(page = {}) {
      const editor = await Editor.open(browser, nodeRed.url, page)
      editors.push(editor)
      return editor
    },
  }
}
