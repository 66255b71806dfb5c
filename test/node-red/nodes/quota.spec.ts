import assert from 'node:assert/strict'
import helper from 'node-red-node-test-helper'
import { manualClock } from '../../../simulator'
import { NOW, rackA } from '../../support/devices'
import { startFlow, useSimulator } from '../../support/flow'
import { until } from '../../support/wait'

interface Counts {
  running: number
  waiting: number
  sharedConnected: boolean | null
  endpoints: Record<string, { limit: number; windowSeconds: number; own: number; left: number }>
}

async function counts(id = 'account'): Promise<{ status: number; body: Counts }> {
  const { status, body } = await helper.request().get(`/envlog/accounts/${id}/quota`)
  return { status, body }
}

describe('the quota of an account in nodes and in the editor', () => {
  const simulator = useSimulator(() => ({
    clock: manualClock(NOW),
    limits: { current: { limit: 3, window: 600 } },
  }))

  it('is available through the admin route: usage, remaining quota, and the limits that the service reported', async () => {
    const flow = await startFlow('current', simulator())
    flow.send()
    await flow.completed.next()
    const { status, body } = await counts()
    assert.equal(status, 200)
    assert.deepEqual([body.running, body.waiting, body.sharedConnected], [0, 0, null])
    const { limit, windowSeconds, own, left } = body.endpoints.current ?? {}
    assert.deepEqual({ limit, windowSeconds, own, left }, { limit: 3, windowSeconds: 600, own: 1, left: 2 })
  })

  it('is available even if it is shared and Redis is not reachable', async () => {
    await startFlow('current', simulator(), { account: { sharedQuota: 'redis://127.0.0.1:1' } })
    const { status, body } = await counts()
    assert.deepEqual([status, body.sharedConnected], [200, false])
  })

  it('is not available for an account that does not exist, or an incomplete one', async () => {
    await startFlow('current', simulator(), { credentials: { apiKey: '' } })
    assert.equal((await counts('nobody')).status, 404)
    const { status, body } = await counts()
    assert.equal(status, 400)
    assert.equal((body as unknown as { code: string }).code, 'ENVLOG_CONFIG')
  })

  it('makes a trigger wait if nothing is left, with the time in the status, until the node is closed', async () => {
    const flow = await startFlow('current', simulator())
    for (let count = 0; count < 4; count++) flow.send()
    for (let count = 0; count < 3; count++) await flow.completed.next()
    for (;;) {
      const { status } = await flow.statuses.next()
      if (status.fill !== 'yellow') continue
      assert.deepEqual([status.shape, status.text], ['ring', 'status.waiting'])
      break
    }
    assert.equal((await counts()).body.waiting, 1)
    await flow.close()
    assert.equal((await counts()).body.waiting, 0)
    assert.equal(simulator().log.filter(({ over }) => over).length, 0)
  })

  it('does not make a trigger wait longer than the node allows', async () => {
    const flow = await startFlow('current', simulator(), { node: { wait: 0 } })
    for (let count = 0; count < 4; count++) flow.send()
    const { error } = await flow.errors.next()
    assert.equal(error.code, 'ENVLOG_QUOTA')
    assert.match(error.cause.retryAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.equal(error.cause.endpoint, 'current')
    assert.equal(simulator().log.length, 3)
  })

  it('is still used after a deploy', async () => {
    const before = await startFlow('current', simulator())
    for (let count = 0; count < 3; count++) before.send()
    for (let count = 0; count < 3; count++) await before.completed.next()
    const after = await startFlow('current', simulator(), { node: { wait: 0 }, sameProcess: true })
    after.send()
    assert.equal((await after.errors.next()).error.code, 'ENVLOG_QUOTA')
    assert.equal(simulator().log.length, 3)
  })

  it('is used once by five nodes that repeat the same current readings', async () => {
    const others = ['b', 'c', 'd', 'e'].map((id) => {
      return { id, type: 'envlog-current', account: 'account', repeat: 3600, z: 'tab', x: 100, y: 100 }
    })
    const watched = others.map(({ id }) => id)
    const flow = await startFlow('current', simulator(), { node: { repeat: 3600 }, flow: others, watched })
    for (let count = 0; count < 5; count++) await flow.completed.next()
    assert.equal(simulator().log.length, 1)
  })

  it('is not used again by alerts or latest records that repeat after a deploy', async () => {
    for (const action of ['alerts', 'latest'] as const) {
      const node = { repeat: 3600, onlyNew: true, select: 'list', devices: [rackA] }
      const before = await startFlow(action, simulator(), { node })
      await before.completed.next()
      const used = simulator().log.length
      const { shown } = await startFlow(action, simulator(), { node, sameProcess: true })
      await until('it shows the next time', () => shown().some(({ text }) => text === 'status.next'))
      assert.equal(simulator().log.length, used)
      // With other settings, it begins at once.
      const changed = { ...node, time: 'local' }
      const after = await startFlow(action, simulator(), { node: changed, sameProcess: true })
      await after.completed.next()
      assert.ok(simulator().log.length > used)
    }
  })
})
