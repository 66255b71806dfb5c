import assert from 'node:assert/strict'
import { EnvlogError } from '../../../../src/lib/errors'
import { localizeError } from '../../../../src/nodes/kit/report/localize'
import { withCatalogs } from '../../../support/catalog-red'

describe('a localized error', () => {
  const RED = withCatalogs('en-US')
  const messageOf = (property: string) =>
    localizeError(RED, new EnvlogError('setting-invalid', { property, problem: 'text' })).message

  it('names a setting as the form does', () => {
    assert.ok(messageOf('sharedQuota').includes("'Shared quota'"))
    assert.ok(messageOf('devices.0.serial').includes("'Devices'"))
    assert.ok(messageOf('version').includes("'version'"), 'no form has it')
  })

  it('says what is allowed, and what to do', () => {
    const params = { property: 'repeat', problem: 'whole', least: 0, most: 2_000_000 }
    assert.equal(
      localizeError(RED, new EnvlogError('setting-invalid', params)).message,
      "'Repeat every' must be a whole number from 0 to 2,000,000. Open the node or its account and correct it.",
    )
  })

  it('keeps a message property as users write it', () => {
    const { message } = localizeError(RED, new EnvlogError('devices-missing', { property: 'msg.devices' }))
    assert.ok(message.includes("'msg.devices'"), message)
  })

  it('is also available in Japanese', () => {
    const params = { property: 'timeout', problem: 'whole', least: 1, most: 3600 }
    const { message } = localizeError(withCatalogs('ja'), new EnvlogError('setting-invalid', params))
    assert.match(message, /^「.+」は 1 ～ 3,600 の整数にしてください。ノードまたはアカウント/)
  })

  it('begins with the device concerned, on one line', () => {
    const error = new EnvlogError('response-not-csv')
    const sentence = `${localizeError(RED, error)}`
    for (const [language, subject, begin] of [
      ['en-US', { serial: '41E10013', name: 'Workshop' }, 'Workshop (41E10013): '],
      ['en-US', { serial: '41E10013' }, '41E10013: '],
      ['en-US', { serial: '41E10013', name: 'A\n[error] B' }, 'A [error] B (41E10013): '],
      ['en-US', { serial: '4\n[error] B' }, '4 [error] B: '],
      ['en-US', { serial: '4', name: `${'A'.repeat(99)}😀` }, `${'A'.repeat(99)}  (4): `],
    ] as const) {
      assert.equal(`${localizeError(withCatalogs(language), error.about(subject))}`, begin + sentence)
    }
    const inJapanese = localizeError(withCatalogs('ja'), error.about({ serial: '41E10013', name: '作業場' }))
    assert.match(`${inJapanese}`, /^作業場（41E10013）：応答が/)
  })

  it('reaches Catch nodes with code and cause as own properties', () => {
    const params = { status: 400, words: '', serves: 'standalone' }
    const cause = { status: 400, endpoint: 'data', serial: 'A' }
    const report = localizeError(RED, new EnvlogError('device-refused', params, cause))
    assert.deepEqual({ ...report }, { message: String(report), code: 'ENVLOG_SERVICE', cause })
    assert.match(report.message, /may have left the account, or .* which only standalone devices have\./)
  })

  it('names the words of the service as such', () => {
    const error = new EnvlogError('login-refused', { status: 401, words: 'Authentication failed' })
    assert.match(
      `${localizeError(withCatalogs('en-US'), error)}`,
      /account\. The service says: Authentication failed$/,
    )
    assert.match(`${localizeError(withCatalogs('ja'), error)}`, /。サービスの応答：Authentication failed$/)
    const silent = new EnvlogError('login-refused', { status: 401, words: '' })
    assert.match(`${localizeError(withCatalogs('en-US'), silent)}`, /account\.$/)
  })

  it('contains only the type of an unexpected error, because its message may contain anything', () => {
    const bug = Object.assign(new TypeError('with s3cret inside'), { code: 'ERR_X', input: 's3cret' })
    const report = localizeError(RED, bug)
    assert.match(report.message, /TypeError ERR_X/)
    assert.doesNotMatch(JSON.stringify(Object.getOwnPropertyDescriptors(report)), /s3cret/)
    assert.match(localizeError(RED, 'text').message, /string/)
  })

  it('contains local times of the server', () => {
    const time = new Date(Date.now() + 3_600_000)
    const { message } = localizeError(RED, new EnvlogError('quota-wait', { retryAt: time.toISOString() }))
    const local = [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':')
    assert.ok(message.includes(local) && !message.includes(time.toISOString()), message)
  })
})
