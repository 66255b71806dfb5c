/**
 * A complete Node-RED in a separate process, with the packed package installed in its user directory.
 *
 *     const nodeRed = await startNodeRed(firstRuntime)
 *     await nodeRed.deploy(flow)
 *     await nodeRed.inject('some-inject')
 *     await nodeRed.stop()
 *     await nodeRed.start()
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { installed } from './package'
import { linkPackage } from './palette'
import { temporaryFolder } from './run'
import type { Runtime } from './runtimes'
import { until } from './wait'

/** A node of a deployed flow. */
export type FlowNode = { id: string; type: string } & Record<string, unknown>

export type DeployType = 'full' | 'nodes' | 'flows'

/** A context store in files, as in most installations that have one; but each change is written at once, not within 30 s. */
export const ON_DISK = { default: { module: 'localfilesystem', config: { flushInterval: 0 } } }

const DASHBOARD = '@flowfuse/node-red-dashboard'
const STARTED = 'envlog-test: flows started'
const STARTING_MS = 60_000
const DEPLOYED_MS = 60_000
const REMOVALS = 5
/** Length of the log in the error of a failed deploy. */
const SHOWN_LOG_LENGTH = 2000

/**
 * Nothing leaves the machine, credentials are stored unencrypted, and each start of the flows is logged. When a deploy
 * removes a flow, Node-RED deletes its folder in the file store, and starts no further flows if that fails because a
 * value is still being written there: here it waits for pending writes and tries again.
 */
function settingsFile(
  lang: string,
  { packages = [], contextStorage, adminAuth, httpNodeAuth }: StartOptions,
): string {
  const settings = {
    // Node-RED 4.1 finds it next to itself, and takes a quarter of a second to load it.
    nodesExcludes: packages.includes(DASHBOARD) ? [] : [basename(DASHBOARD)],
    contextStorage,
    adminAuth,
    httpNodeAuth,
    flowFile: 'flows.json',
    credentialSecret: false,
    uiHost: '127.0.0.1',
    uiPort: 0,
    lang,
    telemetry: { enabled: false, updateNotification: false },
    externalModules: { autoInstall: false, palette: { allowInstall: false, allowUpdate: false } },
    editorTheme: {
      tours: false,
      palette: { catalogues: [] },
      projects: { enabled: false },
      // Without these, the browser has to load only half as much.
      codeEditor: { lib: 'ace' },
      markdownEditor: { mermaid: { enabled: false } },
    },
    // Reconnects to a restarted broker without the default delay of 15 s.
    mqttReconnectTime: 300,
    logging: { console: { level: 'debug', metrics: false, audit: false } },
  }
  return `const nodeRed = (path) => require(require.resolve('@node-red/' + path, { paths: [process.argv[1]] }))
nodeRed('util').events.on('flows:started', () => console.log('${STARTED}'))
const store = Object.getPrototypeOf(nodeRed('runtime/lib/nodes/context/localfilesystem')({ dir: __dirname }))
const { clean } = store
store.clean = async function (active) {
  for (let attempt = 1; ; attempt++) {
    for (let written; written !== this.writePromise; ) await (written = this.writePromise)
    try {
      return await clean.call(this, active)
    } catch (error) {
      console.log('the folder of a flow cannot be removed', attempt, error)
      if (attempt === ${REMOVALS}) throw error
    }
  }
}
module.exports = ${JSON.stringify(settings, null, 2)}
`
}

export interface StartOptions {
  /** Packages with third-party nodes to install; installing all of the tests' packages would double the start time. */
  packages?: readonly string[]
  /** As in Node-RED's settings. */
  contextStorage?: Record<string, object>
  adminAuth?: object
  /** Login for the paths of http-in nodes; `pass` is a hash. */
  httpNodeAuth?: { user: string; pass: string }
  /** A user with write permission, if there is an `adminAuth`. */
  user?: { name: string; password: string }
  /** Factor by which its timers run faster. */
  speed?: number
  /** Where its wall clock starts, in ms since 1970 UTC, if not at the time of the tests. */
  now?: number
}

export async function startNodeRed(runtime: Runtime, options: StartOptions = {}): Promise<NodeRed> {
  const nodeRed = new NodeRed(runtime, options)
  await nodeRed.start()
  return nodeRed
}

export class NodeRed {
  url = ''
  userDir = ''
  readonly #runtime: Runtime
  readonly #options: StartOptions
  #log = ''
  #token: string | undefined
  #running: { child: ChildProcess; ended: Promise<unknown[]> } | undefined

  constructor(runtime: Runtime, options: StartOptions = {}) {
    this.#runtime = runtime
    this.#options = options
  }

