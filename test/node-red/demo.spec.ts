import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { connectAsync } from 'mqtt'
import { storyFleet } from '../../simulator/fleet/story'
import { launchChromium } from '../support/editor/chromium'
import { freePort } from '../support/server-process'
import { until } from '../support/wait'
import { WallDisplay } from '../support/wall-display'

type FlowNode = { type: string }

interface Reading {
  channels: { value: number | null }[]
  battery: { level: string }
  stale: boolean
}

/** Four rounds. */
const TOLD_MS = 60_000
const STORY_MS = 300_000

const root = dirname(dirname(__dirname))

/** A port whose broker's and service's ports are free too. */
const demoPort = () => freePort([3, 8])

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

/** Of an answer that is asked for by another name. */
function statusFor(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/flows', headers: { host } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    }).once('error', reject)
  })
}

describe('the demo', function () {
  this.timeout(90_000)
  let folder: string
  let running: ChildProcess | undefined

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'envlog-demo-'))
  })
  afterEach(() => {
    if (running?.exitCode === null) running.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  function start(port: number) {
    const env = { ...process.env, PORT: `${port}`, ENVLOG_DEMO_DIR: folder }
    const child = spawn(process.execPath, ['--require', 'tsx/cjs', 'demo/start.ts'], { cwd: root, env })
    running = child
    let text = ''
    const said = (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = () => pattern.test(text) && resolve(text)
        child.stdout.on('data', look)
        child.stderr.on('data', look)
        child.once('exit', () => reject(new Error(`ended before ${pattern}: ${text}`)))
        look()
      })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
    return { child, said, text: () => text }
  }

  it('serves editor and dashboard, brings readings to MQTT, and ends cleanly on Ctrl-C', async () => {
    const port = await demoPort()
    const demo = start(port)
    await demo.said(/Started flows/)
    await demo.said(new RegExp(`http://127\\.0\\.0\\.1:${port}/dashboard/readings`))
    for (const path of ['/', '/dashboard/readings']) {
      assert.equal((await fetch(`http://127.0.0.1:${port}${path}`)).status, 200, path)
    }

    for (const headers of [{ origin: 'http://page.example' }, { origin: 'null' }]) {
      const foreign = await fetch(`http://127.0.0.1:${port}/flows`, { headers })
      assert.equal(foreign.status, 403, JSON.stringify(headers))
    }
    assert.equal(await statusFor(port, 'rebound.example'), 403)

    const client = await connectAsync(`mqtt://127.0.0.1:${port + 3}`)
    const devices = new Map<string, { channels: { value: number | null }[] }>()
    const complete = new Promise<void>((resolve) => {
      client.on('message', (topic, payload) => {
        devices.set(topic, JSON.parse(payload.toString()))
        if (devices.size === 14) resolve()
      })
    })
    await client.subscribeAsync('envlog/#')
    await complete
    const freezer = devices.get('envlog/52A10001/52A10001')
    assert.equal(typeof freezer?.channels[0]?.value, 'number')
    await client.endAsync()

    // Somebody tries their own account.
    const flows = (await (await fetch(`http://127.0.0.1:${port}/flows`)).json()) as FlowNode[]
    const own = flows.map((node) =>
      node.type === 'envlog-account' ? { ...node, credentials: { loginPass: 'a-real-one' } } : node,
    )
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify(own)
    await fetch(`http://127.0.0.1:${port}/flows`, { method: 'POST', headers, body })
    const kept = readFileSync(join(folder, 'flows_cred.json'), 'utf8')
    assert.deepEqual([Object.keys(JSON.parse(kept)), kept.includes('a-real-one')], [['$'], false])

    demo.child.kill('SIGINT')
    const [code] = await once(demo.child, 'exit')
    assert.equal(code, 0, demo.text())
    assert.doesNotMatch(demo.text(), /\[error\]/)
    await (await listen(port)).close()
    await (await listen(port + 3)).close()
  })

  it('tells its story on the dashboard, in the alerts and on MQTT, and opens the freezer’s door', async function () {
    this.timeout(STORY_MS)
    const port = await demoPort()
    const demo = start(port)
    await demo.said(/Started flows/)
    const simulator = `http://127.0.0.1:${port + 8}/simulator`
    const control = (method: string, path: string, body: object) =>
      fetch(`${simulator}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    // Nobody has to wait: it began so many seconds ago.
    const begun = (seconds: number) =>
      control('PUT', '/options', { fleet: storyFleet(Date.now() - seconds * 1000) })
    const client = await connectAsync(`mqtt://127.0.0.1:${port + 3}`)
    const topics = new Map<string, Reading>()
    client.on('message', (topic, payload) => void topics.set(topic, JSON.parse(payload.toString())))
    await client.subscribeAsync('envlog/#')
    const freezer = () => topics.get('envlog/52A10001/52A10001')?.channels[0]?.value ?? Number.NaN

    const browser = await launchChromium()
    const display = await WallDisplay.open(browser, `http://127.0.0.1:${port}`)
    const { page } = display
    const hasState = (name: string, state: string) =>
      display
        .tile(name)
        .and(page.locator(`.is-${state}`))
        .waitFor({ timeout: TOLD_MS })
    const alert = (text: RegExp) =>
      until(`${text}`, async () => (await display.alerts()).some((each) => text.test(each)), TOLD_MS)
    try {
      await display.tile('Freezer 1').locator('.envlog-spark').waitFor({ timeout: TOLD_MS })
      await begun(60)
      await hasState('Freezer 1', 'high')
      await alert(/^Freezer 1 above limit/)
      await until('MQTT has it', () => freezer() > -15)
      await begun(180)
      await hasState('Freezer 1', 'ok')
      await hasState('Rack B', 'stale')
      await hasState('Rack A', 'battery')
      for (const text of [/^Freezer 1 recovered/, /^Rack B communication/, /^Rack A battery/])
        await alert(text)
      await until('MQTT has that', () => {
        const [rackA, rackB] = ['52C10008', '52C10009'].map((serial) =>
          topics.get(`envlog/5F0A1001/${serial}`),
        )
        return rackA?.battery.level === 'replace-now' && rackB?.stale
      })

      await page.getByRole('button', { name: 'Open the door of Freezer 1' }).click()
      await page.getByRole('button', { name: 'Close the door of Freezer 1' }).waitFor()
      const events = (await (await fetch(`${simulator}/events`)).json()) as { kind: string }[]
      assert.ok(events.some(({ kind }) => kind === 'door'))
      await hasState('Freezer 1', 'high')
      await page.getByRole('button', { name: 'Close the door of Freezer 1' }).click()
      await page.getByRole('button', { name: 'Open the door of Freezer 1' }).waitFor()
      assert.deepEqual(await display.tooWide(), [])
      assert.deepEqual(display.faults, [])
    } finally {
      await browser.close()
      await client.endAsync()
    }
    demo.child.kill('SIGINT')
    const [code] = await once(demo.child, 'exit')
    assert.equal(code, 0, demo.text())
    assert.doesNotMatch(demo.text(), /\[error\]/)
  })

  it('says which port is taken and how to choose another', async () => {
    const port = await demoPort()
    const taken = await listen(port)
    const demo = start(port)
    const [code] = await once(demo.child, 'exit')
    taken.close()
    assert.equal(code, 1)
    assert.match(demo.text(), new RegExp(`Port ${port} is taken.*PORT=${port + 100}`))
  })

  it('refuses a PORT that is none', async () => {
    const demo = start(Number.NaN)
    const [code] = await once(demo.child, 'exit')
    assert.equal(code, 2)
    assert.match(demo.text(), /PORT must be a whole number/)
  })
})
