import { randomBytes } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
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
    copyFileSync(join(root, 'demo', 'flow_cred.json'), join(userDir, 'flows_cred.json'))
  }
  return userDir
}

/** The key that encrypts the demo's credentials, because users may enter the credentials of a real account. */
export function readOrCreateSecret(userDir: string): string {
  const file = join(userDir, 'credential-secret')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}
