import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../simulator'
import type { Io } from '../../../src/check/terminal'
import { MAX_REQUESTS } from '../../../src/lib/check/collect'
import { execute, root } from '../../support/package'
import { temporaryFolder } from '../../support/run'

const MOST = Object.values(MAX_REQUESTS).reduce((sum, count) => sum + count)
const { check } = require(join(root, 'dist', 'envlog.js')) as {
  check(): typeof import('../../../src/check/cli')
}

interface Run {
  code: number
  stdout: string
  stderr: string
}

/**
 * Runs the built command in this process.
 * @param typing on a terminal, each text is typed at the question that contains its key
 */
async function run(
  args: string[],
  env: Record<string, string>,
  typing?: Record<string, string>,
): Promise<Run> {
  const written = { stdout: '', stderr: '' }
  const stdin = Object.assign(new PassThrough(), { isTTY: typing !== undefined, setRawMode: () => stdin })
  const questions = Object.entries(typing ?? {})
  const write = (name: keyof typeof written) => (text: string) => {
    written[name] += text
    const at = questions.findIndex(([question]) => text.includes(question))
    const [[, keys] = []] = at < 0 ? [] : questions.splice(at, 1)
    if (keys !== undefined) setImmediate(() => stdin.write(keys))
    return true
  }
  const io = { env, stdin, stdout: { write: write('stdout') }, stderr: { write: write('stderr') } }
  const code = await check().run(args, io as unknown as Io)
  return { code, ...written }
}

let simulator: Simulator
const login = (): Record<string, string> => ({
  ENVLOG_URL: simulator.url,
  ENVLOG_API_KEY: simulator.account.apiKey,
  ENVLOG_LOGIN_ID: simulator.account.loginId,
  ENVLOG_LOGIN_PASS: simulator.account.loginPass,
})
const start = async (options: SimulatorOptions = {}) => {
  simulator = await startSimulator({ startTime: Date.UTC(2026, 10, 20, 8), speed: 0, ...options })
}

function assertSafe(text: string): void {
  const names = simulator.truth
    .devices()
    .flatMap(({ serial, name, base, baseName, group, channels }) => [
      ...[serial, name, base, baseName, group.name],
      ...channels.map((channel) => channel.name),
    ])
  for (const original of [...names, ...Object.values(simulator.account)])
    assert.ok(original.length <= 3 || !text.includes(original), original)
}

afterEach(() => simulator?.close())

