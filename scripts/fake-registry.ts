/**
 * A registry on loopback for node-red-dev: it answers with manifests that npm has reported, and with an almost empty
 * catalogue. It is used as proxy and as registry.
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

/** Manifests of the newest version of a package, and of the newest in a range. */
export async function manifestsOf(name: string, range = 'latest'): Promise<Manifest[]> {
  const found = await Promise.all([`${name}@latest`, `${name}@${range}`].map(view))
  return found.flatMap((manifests) => manifests.slice(-1))
}

async function view(wanted: string): Promise<Manifest[]> {
  const fields = ['name', 'version', 'engines', 'dependencies']
  const { stdout } = await execute('npm', ['view', wanted, ...fields, '--json'], {
    cwd: root,
    env: npmEnvironment(),
  })
  const found = JSON.parse(stdout) as Manifest | Manifest[]
  return Array.isArray(found) ? found : [found]
}

/** Contains no package with our names: `--online` checks these against the real catalogue. */
const CATALOGUE = { modules: [{ id: 'node-red-contrib-other', types: ['other'] }] }

function packument([latest, ...others]: Manifest[]): object {
  const versions = Object.fromEntries([latest, ...others].map((each) => [each?.version, each]))
  return { name: latest?.name, 'dist-tags': { latest: latest?.version }, versions }
}

export interface FakeRegistry {
  url: string
  /** Requested names that are not known. */
  unknown: string[]
  close(): void
}

export async function startRegistry(known: Record<string, Manifest[]>): Promise<FakeRegistry> {
  const unknown: string[] = []
  const server = createServer((request, response) => {
    // As a proxy, it receives absolute addresses.
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
