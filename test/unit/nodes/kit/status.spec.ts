import assert from 'node:assert/strict'
import { install } from '@sinonjs/fake-timers'
import { EnvlogError } from '../../../../src/lib/errors'
import { localizeError } from '../../../../src/nodes/kit/report/localize'
import { type RunStatus, toNodeStatus } from '../../../../src/nodes/kit/report/status'

/** Returns the key of the sentence with its parameters. */
const RED = { _: (key: string, params: object = {}) => `${key} ${JSON.stringify(params)}` } as never
const short = { _: (_key: string, { count }: { count: number }) => `${count} records` } as never
const at = new Date(2026, 10, 20, 8, 5).getTime()

/** The text of a status shown at that time. */
function textNow(status: RunStatus): string | undefined {
  const clock = install({ now: at, toFake: ['Date'] })
  try {
    return toNodeStatus(RED, status).text
  } finally {
    clock.uninstall()
  }
}

describe('the status of a node', () => {
  it('is empty before the first trigger', () =>
    assert.deepEqual(toNodeStatus(RED, { kind: 'idle', refused: 0 }), {}))

  for (const [error, text] of [
    [new EnvlogError('no-account'), 'status.no-account'],
    [new EnvlogError('account-incomplete', { property: 'apiKey' }), 'status.missing-apiKey'],
    [new EnvlogError('setting-invalid', { property: 'repeat', problem: 'whole' }), 'status.unconfigured'],
  ] as const) {
    it(`is a grey ring with what is missing, as a key that the editor translates: ${text}`, () =>
      assert.deepEqual(toNodeStatus(RED, { kind: 'failed', error }), { fill: 'grey', shape: 'ring', text }))
  }

  it('shows until when the node waits for quota, with seconds in the last minute', () => {
    const text = (ms: number) => textNow({ kind: 'waiting', until: at + ms, records: false })
    assert.equal(text(12_000), 'status.waiting {"time":"08:05:12"}')
    assert.equal(text(60_000), 'status.waiting {"time":"08:06"}')
  })

  it('shows until when the quota is used up, if the node must not wait', () => {
    const error = new EnvlogError('quota-wait', {}, { retryAt: new Date(at + 600_000).toISOString() })
    assert.equal(textNow({ kind: 'failed', error }), 'status.used-up-until {"time":"08:15"}')
  })

  it('shows since when a failure persists, and when the node tries again', () => {
    const failed = { kind: 'failed', error: new EnvlogError('no-connection'), since: at - 600_000 } as const
    const params = { what: 'status.ENVLOG_NETWORK {}', since: '07:55' }
    assert.equal(textNow(failed), `status.since ${JSON.stringify(params)}`)
    assert.equal(
      textNow({ ...failed, next: at + 300_000 }),
      `status.since-next ${JSON.stringify({ ...params, next: '08:10' })}`,
    )
  })

  it('is a blue dot during requests', () => {
    assert.deepEqual(toNodeStatus(RED, { kind: 'requesting' }), {
      fill: 'blue',
      shape: 'dot',
      text: 'status.asking',
    })
    assert.deepEqual(toNodeStatus(short, { kind: 'progress', unit: 'pages', count: 2 }), {
      fill: 'blue',
      shape: 'dot',
      text: '2 records',
    })
  })

  it('is a green dot with what was received, and when', () => {
    assert.deepEqual(toNodeStatus(short, { kind: 'received', unit: 'records', count: 300, at, refused: 0 }), {
      fill: 'green',
      shape: 'dot',
      text: '300 records 08:05',
    })
  })

  it('says that nothing is new, and when', () =>
    assert.deepEqual(toNodeStatus(RED, { kind: 'nothing-new', at, refused: 0 }), {
      fill: 'green',
      shape: 'dot',
      text: 'status.nothing-new {} 08:05',
    }))

  it('is a red ring with a text for the code, as a key that the editor translates', () => {
    const text = (error: unknown) => toNodeStatus(RED, { kind: 'failed', error }).text
    assert.equal(text(new EnvlogError('no-connection')), 'status.ENVLOG_NETWORK')
    assert.equal(text(new Error('a bug')), 'status.failed')
    assert.equal(toNodeStatus(RED, { kind: 'failed', error: new EnvlogError('closed') }).fill, 'red')
  })
})

describe('a localized error of a node', () => {
  const error = new EnvlogError(
    'device-refused',
    { status: 400, words: 'no', serves: 'standalone' },
    { status: 400, endpoint: 'data', serial: 'A' },
  )

  it('is the sentence of the catalog with its parameters, kinds of devices translated', () => {
    const expected = { status: 400, words: 'no', serves: 'serves.standalone {}' }
    assert.equal(localizeError(RED, error).message, `errors.device-refused ${JSON.stringify(expected)}`)
  })

  it('reaches Catch nodes with code and cause as own properties', () => {
    const report = localizeError(RED, error)
    assert.ok(Object.hasOwn(report, 'code') && Object.hasOwn(report, 'cause'))
    assert.equal(report.code, 'ENVLOG_SERVICE')
    assert.deepEqual(report.cause, { status: 400, endpoint: 'data', serial: 'A' })
    assert.match(String(report), /^errors\.device-refused/)
  })

  it('contains only the type of any other error, because its message may contain anything', () => {
    const bug = Object.assign(new TypeError('with s3cret inside'), { code: 'ERR_X', input: 's3cret' })
    const report = localizeError(RED, bug)
    assert.match(report.message, /failure\.unexpected.*TypeError ERR_X/)
    assert.doesNotMatch(JSON.stringify(Object.getOwnPropertyDescriptors(report)), /s3cret/)
    assert.match(localizeError(RED, 'text').message, /failure\.unexpected.*string/)
  })
})
