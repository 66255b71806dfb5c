import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCommandLine } from '../../../simulator/cli-flags'
import { simulate, useSimulators } from './support'

/** Several processes run at once. */
const STARTING_MS = 30_000

interface Ended {
  code: number | null
  out: string
  err: string
}

describe('simulator: wrong values', () => {
  for (const [args, message] of [
    [['--port', 'x'], /--port: x is not a number/],
    [['--devices', '6000'], /devices: expected at most 5000/],
    [['--variant', 'numbers=roman'], /variants\.numbers/],
    [['--variant', 'toString=1'], /variants\.toString: unknown name/],
    [['--fault', 'flood'], /faults\[0\]\.kind/],
    [['--limit', 'alert=3'], /ENDPOINT\.NAME=NUMBER/],
    [['--start', 'soon'], /--start: soon is not a time/],
    [['--fleet', '/no/such/file'], /--fleet: \/no\/such\/file/],
    [['--limit', 'alert.limit=3', '--limits-off'], /cannot be combined/],
  ] as const)
    it(args.join(' '), () => assert.throws(() => readCommandLine([...args]), message))
})

describe('simulator: command line', function () {
  this.timeout(STARTING_MS)
  useSimulators()
  const children: ChildProcess[] = []
  const folder = mkdtempSync(join(tmpdir(), 'envlog-simulator-'))

  after(() => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  function run(...args: string[]) {
    const child = spawn(process.execPath, ['dist/simulator/cli.js', ...args])
    children.push(child)
    const said = { out: '', err: '' }
    child.stdout.on('data', (part) => {
      said.out += part
    })
    child.stderr.on('data', (part) => {
      said.err += part
    })
    const ended = once(child, 'close').then(([code]): Ended => ({ code, ...said }))
    /** resolves once the text was printed */
    const says = async (text: string | RegExp): Promise<string> => {
      while (!said.out.match(text)) {
        if (child.exitCode !== null) throw new Error(`ended: ${said.out}${said.err}`)
        await Promise.race([once(child.stdout, 'data'), once(child, 'close')])
      }
      return said.out
    }
    return { child, ended, says }
  }

  it('prints the credentials, serves, and ends on SIGTERM', async () => {
    const flags = '--port 0 --devices 3 --start 2026-01-15T00:00:00Z --speed 0'.split(' ')
    const { child, ended, says } = run(...flags)
    const text = await says('Ctrl-C')
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
    const state = await (await fetch(`${url}/simulator/state`)).json()
    assert.equal(state.devices, 3)
    assert.equal(state.clock.time, '2026-01-15T00:00:00.000Z')
    for (const value of Object.values(state.account)) assert.ok(text.includes(String(value)))
    assert.ok(text.includes(`${url}/simulator/state`))
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
  })

  it('applies its flags, prints requests, and ends on Ctrl-C', async () => {
    const { child, ended, says } = run(
      ...['-p', '0', '--verbose', '--relay-suffix', 'sub', '--windows', 'sliding'],
      ...['--variant', 'inclusiveBounds', '--variant', 'dstBias=60', '--variant', 'standaloneNum=1'],
      ...['--variant', 'blank=rssi+value', '--limit', 'alert.limit=3', '--limit', 'alert.window=60'],
      ...['--fault', 'status,status=503,endpoints=data+alert,probability=0.5'],
    )
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(await says('Ctrl-C'))?.[0]
    const options = await (await fetch(`${url}/simulator/options`)).json()
    const { inclusiveBounds, dstBias, standaloneNum, blank } = options.variants
    assert.deepEqual(
      [options.relaySuffix, options.windows, options.limits, inclusiveBounds, dstBias, standaloneNum, blank],
      ['sub', 'sliding', { alert: { limit: 3, window: 60 } }, true, '60', 1, ['rssi', 'value']],
    )
    assert.deepEqual(options.faults, [
      { kind: 'status', status: 503, endpoints: ['data', 'alert'], probability: 0.5 },
    ])
    await fetch(`${url}/v1/devices/current`, { method: 'POST', body: '{}' })
    await says(/400 {2}current {2}\{\}/)
    child.kill('SIGINT')
    assert.equal((await ended).code, 0)
  })

  it('reads a fleet from a file, and prints the address only', async () => {
    const file = join(folder, 'fleet.json')
    writeFileSync(file, JSON.stringify([{ serial: '52000009', records: [] }]))
    const { says, child, ended } = run('-q', '--port', '0', '--fleet', file, '--limits-off')
    const url = (await says('\n')).trim()
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/)
    const { devices } = await (await fetch(`${url}/simulator/state`)).json()
    assert.equal(devices, 1)
    child.kill('SIGTERM')
    await ended
  })

  it('exits with 2 and a message on a wrong flag', async () => {
    const { code, err, out } = await run('--colour', 'red').ended
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /--colour/)
  })

  it('exits with 1 and a message if the port is in use', async () => {
    const { port } = await simulate()
    const { code, err } = await run('--port', String(port)).ended
    assert.equal(code, 1)
    assert.match(err, new RegExp(`port ${port} is already in use`))
  })
})
