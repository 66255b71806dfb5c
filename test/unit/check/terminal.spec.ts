import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { type Simulator, startSimulator } from '../../../simulator'
import { root } from '../../support/package'

const CLI = join(root, 'dist', 'check', 'cli.js')
const TYPING = join(root, 'test', 'support', 'typing.cjs')

describe('envlog-check on a terminal', () => {
  let simulator: Simulator
  before(async () => {
    simulator = await startSimulator({ startTime: Date.UTC(2026, 10, 20, 8), speed: 0 })
  })
  after(() => simulator.close())
  beforeEach(() => simulator.reset())

  const known = () => ({ ENVLOG_URL: simulator.url, ENVLOG_LOGIN_ID: simulator.account.loginId })

  function run(
    typing: Record<string, string>,
    login: Record<string, string> = known(),
  ): Promise<{ code: number; shown: string }> {
    const { PATH = '', HOME = '' } = process.env
    const env = { PATH, HOME, TYPING: JSON.stringify(typing), ...login }
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        ['--require', TYPING, CLI],
        { env, timeout: 60_000 },
        (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), shown: stdout + stderr }),
      )
    })
  }

  it('does not show the secrets, and lets them be corrected', async () => {
    const { apiKey, loginPass } = simulator.account
    const { code, shown } = await run({
      'API key': `wrong\x15${apiKey}😀\x7f\r`,
      Password: `\x7fあ\x7f${loginPass}x\x7f\r`,
      'Send them?': 'yes\r',
    })
    assert.equal(code, 0, shown)
    assert.ok(!shown.includes(apiKey) && !shown.includes(loginPass))
  })

  it('does not show secrets that are pasted after the address', async () => {
    const { url, account } = simulator
    const pasted = [url, account.apiKey, account.loginId, account.loginPass, ''].join('\r')
    const { code, shown } = await run({ Address: pasted, 'API key': '\x04' }, {})
    assert.equal(code, 3, shown)
    assert.match(shown, /Address.*127\.0\.0\.1/)
    assert.ok(!shown.includes(account.apiKey) && !shown.includes(account.loginPass))
  })

  for (const [name, key] of [
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
  ] as const) {
    it(`ends without a request at ${name}`, async () => {
      const { apiKey, loginPass } = simulator.account
      const { code, shown } = await run({
        'API key': `${apiKey}\r`,
        Password: `${loginPass}\r`,
        'Send them?': key,
      })
      assert.equal(code, 3, shown)
      assert.doesNotMatch(shown, /ABORT_ERR/)
      assert.equal(simulator.log.length, 0)
    })
  }
})
