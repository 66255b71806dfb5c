import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConnector } from '../../../../src/lib/shared-quota/redis-connection'
import { temporaryFolder } from '../../../support/run'

describe('the client library of a shared quota', () => {
  it('is found in the user directory, also if the package is elsewhere', async () => {
    const userDir = temporaryFolder('user-dir')
    const folder = join(userDir, 'node_modules', 'redis')
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'index.js'),
      `exports.createClient = () => ({ on() {}, async connect() {}, async eval() { return 'from there' }, destroy() {} })`,
    )
    const connection = createConnector('redis://127.0.0.1:1', '', userDir)()
    assert.equal(await connection.run('', [], ''), 'from there')
    connection.end()
  })
})
