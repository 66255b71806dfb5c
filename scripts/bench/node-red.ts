/** A complete Node-RED in its own process, with the built package and the nodes of the benchmarks. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildSync } from 'esbuild'
import type { FlowNode } from '../../test/support/node-red'
import { packageJson, root } from '../../test/support/package'
import { temporaryFolder } from '../../test/support/run'
import type { Call, Measurement } from './probe'

const SETTINGS = {
  flowFile: 'flows.json',
  credentialSecret: false,
  uiHost: '127.0.0.1',
  uiPort: 0,
  telemetry: { enabled: false, updateNotification: false },
  logging: { console: { level: 'error', metrics: false, audit: false } },
}
/** Includes the first call, during which the simulator creates its responses. */
const CALL_MS = 120_000

export type BenchNodeRed = Awaited<ReturnType<typeof startNodeRed>>

/** @param credentials credentials of the account node; without them, Node-RED does not have our package */
export async function startNodeRed(flow: readonly FlowNode[], credentials?: object) {
  const userDir = temporaryFolder('bench')
  writeFileSync(join(userDir, 'settings.js'), `module.exports = ${JSON.stringify(SETTINGS)}`)
  writeFileSync(join(userDir, 'flows.json'), JSON.stringify(flow))
  writeFileSync(join(userDir, 'flows_cred.json'), JSON.stringify(credentials ?? {}))
  installProbe(join(userDir, 'nodes'))
  if (credentials) {
    const link = join(userDir, 'node_modules', packageJson.name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(root, link)
  }
  const child = fork(require.resolve('node-red/red.js'), ['--userDir', userDir], {
    cwd: userDir,
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 2, 2, 'ipc'],
    // The environment lacks the proxy and the settings of the user who runs the benchmarks.
    env: { PATH: process.env.PATH, HOME: userDir, TMPDIR: process.env.TMPDIR, TZ: 'UTC' },
  })
  const ended = once(child, 'exit')
  async function nextReply<T>(command?: Call | 'idle'): Promise<T> {
    const message = once(child, 'message', { signal: AbortSignal.timeout(CALL_MS) })
    if (command) child.send(command)
    const [{ value, error }] = await Promise.race([message, ended.then(() => [{ error: 'Node-RED ended' }])])
    if (error !== undefined) throw new Error(error)
    return value
  }
  await nextReply()
  return {
    call: (call: Call) => nextReply<Measurement>(call),
    /** Resident memory in MB after a garbage collection. */
    idle: () => nextReply<number>('idle'),
    async stop() {
      child.kill()
      await ended
    },
  }
}

function installProbe(folder: string): void {
  const outfile = join(folder, 'bench.js')
  const format = { bundle: true, platform: 'node', format: 'cjs' } as const
  // Node-RED 4.1 expects the function itself as the module.
  const footer = { js: 'module.exports = module.exports.default' }
  buildSync({ entryPoints: [join(__dirname, 'probe.ts')], outfile, footer, ...format })
  const types = ['bench-floor', 'bench-sink']
  const forms = types.map((type) => `<script type="text/html" data-template-name="${type}"></script>`)
  writeFileSync(join(folder, 'bench.html'), forms.join('\n'))
}
