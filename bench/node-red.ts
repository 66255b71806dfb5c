/** A whole Node-RED in a separate process that executes commands of the bench. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import type { FlowNode } from '../test/support/node-red'
import { packageJson, root } from '../test/support/package'
import { temporaryFolder } from '../test/support/run'
import type { CallCommand, Measurement, ProbeReport } from './probe'

export interface BenchedNodeRed {
  call(call: Omit<CallCommand, 'kind'>): Promise<Measurement>
  readonly pid: number
  /** MB resident after a collection of garbage. */
  idle(): Promise<number>
  /** Bytes of the heap after a collection of garbage. */
  heap(): Promise<number>
  /** Where its editor and dashboards are. */
  url(): Promise<string>
  stop(): Promise<void>
}

const SETTINGS = {
  flowFile: 'flows.json',
  credentialSecret: false,
  uiHost: '127.0.0.1',
  uiPort: 0,
  telemetry: { enabled: false, updateNotification: false },
  externalModules: { autoInstall: false, palette: { allowInstall: false, allowUpdate: false } },
  editorTheme: { tours: false, palette: { catalogues: [] }, projects: { enabled: false } },
  logging: { console: { level: 'warn', metrics: false, audit: false } },
}

const CALL_MS = 120_000

/** Contains the user directories. */
let folder: string | undefined

export interface BenchOptions {
  /** False: a Node-RED without our nodes. */
  hasPackage?: boolean
  /** As in Node-RED's settings. */
  contextStorage?: object
  /** Further packages of nodes. */
  palette?: readonly string[]
}

export async function startBenchNodeRed(
  flow: readonly FlowNode[],
  credentials: Record<string, object>,
  { hasPackage = true, contextStorage, palette = [] }: BenchOptions = {},
): Promise<BenchedNodeRed> {
  folder ??= temporaryFolder('bench')
  const userDir = mkdtempSync(join(folder, 'user-dir-'))
  const write = (name: string, what: unknown) => writeFileSync(join(userDir, name), JSON.stringify(what))
  writeFileSync(
    join(userDir, 'settings.js'),
    `module.exports = ${JSON.stringify({ ...SETTINGS, contextStorage })}`,
  )
  write('flows.json', flow)
  write('flows_cred.json', credentials)
  if (hasPackage) link(userDir, packageJson.name, root)
  for (const name of palette) link(userDir, name, join(root, 'node_modules', name))
  await installBenchNodes(userDir)

  const child = fork(require.resolve('node-red/red.js'), ['--userDir', userDir], {
    cwd: userDir,
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Without proxy and settings of the user who runs the bench.
    env: { PATH: process.env.PATH, HOME: userDir, TMPDIR: process.env.TMPDIR, TZ: 'UTC' },
  })
  const log = logOf(child)
  const killed = () => void child.kill('SIGKILL')
  process.once('exit', killed)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  void ended.then(() => process.off('exit', killed))

  async function receive<K extends ProbeReport['kind']>(
    kind: K,
    command?: object,
  ): Promise<Extract<ProbeReport, { kind: K }>> {
    const answer = await next(child, command, log)
    if (answer.kind === kind) return answer as Extract<ProbeReport, { kind: K }>
    throw new Error(answer.kind === 'failed' ? answer.error : `not expected: ${answer.kind}`)
  }
  await receive('started')
  return {
    call: async (call) => (await receive('measured', { kind: 'call', ...call })).measured,
    pid: child.pid ?? 0,
    idle: async () => (await receive('idle', { kind: 'idle' })).resident,
    heap: async () => (await receive('heap', { kind: 'heap' })).used,
    url: async () => `http://127.0.0.1:${(await receive('port', { kind: 'port' })).port}`,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Installs a package that is in a folder. */
function link(userDir: string, name: string, target: string): void {
  const packageFolder = join(userDir, 'node_modules', name)
  mkdirSync(dirname(packageFolder), { recursive: true })
  symlinkSync(target, packageFolder)
}

async function installBenchNodes(userDir: string): Promise<void> {
  const outfile = join(userDir, 'nodes', 'bench.js')
  await build({
    entryPoints: [join(__dirname, 'probe.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    // Node-RED 4.1 expects the function itself as the module.
    footer: { js: 'module.exports = module.exports.default' },
    outfile,
  })
  const types = ['bench-floor', 'bench-round', 'bench-start', 'bench-sink', 'bench-failed']
  const register = types.map((type) => `RED.nodes.registerType('${type}', { defaults: {}, inputs: 1 })`)
  writeFileSync(
    outfile.replace(/js$/, 'html'),
    `<script type="text/javascript">${register.join('\n')}</script>`,
  )
}

function next(child: ChildProcess, command: object | undefined, log: () => string): Promise<ProbeReport> {
  return new Promise((resolve, reject) => {
    const giveUp = (why: string) => () => {
      release()
      reject(new Error(`Node-RED ${why}\n${log()}`))
    }
    const [ended, silent] = [giveUp('has ended'), giveUp('does not answer')]
    const timer = setTimeout(silent, CALL_MS)
    const onMessage = (data: ProbeReport) => {
      release()
      resolve(data)
    }
    const release = () => {
      clearTimeout(timer)
      child.off('message', onMessage).off('exit', ended)
    }
    child.on('message', onMessage).on('exit', ended)
    if (command) child.send(command)
  })
}

function logOf(child: ChildProcess): () => string {
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (piece: string) => {
      log += piece
    })
  }
  return () => log
}
