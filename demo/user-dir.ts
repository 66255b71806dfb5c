import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { demoFlows } from './flows'

/**
 * Prepares Node-RED's user directory for the demo. The package is linked, and the flows are created on the first start.
 * Changes in the editor are kept. Delete the folder to start from scratch.
 */
export function prepareUserDir(root: string): string {
  const userDir = process.env.ENVLOG_DEMO_DIR ?? join(root, '.cache', 'demo')
  const scope = join(userDir, 'node_modules', '@envlog')
  mkdirSync(scope, { recursive: true })
  const link = join(scope, 'node-red-envlog')
  rmSync(link, { recursive: true, force: true })
  symlinkSync(root, link, 'junction')
  if (!existsSync(join(userDir, 'flows.json'))) {
    writeFileSync(join(userDir, 'flows.json'), JSON.stringify(demoFlows(root), null, 2))
    const credentials = readFileSync(join(root, 'demo', 'flow_cred.json'), 'utf8')
    writeFileSync(join(userDir, 'flows_cred.json'), encrypt(credentials, readOrCreateSecret(userDir)))
  }
  return userDir
}

/** The key that encrypts the demo's credentials, because users may enter the credentials of a real account. */
export function readOrCreateSecret(userDir: string): string {
  const file = join(userDir, 'credential-secret')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

/** Encrypts a credentials file as Node-RED does, because it warns at the start about one that is not encrypted. */
function encrypt(credentials: string, secret: string): string {
  const vector = randomBytes(16)
  const cipher = createCipheriv('aes-256-ctr', createHash('sha256').update(secret).digest(), vector)
  return JSON.stringify({
    $: vector.toString('hex') + cipher.update(credentials, 'utf8', 'base64') + cipher.final('base64'),
  })
}
