import assert from 'node:assert/strict'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { exampleNames, neededBy } from '../../support/examples'
import { type Runtime, runtimes } from '../../support/runtimes'

const EXAMPLES = [
  ['1 First steps', 'current readings'],
  ['MQTT', 'a topic per channel'],
]

const ALARMS = [
  ['Alarms', 'alarms to a chat'],
  ['Alarms', 'lamp and horn'],
]

/** A function node installs this package itself. */
const BY_FUNCTION = 'sparkplug-payload'

/** One example of each folder that needs a package. */
function withPackages() {
  const ofFolders = new Map<string, [folder: string, name: string, needed: string]>()
  for (const path of exampleNames) {
    const [folder = '', name = ''] = path.split('/')
    const needed = neededBy(path)
    if (needed && needed !== BY_FUNCTION) ofFolders.set(folder, [folder, name, needed])
  }
  return [...ofFolders.values()]
}

declare const RED: {
  history: { pop(): void }
  nodes: { node(id: string): { account?: string } | null }
}

for (const runtime of runtimes.slice(0, 2)) {
  describe(`imported examples in ${runtime.title}`, function () {
    this.timeout(2 * ACTING_MS)
    tests(runtime)
  })
}

function tests(runtime: Runtime): void {
  const harness = useEditor(runtime)

  it('use the account of the first flow, without a question', async () => {
    const editor = await harness.editor()
    const account = await addAccount(editor, await editor.drop('envlog-latest', { x: 200, y: 60 }))
    for (const path of EXAMPLES) await editor.importExample(path)
    const nodes = await editor.ours()
    assert.equal(nodes.length, 3)
    for (const node of nodes) assert.deepEqual([node.account, node.isValid], [account, true], node.id)
    assert.deepEqual(await editor.configs('envlog-account'), [account])
  })

  it('all use the account that is filled in for one of them', async () => {
    const editor = await harness.editor()
    for (const path of EXAMPLES) await editor.importExample(path)
    const account = await addAccount(editor, 'envlog-example-mqtt-new')
    for (const node of await editor.ours())
      assert.deepEqual([node.account, node.isValid], [account, true], node.id)
    assert.deepEqual(await editor.configs('envlog-account'), [account])
  })

  it('have limits that use this account, too', async () => {
    const editor = await harness.editor()
    await editor.importExample(['Alarms', 'alarms to a chat'])
    const account = await addAccount(editor, 'envlog-chat-current')
    const [limits] = await editor.configs('envlog-limits')
    const used = await editor.page.evaluate((id) => RED.nodes.node(id as string)?.account, limits)
    assert.equal(used, account)
  })

  it('bring limits only if there are none, and can be undone', async () => {
    const editor = await harness.editor()
    for (const path of ALARMS) await editor.importExample(path)
    const limits = await editor.configs('envlog-limits')
    assert.equal(limits.length, 1)
    const alarms = async () => (await editor.ours()).filter(({ limits }) => limits !== undefined)
    assert.deepEqual(
      (await alarms()).map((node) => [node.limits]),
      // Two in each example.
      [...ALARMS, ...ALARMS].map(() => limits),
    )
    await editor.page.evaluate(() => RED.history.pop())
    assert.equal((await alarms()).length, 2)
    assert.deepEqual(await editor.configs('envlog-limits'), limits)
  })

  it('offer to install the package that they need', async () => {
    const editor = await harness.editor()
    for (const [folder, name, needed] of withPackages()) {
      const offers = editor.page.locator('.red-ui-notification', { hasText: 'Required modules missing' })
      const before = await offers.count()
      await editor.importExample([folder, name])
      await offers.nth(before).waitFor()
      assert.ok(
        (await offers.allInnerTexts()).some((text) => text.includes(`\n${needed}\n`)),
        name,
      )
      await editor.page.evaluate(() => RED.history.pop())
    }
  })

  /** @returns its id */
  async function addAccount(editor: Editor, node: string): Promise<string | undefined> {
    const form = await editor.edit(node)
    const account = await form.addAccount()
    await account.fill({ name: 'Plant A', baseUrl: harness.simulator.url })
    await account.fillLogin(harness.simulator.account)
    await account.done()
    await form.done()
    const [id] = await editor.configs('envlog-account')
    return id
  }
}
