import assert from 'node:assert/strict'
import { catalogOf } from '../../support/built'
import { accessibilityProblems, cutIn, textsIn } from '../../support/editor/accessibility'
import type { AccountForm } from '../../support/editor/account-form'
import type { ActionForm } from '../../support/editor/action-form'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { editorAccount, editorAlarms, editorFlow, editorLimits } from '../../support/editor/flow'
import type { Tray } from '../../support/editor/tray'
import { actions } from '../../support/flow-types'
import { firstRuntime, otherRuntime } from '../../support/runtimes'

/** English sentences in the catalog that differ from the Japanese ones. */
const ENGLISH = new Set(
  [...catalogOf('en-US')].filter(([key, text]) => catalogOf('ja').get(key) !== text).map(([, text]) => text),
)
/** Three words in a row: names of devices and settings have fewer. */
const A_SENTENCE = /[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}/

for (const { runtime, language, theme } of [
  { runtime: firstRuntime, language: 'ja', theme: 'light' },
  // Only Node-RED 5 has a dark theme.
  { runtime: otherRuntime, language: 'en-US', theme: 'dark' },
] as const) {
  describe(`the dialogs in ${runtime.title}, ${language}`, function () {
    this.timeout(2 * ACTING_MS)
    const harness = useEditor(runtime)

    before('deploys one of each node', async () => {
      const away = editorAccount(harness.simulator, 'away', { name: 'Away', baseUrl: 'http://127.0.0.1:9' })
      const flow = editorFlow(harness.simulator, { latest: { repeat: 60 } })
      const limits = editorLimits([{ name: 'x', above: 8, below: 2 }, { select: 'list' }])
      await harness.nodeRed.deploy([...flow, limits, editorAlarms(), away])
    })

    it(`are accessible in the ${theme} theme${language === 'ja' ? ', and contain no English' : ''}`, async () => {
      const editor = await harness.editor({ language, theme })
      await editor.page.setViewportSize({ width: 1400, height: 1450 })
      const faults: string[] = []
      const foreign: string[] = []
      await visit(editor, async (name, tray) => {
        faults.push(...(await accessibilityProblems(tray)).map((fault) => `${name}: ${fault}`))
        if (language !== 'ja') return
        const wrong = (await textsIn(tray)).filter((text) => ENGLISH.has(text) || A_SENTENCE.test(text))
        foreign.push(...wrong.map((text) => `${name}: ${text}`))
      })
      assert.deepEqual(faults, [])
      assert.deepEqual(foreign, [])
    })

    it('are not cut in a narrow window', async () => {
      const editor = await harness.editor({ language, theme })
      await editor.page.setViewportSize({ width: 800, height: 1000 })
      const cut: string[] = []
      for (const name of ['account', 'limits', ...actions, 'alarms']) {
        const form = await open(editor, name)
        cut.push(...(await cutIn(form)).map((field) => `${name}: ${field}`))
        await form.cancel()
      }
      assert.deepEqual(cut, [])
    })
  })
}

function open(editor: Editor, name: string): Promise<AccountForm | ActionForm> {
  if (name === 'account') return editor.editAccount(name)
  return name === 'limits' ? editor.editLimits(name) : editor.edit(name)
}

/** Opens each of our dialogs, with everything expanded. */
async function visit(editor: Editor, look: (name: string, tray: Tray) => Promise<void>): Promise<void> {
  const account = await editor.editAccount('account')
  await account.unfold()
  await account.test()
  await look('account', account)
  await account.cancel()
  for (const name of actions) {
    const form = await editor.edit(name)
    await form.select('list')
    await form.unfold()
    await form.example()
    await look(name, form)
    await form.select('msg')
    await look(`${name} with devices from a message`, form)
    await form.select('list')
    if (name === 'latest') {
      const picker = await form.pick('devices')
      await picker.whenListed()
      await picker.typed.fill('?')
      await picker.press('add')
      await look('picker', picker)
      await picker.cancel()
      await form.whenShown('#node-input-select')
      await form.field('account').selectOption('away')
      const failed = await form.pick('devices')
      await failed.whenFailed()
      await look('failed picker', failed)
      await failed.cancel()
      await form.whenShown('#node-input-select')
    }
    await form.cancel()
  }
  const alarms = await editor.edit('alarms')
  await alarms.field('output').selectOption('states')
  await alarms.example()
  await look('alarms', alarms)
  await alarms.cancel()
  const limits = await editor.editLimits('limits')
  for (const line of await limits.body.locator('.envlog-limit-line').all()) await line.click()
  await look('limits', limits)
  await limits.cancel()
}
