import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import { manualClock, type Simulator, startSimulator } from '../../simulator'
import { registerAdminRoutes } from '../../src/nodes/account/admin/routes'
import { defaultsOf } from '../support/built'
import { NOW } from '../support/devices'
import { accountNode } from '../support/e2e-flow'
import { adminAuthOf, logIn, type NodeRed, PASSWORD, startNodeRed } from '../support/node-red'
import { runtimesOfTier } from '../support/runtimes'

const STARTING_MS = 300_000
const RESPONSE_MS = 60_000

/** Users who log in, with their permissions in Node-RED. */
const users = {
  all: '*',
  viewer: 'read',
  reader: ['envlog.read'],
  writer: ['envlog.write'],
  deployer: ['flows.write'],
  both: ['envlog.write', 'flows.write'],
  nothing: [],
}

/**
 * Whether a route sends requests to the service, and the HTTP status that it responds to each user with; `anonymous` has
 * not logged in.
 */
const [[, , ...names] = [], ...rows] = `
  route                            sends   all   viewer   reader   writer   deployer   both   nothing   anonymous

  GET:/envlog/accounts/:id/quota   no      200   200      200      401      401        401    401       401
  GET:/envlog/stores               no      200   200      200      401      401        401    401       401
  GET:/envlog/time-zones           no      200   200      200      401      401        401    401       401
  GET:/envlog/limits/:id/interval  no      200   200      200      401      401        401    401       401
  POST:/envlog/cached-devices      no      200   200      200      401      401        401    401       401

  POST:/envlog/devices             yes     200   401      401      401      401        200    401       401
  POST:/envlog/test                yes     200   401      401      401      401        200    401       401
  POST:/envlog/report              yes     200   401      401      401      401        200    401       401
  POST:/envlog/try                 yes     200   401      401      401      401        200    401       401
  POST:/envlog/preview             yes     200   401      401      401      401        200    401       401
`
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => line.trim().split(/ +/))
const routes = rows.map(([route = '', sends, ...statuses]) => ({ route, sends: sends === 'yes', statuses }))

describe('the admin routes', () => {
  it('are those of the table, and no others', () => {
    const registered: string[] = []
    const add = (method: string) => (path: string) => void registered.push(`${method}:${path}`)
    const RED = { auth: { needsPermission() {} }, httpAdmin: { get: add('GET'), post: add('POST') } }
    registerAdminRoutes(RED as unknown as NodeAPI)
    assert.deepEqual(
      registered,
      routes.map(({ route }) => route),
    )
  })
})

for (const runtime of runtimesOfTier) {
  describe(`the admin routes in ${runtime.title}`, function () {
    this.timeout(RESPONSE_MS)
    let simulator: Simulator
    let nodeRed: NodeRed
    const tokens = new Map<string, string>()

    before('starts Node-RED, and logs each user in', async function () {
      this.timeout(STARTING_MS)
      simulator = await startSimulator({ clock: manualClock(NOW), limits: 'off' })
      const user = { name: 'all', password: PASSWORD }
      nodeRed = await startNodeRed(runtime, { adminAuth: adminAuthOf(users), user })
      await nodeRed.deploy([accountNode(simulator)])
      for (const name of Object.keys(users)) tokens.set(name, await logIn(nodeRed.url, name, PASSWORD))
    })

    after('ends everything', async () => {
      await nodeRed?.stop('SIGKILL')
      await simulator?.close()
    })

    for (const { route, sends, statuses } of routes) {
      it(`responds only to users with the permissions, and sends nothing for others: ${route}`, async () => {
        const found: string[] = []
        for (const name of names) {
          const before = simulator.log.length
          const status = await request(route, name)
          found.push(`${status}`)
          assert.equal(simulator.log.length > before, sends && status === 200, name)
        }
        assert.deepEqual(found, statuses)
      })
    }

    /** Sends a request like the editor, and returns the status of the response. */
    async function request(route: string, user: string): Promise<number> {
      const [method = '', path = ''] = route.replace(':id', 'account').split(':')
      const token = tokens.get(user)
      const { baseUrl, credentials, limits } = accountNode(simulator)
      const node = { ...defaultsOf('envlog-current'), id: 'node', type: 'envlog-current' }
      const body = { account: { baseUrl, credentials, limits }, node, refresh: true }
      const response = await fetch(nodeRed.url + path, {
        method,
        headers: {
          'content-type': 'application/json',
          connection: 'close',
          ...(token && { authorization: `Bearer ${token}` }),
        },
        ...(method === 'POST' && { body: JSON.stringify(body) }),
      })
      await response.arrayBuffer()
      return response.status
    }
  })
}