describe('envlog-check', () => {
  it('announces its requests, sends them, and shows what was read and which assumptions hold', async () => {
    await start()
    const { code, stdout, stderr } = await run(['--yes'], login())
    assert.equal(code, 0, stdout + stderr)
    assert.match(stderr, new RegExp(`At most ${MOST} requests`))
    assert.match(stderr, /alert +1 of 12 in 3600 s/)
    assert.match(
      stdout,
      /name resolved +yes, 1\n +TLS +no\n +proxy used +no\n +login accepted +yes\n.* -?\d+ s\n +rules of time zones +\d{4}\w+, of Node\.js \d+\./,
    )
    assert.match(stdout, /devices +14 +← 14\n/)
    assert.match(stdout, /latest-data-relay +\d+ ms +answered; headers: 59 of 60 left in 60 s/)
    assert.match(stdout, /channel +ch1 -?\d+(\.\d+)? °C \(temperature\) +← "/)
    assert.match(stdout, /✓ {2}bounds +as described\n/)
    assertSafe(stdout + stderr)
  })

  it('is installed as a command', async () => {
    const file = join(root, 'dist', 'check', 'cli.js')
    const { stdout } = await execute(process.execPath, [file, '--help', '--lang', 'ja'])
    assert.match(stdout, /^使い方：envlog-check/)
    const wrong = await execute(process.execPath, [file, '--what']).catch(({ code }) => ({ code }))
    assert.deepEqual(wrong, { code: 3 })
  })

  it('speaks the language of the environment', async () => {
    await start()
    const { stdout, stderr } = await run(['--yes'], { ...login(), LANG: 'ja_JP.UTF-8' })
    assert.match(stderr, new RegExp(`リクエストを最大 ${MOST} 回`))
    assert.match(stdout, /✓ {2}bounds +仕様どおり/)
  })

  it('takes the language of messages before the usual one, and that of everything before both', async () => {
    const [en, ja] = ['en_US.UTF-8', 'ja_JP.UTF-8']
    for (const [env, begins] of [
      [{ LC_MESSAGES: ja, LANG: en }, /^使い方/],
      [{ LC_ALL: ja, LC_MESSAGES: en }, /^使い方/],
      [{ LC_ALL: en, LC_MESSAGES: ja, LANG: ja }, /^Usage/],
    ] as const)
      assert.match((await run(['--help'], env)).stdout, begins)
  })

  it('prints JSON for programs, and names differences from the description', async () => {
    await start({ variants: { dstFlag: 'missing' } })
    // Blank means the default, as in the account.
    const { code, stdout } = await run(['--yes', '--json'], { ...login(), ENVLOG_RELAY_SUFFIX: ' ' })
    const { exitCode, findings, exchanges } = JSON.parse(stdout)
    assert.deepEqual([code, exitCode], [0, 0])
    assert.deepEqual(
      findings
        .filter(({ verdict }: { verdict: string }) => verdict === 'differs')
        .map(({ assumption }: Record<string, string>) => assumption),
      ['daylight-saving'],
    )
    assert.equal(exchanges[0].quota.limit, 10)
    assertSafe(stdout)
  })

  it('exits with 1 if something cannot be read, or is not as expected', async () => {
    await start({ relaySuffix: 'hub', faults: [{ kind: 'brokenJson', endpoints: ['data'] }] })
    const { code, stdout } = await run(['--yes'], login())
    assert.equal(code, 1)
    assert.match(stdout, /data +\d+ ms +The response is not JSON/)
    assert.match(stdout, /! {2}relay-suffix +the path does not exist/)
  })

  it('exits with 2 if the service refuses, with its error text and without its secrets', async () => {
    await start()
    const refuse = async (message: string) => {
      const body = JSON.stringify({ error: { code: 401, message } })
      simulator.set({ faults: [{ kind: 'status', status: 401, body }] })
      const { code, stdout } = await run(['--yes'], login())
      assert.equal(code, 2)
      assertSafe(stdout)
      return stdout
    }
    assert.match(
      await refuse('This key has expired.'),
      /The service refused the login \(401\).*This key has expired/,
    )
    assert.match(await refuse(`No such key: ${login().ENVLOG_API_KEY}`), /login accepted +no\n/)
  })

  it('exits with 2 if the service is unreachable', async () => {
    await start()
    const { code, stdout } = await run(['--yes'], { ...login(), ENVLOG_URL: 'http://127.0.0.1:9' })
    assert.equal(code, 2)
    assert.match(stdout, /The service cannot be reached \(ECONNREFUSED\)/)
  })

  it('exits with 3, without requests, on wrong usage, and never repeats the input', async () => {
    await start()
    const folder = temporaryFolder('check')
    const file = join(folder, 'login.json')
    writeFileSync(file, '{"apiKey": "a secret')
    const wrong: [string[], Record<string, string>, RegExp][] = [
      [['--password', 'hunter2hunter2'], login(), /Unknown option/],
      [['hunter2hunter2'], login(), /Unknown option/],
      [['--yes', '--lang', 'tlh'], login(), /Languages: en-US, /],
      [['--yes'], { ...login(), ENVLOG_LOGIN_PASS: 'abc' }, /'Password' must have 4 to 16 characters/],
      [['--yes'], { ...login(), ENVLOG_URL: 'http://service.example' }, /must begin with https/],
      [['--yes', '--credentials', file], {}, /credentials file cannot be read/],
      [['--save', join(folder, 'report.json')], login(), /Add --yes/],
      [['--yes'], {}, /ENVLOG_URL is not set/],
      [['--yes', '--save', join(folder, 'missing', 'a.json')], login(), /cannot be written \(ENOENT\)/],
    ]
    for (const [args, env, expected] of wrong) {
      const { code, stdout, stderr } = await run(args, env)
      assert.equal(code, 3, stderr)
      assert.match(stderr, expected)
      assert.doesNotMatch(stdout + stderr, /hunter2|a secret/)
    }
    assert.equal(existsSync(join(folder, 'report.json')), false)
    assert.equal(simulator.log.length, 0)
  })

  it('reads the login from a file, even with a byte order mark', async () => {
    await start({ relaySuffix: 'hub' })
    const file = join(temporaryFolder('check'), 'login.json')
    const { apiKey, loginId, loginPass } = simulator.account
    const content = { baseUrl: simulator.url, apiKey, loginId, loginPass, relaySuffix: 'hub' }
    writeFileSync(file, `\ufeff${JSON.stringify(content)}`)
    const { code, stdout } = await run(['--yes', '--credentials', file], {})
    assert.equal(code, 0, stdout)
    assert.match(stdout, /✓ {2}relay-suffix/)
  })

  it('saves responses without names, serial numbers and credentials', async () => {
    const file = join(temporaryFolder('check'), 'report.json')
    const onRequest = () => assert.ok(!existsSync(file), 'an interrupted check would leave an empty file')
    await start({ devices: 40, onRequest })
    const { code, stderr } = await run(['--yes', '--save', file], login())
    assert.equal(code, 0, stderr)
    const text = readFileSync(file, 'utf8')
    assertSafe(text)
    assert.doesNotMatch(text, /127\.0\.0\.1|date|set-cookie/i)
    const { format, version, responses } = JSON.parse(text)
    assert.deepEqual([format, version], ['envlog-report', 1])
    assert.equal(responses[0].body.devices.length, 40)
  })
})

describe('envlog-check on a terminal', () => {
  const known = () => ({ ENVLOG_URL: simulator.url, ENVLOG_LOGIN_ID: simulator.account.loginId })
  beforeEach(() => start())

  it('does not show secrets, and lets the user correct them', async () => {
    const { apiKey, loginPass } = simulator.account
    const { code, stdout, stderr } = await run([], known(), {
      'API key': `wrong\x15${apiKey}😀\x7f\r`,
      Password: `\x7fあ\x7f${loginPass}x\x7f\r`,
      'Send them?': 'yes\r',
    })
    assert.equal(code, 0, stderr)
    assertSafe(stdout + stderr)
    assert.doesNotMatch(stderr, /wrong/)
  })

  it('does not show secrets that are pasted after the address', async () => {
    const { apiKey, loginId, loginPass } = simulator.account
    const pasted = [simulator.url, apiKey, loginId, loginPass, ''].join('\r')
    const { code, stderr } = await run([], {}, { Address: pasted, 'API key': '\x04' })
    assert.equal(code, 3, stderr)
    assert.match(stderr, /Address.*127\.0\.0\.1/)
    assert.ok(!stderr.includes(apiKey) && !stderr.includes(loginPass))
  })

  for (const [name, key] of [
    ['Ctrl-C', '\x03'],
    ['Ctrl-D', '\x04'],
    ['no', 'no\r'],
  ] as const) {
    it(`exits without a request on ${name}`, async () => {
      const { code, stderr } = await run([], login(), { 'Send them?': key })
      assert.equal(code, 3, stderr)
      assert.doesNotMatch(stderr, /ABORT_ERR/)
      assert.equal(simulator.log.length, 0)
    })
  }
})
