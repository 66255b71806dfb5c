import assert from 'node:assert/strict'
import { STORED_SECRET } from '../../../src/shared/admin'
import type { Editor } from '../../support/editor/editor'
import { ACTING_MS, useEditor } from '../../support/editor/editor-harness'
import { editorFlow } from '../../support/editor/flow'
import { logIn } from '../../support/node-red'
import { firstRuntime } from '../../support/runtimes'

const people = { admin: '*', guest: 'read' }
const PASSWORD = 'for the tests'
/** The password's hash for Node-RED's settings (bcrypt). */
const HASH = '$2b$04$3vlNAnHd.uYYy2DkUo9pq.nwvWbE7OUOTj68e/mz4YDWnfZEaO8bG'
const users = Object.entries(people).map(([username, permissions]) => ({
  username,
  permissions,
  password: HASH,
}))

describe('the admin routes with adminAuth', function () {
  this.timeout(ACTING_MS)
  const adminAuth = { type: 'credentials', users }
  const harness = useEditor(firstRuntime, {}, { adminAuth, user: { name: 'admin', password: PASSWORD } })
  const tokens: Record<string, string> = {}

  before('deploys one of each node', async () => {
    await harness.nodeRed.deploy(editorFlow(harness.simulator))
    for (const name of Object.keys(people)) tokens[name] = await logIn(harness.nodeRed.url, name, PASSWORD)
  })

  const routes = {
    reading: ['GET accounts/account/quota', 'GET stores'],
    requesting: ['POST devices', 'POST test'],
  }

  it('refuse users without a login, allow a guest to read, and an admin to send requests', async () => {
    const before = harness.simulator.log.length
    for (const route of [...routes.reading, ...routes.requesting]) {
      assert.equal((await request(route)).status, 401, route)
    }
    for (const route of routes.reading) assert.equal((await request(route, tokens.guest)).status, 200, route)
    for (const route of routes.requesting) {
      assert.ok([401, 403].includes((await request(route, tokens.guest)).status), route)
    }
    assert.equal(harness.simulator.log.length, before)
    for (const route of [...routes.reading, ...routes.requesting]) {
      assert.equal((await request(route, tokens.admin)).status, 200, route)
    }
    assert.ok(harness.simulator.log.length > before)
  })

  it("tell a guest in the editor that the account's devices are not allowed", async () => {
    const editor: Editor = await harness.open({ login: { name: 'guest', password: PASSWORD } })
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

  async function request(route: string, token?: string): Promise<Response> {
    const [method = '', path] = route.split(' ')
    const { url, account } = harness.simulator
    const credentials = { ...account, apiKey: STORED_SECRET, loginPass: STORED_SECRET }
    const body = JSON.stringify({ account: { id: 'account', baseUrl: url, credentials } })
    return await fetch(`${harness.nodeRed.url}/envlog/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(method === 'POST' && { body }),
    })
  }
})