  /** Starts it, or restarts it with its saved flows; resolves when they run. */
  async start(): Promise<void> {
    const { node, nodeRed } = await this.#runtime.locate()
    if (!this.userDir) await this.#install()
    const { speed = 1, now, user } = this.#options
    const hasOwnClock = speed !== 1 || now !== undefined
    const required = hasOwnClock ? ['--require', join(__dirname, 'process-clock.cjs')] : []
    const child = spawn(node, [...required, nodeRed, '--userDir', this.userDir], {
      cwd: this.userDir,
      stdio: ['ignore', 'pipe', 'pipe'],
      // The environment lacks the proxies and npm settings of the user who runs the tests.
      env: {
        ...inherited(),
        HOME: this.userDir,
        TZ: 'UTC',
        ENVLOG_TEST_SPEED: String(speed),
        ENVLOG_TEST_NOW: String(now ?? ''),
      },
    })
    const ended = once(child, 'exit')
    this.#running = { child, ended }
    this.#log = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => {
        this.#log += piece
      })
    const killed = () => void child.kill('SIGKILL')
    process.once('exit', killed)
    void ended.then(() => process.off('exit', killed))

    const serves = () => {
      if (child.exitCode !== null) throw new Error('Node-RED ended at once')
      return this.#log.includes(STARTED) && this.#log.match(/http:\/\/127\.0\.0\.1:[1-9]\d*/)?.[0]
    }
    this.url = await this.#until('Node-RED serves', serves, STARTING_MS).catch((error: Error) => {
      // The caller may not have it yet, so it is stopped here.
      killed()
      throw error
    })
    this.#token = user && (await logIn(this.url, user.name, user.password))
  }

  async #install(): Promise<void> {
    // Users have such paths.
    this.userDir = temporaryFolder('user dir #1 50% 冷凍庫')
    await cp(await installed(), this.userDir, { recursive: true, verbatimSymlinks: true })
    for (const name of this.#options.packages ?? []) await linkPackage(name, this.userDir)
    writeFileSync(join(this.userDir, '.config.users.json'), JSON.stringify(WITHOUT_TIPS))
    writeFileSync(join(this.userDir, 'settings.js'), settingsFile(this.#runtime.lang, this.#options))
  }

  /** Its output on stdout and stderr since the last start. */
  log(): string {
    return this.#log
  }

  /** A response of the admin API; `lang` is the requested language. */
  get(path: string, accept = 'application/json', lang = 'en-US'): Promise<Response> {
    return this.#request(path, { method: 'GET', headers: { accept, 'accept-language': lang } })
  }

  async json<T>(path: string): Promise<T> {
    return (await (await this.get(path)).json()) as T
  }

  /** Resolves when the flows have started. */
  async deploy(flow: readonly FlowNode[], type: DeployType = 'full'): Promise<void> {
    const starts = () => this.#log.split(STARTED).length
    const before = starts()
    const headers = { 'content-type': 'application/json', 'node-red-deployment-type': type }
    await this.#request('/flows', { method: 'POST', headers, body: JSON.stringify(flow) })
    await this.#until('the flows have started', () => starts() > before, DEPLOYED_MS)
  }

  /** Presses the button of an inject node. */
  async inject(id: string): Promise<void> {
    await this.#request(`/inject/${id}`, { method: 'POST' })
  }

  /** Ends it like an operator, or kills it; resolves with how it ended. */
  async stop(wanted: NodeJS.Signals = 'SIGTERM') {
    const { child, ended } = this.#running ?? {}
    if (child?.exitCode === null && child.signalCode === null) child.kill(wanted)
    const [code, signal] = (await ended) ?? []
    return { code, signal }
  }

  async #request(path: string, options: RequestInit): Promise<Response> {
    const authorization = this.#token && { authorization: `Bearer ${this.#token}` }
    // Node-RED may close a keep-alive connection just when it is used again.
    const headers = { ...(options.headers as Record<string, string>), ...authorization, connection: 'close' }
    const response = await fetch(`${this.url}${path}`, { ...options, headers }).catch((error: Error) => {
      throw this.#withLog(error)
    })
    if (response.ok) return response
    throw new Error(`${options.method} ${path}: ${response.status} ${await response.text()}`)
  }

  #until<T>(what: string, probe: () => T, deadline: number) {
    return until(what, probe, deadline).catch((error: Error) => {
      throw this.#withLog(error)
    })
  }

  #withLog(error: Error): Error {
    return new Error(`${error.message}\n${this.#log.slice(-SHOWN_LOG_LENGTH)}`, { cause: error })
  }
}

/** The editor's settings. Node-RED 5 shows tips after a second, and throws if its sidebar takes longer to load. */
const WITHOUT_TIPS = { _: { editor: { view: { 'view-show-tips': false } } } }

/** With what `faketime` sets, so that all clocks are moved together. */
function inherited(): NodeJS.ProcessEnv {
  const names = /^(?:PATH|TMPDIR|LD_PRELOAD|FAKETIME.*)$/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => names.test(name)))
}

/** A token for the admin API. */
export async function logIn(url: string, username: string, password: string): Promise<string> {
  const form = { client_id: 'node-red-editor', grant_type: 'password', scope: '', username, password }
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/auth/token`, { method: 'POST', headers, body: JSON.stringify(form) })
  const { access_token: token } = (await response.json()) as { access_token: string }
  return token
}

/** The password of all users in `adminAuthOf`. */
export const PASSWORD = 'for the tests'
/** Its hash for Node-RED's settings (bcrypt). */
const PASSWORD_HASH = '$2b$04$3vlNAnHd.uYYy2DkUo9pq.nwvWbE7OUOTj68e/mz4YDWnfZEaO8bG'

/** The setting `adminAuth` for these users. */
export function adminAuthOf(permissionsByUser: Readonly<Record<string, string | readonly string[]>>): object {
  const users = Object.entries(permissionsByUser).map(([username, permissions]) => ({
    username,
    permissions,
    password: PASSWORD_HASH,
  }))
  return { type: 'credentials', users }
}
