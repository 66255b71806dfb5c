import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFileStore, removeStateFile } from '../../../../src/nodes/kit/state/file-store'
import { temporaryFolder } from '../../../support/run'

describe('the state of a node in a file', () => {
  const open = (userDir: string, id = 'a1b2', onMissing: () => void = () => assert.fail('missing')) =>
    createFileStore(userDir, id, onMissing)

  it('is what was saved last, readable only for its user', async () => {
    const userDir = temporaryFolder('file-store')
    const store = open(userDir)
    assert.equal(await store.load(), undefined)
    for (const text of ['{"version":1}', '{"version":1,"more":true}']) await store.save(text)
    assert.deepEqual(await open(userDir).load(), { version: 1, more: true })
    const file = join(userDir, 'envlog', 'a1b2.json')
    assert.equal(statSync(file).mode & 0o077, 0)
    assert.deepEqual(readdirSync(join(userDir, 'envlog')), ['a1b2.json'])
  })

  it('has a separate file for every id', async () => {
    const userDir = temporaryFolder('file-store')
    for (const id of ['a', '../a', 'a/b', '..']) await open(userDir, id).save(JSON.stringify({ id }))
    for (const id of ['a', '../a', 'a/b', '..']) assert.deepEqual(await open(userDir, id).load(), { id })
    assert.deepEqual(readdirSync(userDir), ['envlog'])
  })

  it('is not treated as empty if it is damaged: a file of length 0, or other text', async () => {
    const userDir = temporaryFolder('file-store')
    await open(userDir).save('{}')
    for (const text of ['', 'null', '{"ver']) {
      writeFileSync(join(userDir, 'envlog', 'a1b2.json'), text)
      assert.equal(await open(userDir).load(), text)
    }
  })

  it('is that of the later of two simultaneous writes by successive nodes', async () => {
    const userDir = temporaryFolder('file-store')
    await Promise.all([
      open(userDir).save('{"version":1}'.padEnd(100_000)),
      open(userDir).save('{"version":2}'),
    ])
    assert.deepEqual(await open(userDir).load(), { version: 2 })
  })

  it('stays unchanged if the next one cannot be written', async () => {
    const userDir = temporaryFolder('file-store')
    await open(userDir).save('{"version":1}')
    // Blocks the new file, even for root.
    mkdirSync(join(userDir, 'envlog', 'a1b2.json.new'))
    await assert.rejects(open(userDir).save('{"version":2}'))
    assert.equal(readFileSync(join(userDir, 'envlog', 'a1b2.json'), 'utf8'), '{"version":1}')
  })

  it('is reported as missing if other nodes have theirs', async () => {
    const userDir = temporaryFolder('file-store')
    await open(userDir, 'other').save('{}')
    await new Promise<void>((resolve) => open(userDir, 'a1b2', resolve).onMissing?.())
    open(temporaryFolder('file-store')).onMissing?.()
  })

  it('is removed with the node, if it exists', async () => {
    const userDir = temporaryFolder('file-store')
    await removeStateFile(userDir, 'a1b2')
    await open(userDir).save('{}')
    await removeStateFile(userDir, 'a1b2')
    assert.equal(existsSync(join(userDir, 'envlog', 'a1b2.json')), false)
  })
})
