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
  ...{ username, permissions, password: HASH },
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
    looks: ['GET accounts/account/quota', 'GET stores'],
    asks: ['POST devices', 'POST test'],
  }

  it('refuse users without a login, without sending a request', async () => {
    const before = harness.simulator.log.length
    for (const token of [undefined, 'made-up']) {
      for (const route of [...routes.looks, ...routes.asks]) {
        const { status, text } = await request(route, token)
        assert.equal(status, 401, route)
        assert.ok(!text.includes('limit') && !text.includes('serial'), route)
      }
    }
    assert.equal(harness.simulator.log.length, before)
  })

  it('allow a guest to read, and nothing that uses quota', async () => {
    const before = harness.simulator.log.length
    for (const route of routes.looks) assert.equal((await request(route, tokens.guest)).status, 200, route)
    for (const route of routes.asks) {
      assert.ok([401, 403].includes((await request(route, tokens.guest)).status), route)
    }
    assert.equal(harness.simulator.log.length, before)
  })

  it('allow an admin to send requests, and return no secret', async () => {
    const { apiKey, loginPass } = harness.simulator.account
    const before = harness.simulator.log.length
    for (const route of [...routes.looks, ...routes.asks]) {
      const { status, text } = await request(route, tokens.admin)
      assert.equal(status, 200, `${route}: ${text}`)
      for (const secret of [apiKey, loginPass]) assert.ok(!text.includes(secret), route)
    }
    assert.ok(harness.simulator.log.length > before)
  })

  it('refuse hostile bodies with a reason and without a request', async () => {
    const bodies = [
      '',
      'null',
      '[]',
      '"text"',
      '{"account": null}',
      '{"account": {"__proto__": {"baseUrl": "https://other.example"}}}',
      '{"account": {"baseUrl": {"toString": 1}}}',
      `{"account": {"baseUrl": "${'a'.repeat(3000)}"}}`,
      '{"account": {"baseUrl": "file:///etc/passwd", "credentials": {}}}',
      '{"account": {"baseUrl": "http://192.0.2.1", "credentials": {}}}',
      `{"account": {"id": "../..", "baseUrl": "https://other.example", "credentials": {"apiKey": "${STORED_SECRET}"}}}`,
      '{not json',
    ]
    const before = harness.simulator.log.length
    for (const body of bodies) {
      for (const route of routes.asks) {
        const { status, text } = await request(route, tokens.admin, body)
        assert.equal(status, 400, `${route} ${body}: ${status} ${text}`)
        // Node-RED itself refuses JSON that is not an object, with its own message.
        if (/^[{[].*[}\]]$/.test(body)) assert.match(text, /^\{"code":"ENVLOG_/, body)
      }
    }
    for (const id of ['nobody', '..%2F..', 'current', '__proto__']) {
      assert.equal((await request(`GET accounts/${id}/quota`, tokens.admin)).status, 404, id)
    }
    assert.equal(harness.simulator.log.length, before)
  })

  it('tell a guest in the editor that the account’s devices are not allowed', async () => {
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

  async function request(
    route: string,
    token?: string,
    body?: string,
  ): Promise<{ status: number; text: string }> {
    const [method = '', path] = route.split(' ')
    const { url, account } = harness.simulator
    const typed = {
      id: 'account',
      baseUrl: url,
      credentials: { ...account, apiKey: STORED_SECRET, loginPass: STORED_SECRET },
    }
    const response = await fetch(`${harness.nodeRed.url}/envlog/${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(method === 'POST' && { body: body ?? JSON.stringify({ account: typed }) }),
    })
    return { status: response.status, text: await response.text() }
  }
})
