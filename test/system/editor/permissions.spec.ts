import assert from 'node:assert/strict'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { editorFlow } from '../../support/editor/flow'
import { firstRuntime } from '../../support/runtimes'

const PASSWORD = 'for the tests'
/** The password's hash for Node-RED's settings (bcrypt). */
const PASSWORD_HASH = '$2b$04$3vlNAnHd.uYYy2DkUo9pq.nwvWbE7OUOTj68e/mz4YDWnfZEaO8bG'
const users = [
  { username: 'admin', permissions: '*', password: PASSWORD_HASH },
  { username: 'guest', permissions: 'read', password: PASSWORD_HASH },
]

describe('a guest in the editor', function () {
  this.timeout(ACTING_MS)
  const adminAuth = { type: 'credentials', users }
  const harness = useEditor(firstRuntime, {}, { adminAuth, user: { name: 'admin', password: PASSWORD } })

  before('deploys one of each node', () => harness.nodeRed.deploy(editorFlow(harness.simulator)))

  it('is told that requests are not allowed, and sees the remaining quota', async () => {
    const editor = await harness.open({ login: { name: 'guest', password: PASSWORD } })
    const form = await editor.edit('latest')
    await form.select('list')
    const picker = await form.pick('devices')
    assert.match(await picker.whenFailed(), /may view this flow but not send requests/)
    await picker.cancel()
    await form.whenShown('#node-input-select')
    await form.cancel()
    const account = await editor.editAccount('account')
    assert.match((await account.test())[0] ?? '', /may view this flow but not send requests/)
    assert.ok((await account.bars().count()) > 0, 'the remaining quota is visible')
    await account.cancel()
  })
})
