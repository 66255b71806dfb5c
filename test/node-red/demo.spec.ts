import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { connectAsync, type MqttClient } from 'mqtt'
import { ALARMS_TOPIC, type Demo, demoPort, startDemo, withTestNodes } from '../support/demo'
import { until } from '../support/wait'

interface Reading {
  channels: { value: number | null }[]
  battery: { level: string }
  stale: boolean
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

/** Status of a response to a request with another host name. */
function statusFor(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/flows', headers: { host } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    }).once('error', reject)
  })
}

describe('the demo', function () {
  this.timeout(60_000)
  let demo: Demo
  let client: MqttClient
  let url: string
  const topics = new Map<string, Reading>()
  const alarms: string[] = []

  before('starts it, and lets its flows log what fails', async () => {
    const port = await demoPort()
    url = `http://127.0.0.1:${port}`
    demo = startDemo(port)
    await demo.printed(/Started flows/)
    client = await connectAsync(`mqtt://127.0.0.1:${port + 3}`)
    client.on('message', (topic, payload) => {
      if (topic === ALARMS_TOPIC) alarms.push(payload.toString())
      else topics.set(topic, JSON.parse(payload.toString()))
    })
    await client.subscribeAsync(['envlog/+/+', ALARMS_TOPIC])
    await demo.deploy(withTestNodes(await demo.flows()))
  })

  after('ends it', async () => {
    await client?.endAsync(true)
    if (demo?.child.exitCode === null) demo.child.kill('SIGKILL')
  })

  it('serves editor and dashboard at the printed addresses, and refuses foreign web pages', async () => {
    await demo.printed(new RegExp(`${url}/dashboard/readings`))
    for (const path of ['/', '/dashboard/readings']) {
      assert.equal((await fetch(`${url}${path}`)).status, 200, path)
    }
    for (const headers of [{ origin: 'http://page.example' }, { origin: 'null' }]) {
      const foreign = await fetch(`${url}/flows`, { headers })
      assert.equal(foreign.status, 403, JSON.stringify(headers))
    }
    assert.equal(await statusFor(demo.port, 'rebound.example'), 403)
  })

  it('tells its story over MQTT, and an alarm as a sentence', async () => {
    const of = (serial: string) => topics.get(`envlog/5F0A1001/${serial}`)
    const freezer = () => topics.get('envlog/52A10001/52A10001')?.channels[0]?.value ?? Number.NaN
    await until('the first readings', () => topics.size === 14)
    await beginStory(60)
    await until('the freezer is warm', () => freezer() > -15)
    await until('its alarm', () =>
      alarms.some((alarm) => /^Freezer 1, Freezer: above -15 °C, now -/.test(alarm)),
    )
    await beginStory(180)
    await until('it is cold again', () => freezer() < -15)
    await until('a battery is low', () => of('52C10008')?.battery.level === 'replace-now')
    await until('a device is silent', () => of('52C10009')?.stale === true)
  })

  it('encrypts the password of a user who tries their own account', async () => {
    const own = (await demo.flows()).map((node) =>
      node.type === 'envlog-account' ? { ...node, credentials: { loginPass: 'a-real-one' } } : node,
    )
    await demo.deploy(own)
    const kept = readFileSync(join(demo.folder, 'flows_cred.json'), 'utf8')
    assert.deepEqual([Object.keys(JSON.parse(kept)), kept.includes('a-real-one')], [['$'], false])
  })

  it('ends cleanly on Ctrl-C, and none of its nodes has failed', async () => {
    assert.equal(await demo.interrupt(), 0, demo.text())
    assert.deepEqual(demo.loggedErrors(), [])
    await (await listen(demo.port)).close()
    await (await listen(demo.port + 3)).close()
  })

  it('says which port is in use and how to choose another', async () => {
    const port = await demoPort()
    const occupied = await listen(port)
    const second = startDemo(port)
    const [code] = await once(second.child, 'exit')
    occupied.close()
    assert.equal(code, 1)
    assert.match(second.text(), new RegExp(`Port ${port} is already in use.*PORT=${port + 100}`))
  })

  it('refuses an invalid PORT', async () => {
    const second = startDemo(Number.NaN)
    const [code] = await once(second.child, 'exit')
    assert.equal(code, 2)
    assert.match(second.text(), /PORT must be a whole number/)
  })

  /** The story started this many seconds ago; its readings are requested immediately. */
  async function beginStory(secondsAgo: number): Promise<void> {
    await demo.beginStory(secondsAgo)
    const response = await fetch(`${url}/inject/test-trigger`, { method: 'POST' })
    assert.equal(response.status, 200)
  }
})
