/** A whole Node-RED, a simulated service and a browser for the tests of a file. */
import assert from 'node:assert/strict'
import type { Browser } from 'playwright-core'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../simulator'
import { type NodeRed, type StartOptions, startNodeRed } from '../node-red'
import type { Runtime } from '../runtimes'
import { launchChromium } from './chromium'
import { Editor } from './editor'
import type { PageOptions } from './page'

const STARTING_MS = 300_000
const ENDING_MS = 20_000
/** Two cores may be busy with other tests. */
export const ACTING_MS = 90_000

export interface Room {
  readonly nodeRed: NodeRed
  readonly simulator: Simulator
  /** A new page; it is closed, and its faults are looked at, when the test or the file has ended. */
  open(options?: PageOptions): Promise<Editor>
}

/** In a `describe`. */
export function useRoom(runtime: Runtime, options: SimulatorOptions = {}, more: StartOptions = {}): Room {
  let nodeRed: NodeRed
  let simulator: Simulator
  let browser: Browser
  let editors: Editor[] = []

  before(`starts ${runtime.title} and a browser`, async function () {
    this.timeout(STARTING_MS)
    ;[nodeRed, simulator, browser] = await Promise.all([
      startNodeRed(runtime, more),
      startSimulator(options),
      launchChromium(),
    ])
  })

  after('found no error in the console and nothing asked of another host', async function () {
    this.timeout(ENDING_MS)
    const faults = editors.flatMap((editor) => editor.faults)
    await browser?.close()
    editors = []
    await nodeRed?.stop('SIGKILL')
    await simulator?.close()
    assert.deepEqual(faults, [])
  })

  return {
    get nodeRed() {
      return nodeRed
    },
    get simulator() {
      return simulator
    },
    async open(page = {}) {
      const editor = await Editor.open(browser, nodeRed.url, page)
      editors.push(editor)
      return editor
    },
  }
}
