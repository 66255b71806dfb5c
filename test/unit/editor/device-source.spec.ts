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
  let source: DeviceSource

  beforeEach(() => {
    requests = []
    chosen = 'one'
    source = new DeviceSource(() => chosen)
    const globals = globalThis as unknown as { $: object; RED: { nodes?: object } }
    const node = (id: string) => ({ id, type: 'envlog-account', baseUrl: '', credentials: {} })
    globals.RED.nodes = { node }
    Object.assign(globals.$, {
      ajax: ({ data }: { data: string }) =>
        new Promise((succeed, fail) => requests.push({ id: JSON.parse(data).account.id, succeed, fail })),
    })
  })

  const list = { devices: [], receivedAt: 0, left: 9, freeAt: null }
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

  it('are requested with the draft of the account; if that fails, there is a reason and the older list', async () => {
    void source.load()
    assert.equal(source.state.kind, 'loading')
    requests[0]?.succeed(list)
    await settled()
    assert.deepEqual(source.state, { kind: 'loaded', list })
    const unset = { property: 'apiKey', problem: 'variable-unset', variable: '$' + '{KEY}' }
    const invalid = { code: 'ENVLOG_CONFIG', reason: 'setting-invalid', params: unset }
    const wait = { code: 'ENVLOG_QUOTA', reason: 'quota-wait', retryAt: '2026-01-15T12:00:00Z' }
    for (const [response, sentence] of [
      [{ status: 0 }, /^Node-RED does not/],
      [{ status: 403 }, /needs write permission|may view this flow/],
      [{ status: 400, responseJSON: invalid }, /^'API key' uses the environment variable \$\{KEY\},/],
      [{ status: 429, responseJSON: wait }, /^Request limit reached. The next request is possible at \d/],
    ] as const) {
      void source.load({ refresh: true })
      requests.at(-1)?.fail(response)
      await settled()
      assert.deepEqual([source.state.kind, source.state.list], ['failed', list])
      assert.match(source.state.why ?? '', sentence)
    }
  })

  it('cannot be listed if the account is a property of a subflow', async () => {
    chosen = '$' + '{ACCOUNT}'
    await source.load()
    assert.match(source.state.why ?? '', /in each instance of the subflow/)
    assert.deepEqual(requests, [])
  })

  for (const outcome of ['succeed', 'fail'] as const) {
    it(`of an account that is no longer chosen are ignored when the request ${outcome}s`, async () => {
      void source.load()
      chosen = 'other'
      void source.load()
      requests[1]?.succeed(list)
      await settled()
      requests[0]?.[outcome]({ ...list, left: 1, status: 0 })
      await settled()
      assert.deepEqual(
        [requests.map(({ id }) => id), source.state],
        [['one', 'other'], { kind: 'loaded', list }],
      )
    })
  }
})
