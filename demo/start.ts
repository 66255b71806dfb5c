/**
 * The demo: the simulated service, an MQTT broker, and Node-RED with the package and a flow that uses it, all on this
 * machine. `PORT` is Node-RED's port (default 1880). The MQTT broker uses `PORT` + 3, and the simulator `PORT` + 8.
 * Arguments are options of Node.js for Node-RED.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { type Simulator, startSimulator } from '../simulator'
import { prepareUserDir, readOrCreateSecret } from './user-dir'

const root = dirname(__dirname)
const port = readPort()
const ports = { nodeRed: port, mqtt: port + 3, service: port + 8 }

async function main(): Promise<void> {
  const simulator = await orExitIfPortInUse(ports.service, () =>
    startSimulator({ port: ports.service, story: true }),
  )
  const broker = await orExitIfPortInUse(ports.mqtt, () => startBroker(ports.mqtt))
  await orExitIfPortInUse(ports.nodeRed, () => checkPortIsFree(ports.nodeRed))
  const nodeRed = startNodeRed(simulator)

  let ending = false
  const end = async (code: number) => {
    if (ending) return
    ending = true
    if (nodeRed.exitCode === null && nodeRed.signalCode === null) {
      nodeRed.kill('SIGTERM')
      await new Promise((resolve) => nodeRed.once('exit', resolve))
    }
    await Promise.all([simulator.close(), broker.close()])
    process.exitCode = code
  }
  nodeRed.once('exit', (code) => void end(code ?? 0))
  process.once('SIGINT', () => void end(0))
  process.once('SIGTERM', () => void end(0))
  printAddresses(simulator)
}

function readPort(): number {
  const value = Number(process.env.PORT || 1880)
  if (Number.isInteger(value) && value > 0 && value < 65_528) return value
  console.error(`PORT must be a whole number from 1 to 65527, not ${process.env.PORT}.`)
  process.exit(2)
}

/** Runs `start`; if the port is in use, prints an explanation and exits. */
async function orExitIfPortInUse<T>(usedPort: number, start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EADDRINUSE') throw error
    console.error(
      `Port ${usedPort} is already in use. Choose other ports with PORT, for example: PORT=${port + 100} npm start`,
    )
    process.exit(1)
  }
}

async function startBroker(brokerPort: number): Promise<{ close(): Promise<void> }> {
  const { Aedes } = await import('aedes')
  const aedes = await Aedes.createBroker()
  const server = createServer(aedes.handle)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(brokerPort, '127.0.0.1', resolve)
  })
  return {
    close: () =>
      new Promise((resolve) => {
        aedes.close(() => server.close(() => resolve()))
      }),
  }
}

function checkPortIsFree(freePort: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(freePort, '127.0.0.1', () => server.close(() => resolve()))
  })
}

function startNodeRed({ url, account }: Simulator): ChildProcess {
  const script = require.resolve('node-red/red.js')
  const settings = join(root, 'demo', 'settings.js')
  const userDir = prepareUserDir(root)
  return spawn(
    process.execPath,
    [
      ...process.argv.slice(2),
      script,
      '--userDir',
      userDir,
      '--settings',
      settings,
      '--port',
      `${ports.nodeRed}`,
    ],
    {
      stdio: 'inherit',
      // In a separate process group, so that Ctrl-C reaches only this process, which then stops Node-RED before the
      // services that it uses.
      detached: process.platform !== 'win32',
      env: {
        ...process.env,
        ENVLOG_DEMO_SECRET: readOrCreateSecret(userDir),
        ENVLOG_URL: url,
        ENVLOG_EVENTS: `${url}/simulator/events`,
        ENVLOG_MQTT_PORT: `${ports.mqtt}`,
        ENVLOG_API_KEY: account.apiKey,
        ENVLOG_LOGIN_ID: account.loginId,
        ENVLOG_LOGIN_PASS: account.loginPass,
      },
    },
  )
}

function printAddresses(simulator: Simulator): void {
  console.log(`
  envlog demo
    editor      http://127.0.0.1:${ports.nodeRed}/
    dashboard   http://127.0.0.1:${ports.nodeRed}/dashboard/readings
    MQTT        mqtt://127.0.0.1:${ports.mqtt}   (topics envlog/#)
    service     ${simulator.url}   (simulated; GET /simulator/state shows its state)
  Stop everything with Ctrl-C.
`)
}

main().catch((error) => {
  console.error(error)
  process.exit(1)
})
