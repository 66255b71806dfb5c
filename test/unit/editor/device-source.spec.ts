import assert from 'node:assert/strict'
import { DeviceSource } from '../../../src/editor/device-source'
import { useFakeRed } from '../../support/fake-red'

interface PendingRequest {
  id: string
  succeed(list: object): void
  fail(response: object): void
}

describe('the devices of the account chosen in a form', () => {
  useFakeRed()
  let requests: PendingRequest[]
  let chosen: string

  beforeEach(() => {
    requests = []
    chosen = 'one'
    const globals = globalThis as unknown as { $: object; RED: { nodes?: object } }
    const node = (id: string) => ({ id, type: 'envlog-account', baseUrl: '', credentials: {} })
    globals.RED.nodes = { node }
    Object.assign(globals.$, {
      ajax: ({ data }: { data: string }) =>
        new Promise((resolve, reject) => {
          const { account } = JSON.parse(data)
          requests.push({ id: account.id, succeed: resolve, fail: reject })
        }),
    })
  })

  const list = { devices: [], receivedAt: 0, left: 9, freeAt: null }
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

  it('are requested with the draft of the account and then loaded', async () => {
    const source = new DeviceSource(() => chosen)
    void source.load()
    assert.equal(source.state.kind, 'loading')
    requests[0]?.succeed(list)
    await settled()
    assert.deepEqual(source.state, { kind: 'loaded', list })
  })

  it('have a reason if the request fails, and keep an older list', async () => {
    const source = new DeviceSource(() => chosen)
    void source.load()
    requests[0]?.succeed(list)
    await settled()
    const wait = { code: 'ENVLOG_QUOTA', reason: 'quota-wait', retryAt: '2026-01-15T12:00:00Z' }
    for (const [response, sentence] of [
      [{ status: 0 }, /^Node-RED does not/],
      [{ status: 403 }, /needs write permission|may view this flow/],
      [{ status: 429, responseJSON: wait }, /^Request limit reached. The next request is possible at \d/],
    ] as const) {
      void source.load({ refresh: true })
      requests.at(-1)?.fail(response)
      await settled()
      const { state } = source
      assert.ok(state.kind === 'failed')
      assert.deepEqual(state.list, list)
      assert.match(state.why, sentence)
    }
  })

  it('cannot be listed if the account is a property of a subflow', async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as Node-RED saves it
    const source = new DeviceSource(() => '${ACCOUNT}')
    await source.load()
    const state = source.state
    assert.ok(state.kind === 'failed')
    assert.match(state.why, /in each instance of the subflow/)
    assert.deepEqual(requests, [])
  })

  for (const outcome of ['succeed', 'fail'] as const) {
    it(`of an account that is no longer chosen are ignored when the request ${outcome}`, async () => {
      const source = new DeviceSource(() => chosen)
      void source.load()
      chosen = 'other'
      void source.load()
      requests[1]?.succeed(list)
      await settled()
      requests[0]?.[outcome]({ ...list, left: 1, status: 0 })
      await settled()
      assert.deepEqual(
        requests.map(({ id }) => id),
        ['one', 'other'],
      )
      assert.deepEqual(source.state, { kind: 'loaded', list })
    })
  }
})
