import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../simulator'
import { MAX_REQUESTS } from '../../../src/lib/check/collect'
import { root } from '../../support/package'
import { temporaryFolder } from '../../support/run'

const MOST = Object.values(MAX_REQUESTS).reduce((sum, count) => sum + count)
const CLI = join(root, 'dist', 'check', 'cli.js')

interface Run {
  code: number
  stdout: string
  stderr: string
}

function run(args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  return new Promise((resolve) => {
    const { PATH = '', HOME = '' } = process.env
    const child = execFile(
      process.execPath,
      [CLI, ...args],
      { env: { PATH, HOME, ...env } },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
    child.stdin?.end()
  })
}

describe('envlog-check', () => {
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
  const originals = () =>
    simulator.truth
      .devices()
      .flatMap(({ serial, name, base, baseName, group, channels }) => [
        ...[serial, name, base, baseName, group.name],
        ...channels.map((channel) => channel.name),
      ])
      .filter((text) => text.length > 3)
  const secrets = () => Object.values(simulator.account)

  function assertSafe(text: string): void {
    for (const original of [...originals(), ...secrets()]) assert.ok(!text.includes(original), original)
  }

  afterEach(() => simulator?.close())

  it('says what it will request, requests it, and shows what was read and what is as expected', async () => {
    await start()
    const { code, stdout, stderr } = await run(['--yes'], login())
    assert.equal(code, 0, stdout + stderr)
    assert.match(stderr, new RegExp(`At most ${MOST} requests`))
    assert.match(stderr, /alert +1 of 12 in 3600 s/)
    assert.match(stdout, /latest-data-relay +\d+ ms +answered; headers: 59 of 60 left in 60 s/)
    assert.match(stdout, /channel +ch1 -?\d+(\.\d+)? °C \(temperature\) +← "/)
    assert.match(stdout, /✓ {2}bounds +both bounds are excluded/)
    assertSafe(stdout + stderr)
  })

  it('speaks Japanese, by flag or environment', async () => {
    await start()
    for (const [args, env] of [
      [['--lang', 'ja'], {}],
      [[], { LANG: 'ja_JP.UTF-8' }],
    ] as const) {
      const { stdout, stderr } = await run([...args, '--yes'], { ...login(), ...env })
      assert.match(stderr, new RegExp(`最大 ${MOST} 回のリクエスト`))
      assert.match(stdout, /仕様どおり/)
    }
  })

  it('prints JSON for programs, without colours, and names what differs', async () => {
    await start({ variants: { inclusiveBounds: true, numbers: 'text' } })
    const { code, stdout } = await run(['--yes', '--json'], login())
    const result = JSON.parse(stdout)
    assert.equal(code, 0)
    assert.equal(result.exitCode, 0)
    const others = result.findings.filter(({ verdict }: { verdict: string }) => verdict === 'differs')
    assert.deepEqual(
      others.map(({ assumption, seen }: { assumption: string; seen: string }) => [assumption, seen]),
      [
        ['bounds', 'inclusive'],
        ['numbers', 'other-types'],
      ],
    )
    assertSafe(stdout)
  })

  it('ends with 1 where something is not read', async () => {
    await start({ faults: [{ kind: 'brokenJson', endpoints: ['alert'] }] })
    const { code, stdout } = await run(['--yes'], login())
    assert.equal(code, 1)
    assert.match(stdout, /alert +\d+ ms +The response is not JSON/)
  })

  it('ends with 2 where the service refuses or cannot be reached, with its words and without its secrets', async () => {
    await start()
    const env = login()
    const secret = String(env.ENVLOG_API_KEY)
    const body = JSON.stringify({ error: { code: 401, message: `No such key: ${secret}` } })
    simulator.set({ faults: [{ kind: 'status', status: 401, body }] })
    const refused = await run(['--yes'], env)
    assert.equal(refused.code, 2)
    assert.match(refused.stdout, /The service refused the login \(401\)/)
    assertSafe(refused.stdout + refused.stderr)
    const gone = await run(['--yes'], { ...env, ENVLOG_URL: 'http://127.0.0.1:9' })
    assert.equal(gone.code, 2)
    assert.match(gone.stdout, /The service cannot be reached \(ECONNREFUSED\)/)
  })

  it('ends with 3 where it is used wrongly, and never repeats what was typed', async () => {
    await start()
    const file = join(temporaryFolder('check'), 'login.json')
    writeFileSync(file, '{"apiKey": "a secret')
    const wrong: [string[], Record<string, string>, RegExp][] = [
      [['--password', 'hunter2hunter2'], login(), /Unknown option/],
      [['hunter2hunter2'], login(), /Unknown option/],
      [['--yes', '--lang', 'tlh'], login(), /Languages: en-US, /],
      [['--yes'], { ...login(), ENVLOG_LOGIN_PASS: 'abc' }, /Password.*wrong number of characters/],
      [['--yes'], { ...login(), ENVLOG_URL: 'http://service.example' }, /must begin with https/],
      [['--yes', '--credentials', file], {}, /credentials file cannot be read/],
      [[], login(), /Add --yes/],
      [['--yes'], {}, /ENVLOG_URL is not set/],
      [['--yes', '--save', join(file, 'below')], login(), /cannot be written \(ENOTDIR\)/],
    ]
    for (const [args, env, expected] of wrong) {
      const { code, stdout, stderr } = await run(args, env)
      assert.equal(code, 3, stderr)
      assert.match(stderr, expected)
      assert.doesNotMatch(stdout + stderr, /hunter2|a secret/)
    }
  })

  it('takes the login from a file, also with a byte order mark', async () => {
    await start({ relaySuffix: 'hub' })
    const file = join(temporaryFolder('check'), 'login.json')
    const { apiKey, loginId, loginPass } = simulator.account
    writeFileSync(
      file,
      `\ufeff${JSON.stringify({ baseUrl: simulator.url, apiKey, loginId, loginPass, relaySuffix: 'hub' })}`,
    )
    const { code, stdout } = await run(['--yes', '--credentials', file])
    assert.equal(code, 0, stdout)
    assert.match(stdout, /✓ {2}relay-suffix/)
  })

  it('names a relay suffix that the service does not know', async () => {
    await start({ relaySuffix: 'hub' })
    const { code, stdout } = await run(['--yes'], login())
    assert.equal(code, 1)
    assert.match(stdout, /! {2}relay-suffix +the path does not exist/)
  })

  it('saves answers without names, serial numbers and credentials', async () => {
    await start({ devices: 40 })
    const file = join(temporaryFolder('check'), 'report.json')
    const { code, stderr } = await run(['--yes', '--save', file], login())
    assert.equal(code, 0, stderr)
    const text = readFileSync(file, 'utf8')
    assertSafe(text)
    assert.doesNotMatch(text, /127\.0\.0\.1|date|set-cookie/i)
    const { format, version, answers } = JSON.parse(text)
    assert.deepEqual([format, version], ['envlog-report', 1])
    assert.equal(answers[0].body.devices.length, 40)
  })

  it('spends no request where the file cannot be written', async () => {
    await start()
    const folder = temporaryFolder('check')
    const wrong = { [folder]: 'EISDIR', [join(folder, 'missing', 'a.json')]: 'ENOENT', '': 'ENOENT' }
    for (const [file, expected] of Object.entries(wrong)) {
      const { code, stderr } = await run(['--yes', '--save', file], login())
      assert.equal(code, 3, stderr)
      assert.match(stderr, new RegExp(`cannot be written \\(${expected}\\)`))
    }
    assert.equal(simulator.log.length, 0)
  })

  it('saves nothing where it is not used rightly', async () => {
    await start()
    const file = join(temporaryFolder('check'), 'report.json')
    await run(['--save', file], login())
    assert.equal(existsSync(file), false)
    assert.equal(simulator.log.length, 0)
  })
})
