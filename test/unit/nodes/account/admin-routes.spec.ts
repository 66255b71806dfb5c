import assert from 'node:assert/strict'
import type { NodeAPI } from 'node-red'
import { registerAdminRoutes } from '../../../../src/nodes/account/admin/routes'

type Handler = string | ((...args: never[]) => unknown)

/** The permissions that the routes need, as in SECURITY.md: who may read, and who may cause requests to an address. */
const reads = ['envlog.read']
const requests = ['envlog.write', 'flows.write']

describe('the admin routes', () => {
  const registered = new Map<string, readonly Handler[]>()

  before('registers them', () => {
    const add =
      (method: string) =>
      (path: string, ...handlers: Handler[]) =>
        registered.set(`${method} ${path}`, handlers)
    const RED = {
      auth: { needsPermission: (name: string) => name },
      httpAdmin: { get: add('GET'), post: add('POST') },
    }
    registerAdminRoutes(RED as unknown as NodeAPI)
  })

  it('need these permissions, and there are no other routes', () => {
    const permissions = [...registered].map(([route, handlers]) => [
      route,
      handlers.filter((handler) => typeof handler === 'string'),
    ])
    assert.deepEqual(Object.fromEntries(permissions), {
      'GET /envlog/accounts/:id/quota': reads,
      'GET /envlog/stores': reads,
      'POST /envlog/cached-devices': reads,
      'POST /envlog/devices': requests,
      'POST /envlog/test': requests,
      'POST /envlog/report': requests,
      'POST /envlog/try': requests,
    })
  })
})
