import assert from 'node:assert/strict'
import { defaultsOf } from '../../support/built'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { editorFlow } from '../../support/editor/flow'
import { runtimesOfTier } from '../../support/runtimes'

for (const runtime of runtimesOfTier) {
  describe(`the form of a report in ${runtime.title}`, function () {
    this.timeout(ACTING_MS)
    const harness = useEditor(runtime)

    before('deploys one of each node', () => {
      const report = { ...defaultsOf('envlog-report'), id: 'report', type: 'envlog-report', z: 'tab' }
      return harness.nodeRed.deploy([
        ...editorFlow(harness.simulator),
        { ...report, account: 'account', x: 600, y: 300, wires: [[], []] },
      ])
    })

    it('shows the fields that apply, and a page of the first device', async () => {
      const editor = await harness.editor()
      const form = await editor.edit('report')
      const isShown = (name: string) => form.field(name).locator('xpath=ancestor::div[1]').isVisible()
      assert.deepEqual(await Promise.all(['from', 'to', 'at'].map(isShown)), [false, false, false])
      await form.field('period').selectOption('custom')
      await form.field('every').selectOption('day')
      assert.deepEqual(await Promise.all(['from', 'to', 'at'].map(isShown)), [true, true, true])
      await form.unfold()
      await form.field('coverage').fill('101')
      const preview = form.body.getByRole('button', { name: 'Preview' })
      const lines = form.body.locator('#envlog-preview-lines')
      await preview.click()
      await lines.getByText("'Complete from' must be a whole number from 0 to 100.").waitFor()
      await form.field('coverage').fill('95')
      const before = harness.simulator.log.length
      await preview.click()
      const link = lines.getByRole('link', { name: 'open the page' })
      await link.waitFor()
      assert.equal(harness.simulator.log.length, before + 2)
      const html = await form.body
        .page()
        .evaluate(async (url) => (await fetch(url)).text(), (await link.getAttribute('href')) as string)
      assert.match(html, /^<!DOCTYPE html>[\s\S]*<svg/)
      await form.cancel()
    })
  })
}
