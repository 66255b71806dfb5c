/**
 * What node-red-dev asks the internet, answered on loopback: of packages what npm tells, and an almost empty
 * catalogue. It reaches us as its proxy and as its registry.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { execute, npmEnvironment, root } from '../test/support/package'

export interface Manifest {
  name: string
  version: string
  engines?: { node?: string }
  dependencies?: Record<string, string>
}

/** The newest of a package, and the newest that `range` allows. */
export async function manifestsOf(name: string, range = 'latest'): Promise<Manifest[]> {
  const told = await Promise.all([`${name}@latest`, `${name}@${range}`].map(view))
  return told.flatMap((manifests) => manifests.slice(-1))
}

async function view(wanted: string): Promise<Manifest[]> {
  const fields = ['name', 'version', 'engines', 'dependencies']
  const { stdout } = await execute('npm', ['view', wanted, ...fields, '--json'], {
    cwd: root,
    env: npmEnvironment(),
  })
  const told = JSON.parse(stdout) as Manifest | Manifest[]
  return Array.isArray(told) ? told : [told]
}

/** Nobody else's: whether our names are taken is asked of the real one (`--online`). */
const CATALOGUE = { modules: [{ id: 'node-red-contrib-other', types: ['other'] }] }

function packument([latest, ...others]: Manifest[]): object {
  const versions = Object.fromEntries([latest, ...others].map((each) => [each?.version, each]))
  return { name: latest?.name, 'dist-tags': { latest: latest?.version }, versions }
}

export interface Answers {
  url: string
  /** What was asked for and is not known here. */
  unknown: string[]
  close(): void
}

export async function startAnswers(known: Record<string, Manifest[]>): Promise<Answers> {
  const unknown: string[] = []
  const server = createServer((request, response) => {
    // As a proxy we get the whole address.
    const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const name = decodeURIComponent(pathname.slice(1))
    const manifests = known[name]
    const answer = manifests ? packument(manifests) : name === 'catalogue.json' ? CATALOGUE : undefined
    if (!answer) unknown.push(name)
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, unknown, close: () => server.close() }
}
