import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { connectAsync } from 'mqtt'
import { complainingFolder, type Demo, demoPort, startDemo } from '../support/demo'
import { until } from '../support/wait'

type FlowNode = { type: string }

interface Reading {
  channels: { value: number | null }[]
  battery: { level: string }
  stale: boolean
}

/** Four rounds. */
const TOLD_MS = 60_000

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
  let demo: Demo

  afterEach(() => {
    if (demo.child.exitCode === null) demo.child.kill('SIGKILL')
  })

  it('serves editor and dashboard, brings readings to MQTT, and ends cleanly on Ctrl-C', async () => {
    const port = await demoPort()
    demo = startDemo(port)
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
    const kept = readFileSync(join(demo.folder, 'flows_cred.json'), 'utf8')
    assert.deepEqual([Object.keys(JSON.parse(kept)), kept.includes('a-real-one')], [['$'], false])

    assert.equal(await demo.interrupt(), 0, demo.text())
    assert.deepEqual(demo.complaints(), [])
    await (await listen(port)).close()
    await (await listen(port + 3)).close()
  })

  it('tells its story on MQTT, and none of its nodes fails', async function () {
    this.timeout(4 * TOLD_MS)
    const port = await demoPort()
    demo = startDemo(port, complainingFolder())
    await demo.said(/Started flows/)
    const client = await connectAsync(`mqtt://127.0.0.1:${port + 3}`)
    const topics = new Map<string, Reading>()
    client.on('message', (topic, payload) => void topics.set(topic, JSON.parse(payload.toString())))
    await client.subscribeAsync('envlog/#')
    const freezer = () => topics.get('envlog/52A10001/52A10001')?.channels[0]?.value ?? Number.NaN
    await until('the first readings', () => topics.size === 14, TOLD_MS)
    await demo.beginStory(60)
    await until('the freezer is warm', () => freezer() > -15, TOLD_MS)
    await demo.beginStory(180)
    await until('it is cold again', () => freezer() < -15, TOLD_MS)
    const of = (serial: string) => topics.get(`envlog/5F0A1001/${serial}`)
    await until('a battery is low', () => of('52C10008')?.battery.level === 'replace-now', TOLD_MS)
    await until('a device is silent', () => of('52C10009')?.stale === true, TOLD_MS)
    await client.endAsync()
    assert.equal(await demo.interrupt(), 0, demo.text())
    assert.deepEqual(demo.complaints(), [])
  })

  it('says which port is taken and how to choose another', async () => {
    const port = await demoPort()
    const taken = await listen(port)
    demo = startDemo(port)
    const [code] = await once(demo.child, 'exit')
    taken.close()
    assert.equal(code, 1)
    assert.match(demo.text(), new RegExp(`Port ${port} is taken.*PORT=${port + 100}`))
  })

  it('refuses a PORT that is none', async () => {
    demo = startDemo(Number.NaN)
    const [code] = await once(demo.child, 'exit')
    assert.equal(code, 2)
    assert.match(demo.text(), /PORT must be a whole number/)
  })
})
