import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../../src/lib/clock'
import { NodeState } from '../../../../src/lib/collect/node-state'
import type { EnvlogError } from '../../../../src/lib/errors'
import { createFileStore, removeStateFile } from '../../../../src/nodes/kit/state/file-store'
import { createVirtualClock } from '../../../support/clock'
import { temporaryFolder } from '../../../support/run'

/** The module, as another process loads it. */
function loadAgain(): { createFileStore: typeof createFileStore } {
  const path = require.resolve('../../../../src/nodes/kit/state/file-store')
  delete require.cache[path]
  return require(path)
}

describe('the state of a node in a file', () => {
  const open = (userDir: string, id = 'a1b2', onMissing: () => void = () => assert.fail('missing')) =>
    createFileStore(userDir, id, onMissing)

  it('is what was saved last, readable only for its user', async () => {
    const userDir = temporaryFolder('file-store')
    const store = open(userDir)
    assert.equal(await store.load(), undefined)
    for (const text of ['{"version":1}', '{"version":1,"more":true}']) await store.save(text)
    assert.deepEqual(await open(userDir).load(), { version: 1, more: true })
    const folder = join(userDir, 'envlog')
    for (const path of [folder, join(folder, 'a1b2.json')]) assert.equal(statSync(path).mode & 0o077, 0)
    assert.deepEqual(readdirSync(folder), ['a1b2.json'])
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

  it('is written after ten minutes although an earlier write never ends, and stays if that one ends after all', async () => {
    const promises = require('node:fs/promises')
    const { writeFile } = promises
    const clock = createVirtualClock()
    const store = createFileStore(temporaryFolder('file-store'), 'a1b2', () => {}, clock)
    let release = () => {}
    const hangs = new Promise<void>((resolve) => {
      promises.writeFile = async (...args: unknown[]) => {
        promises.writeFile = writeFile
        resolve()
        await new Promise<void>((end) => {
          release = end
        })
        return writeFile(...args)
      }
    })
    const first = store.save('1')
    await hangs
    const second = store.save('2')
    clock.advance(600_000)
    await second
    release()
    await first
    assert.equal(await store.load(), 2)
  })

  it('stays unchanged if the next one cannot be written', async () => {
    const userDir = temporaryFolder('file-store')
    // Only the name of the new file is too long, even for root.
    const id = 'a'.repeat(240)
    const file = join(userDir, 'envlog', `${id}.json`)
    mkdirSync(join(userDir, 'envlog'))
    writeFileSync(file, '{"version":1}')
    await assert.rejects(open(userDir, id).save('{"version":2}'))
    assert.equal(readFileSync(file, 'utf8'), '{"version":1}')
  })

  it('leaves nothing behind that fills the disk if it cannot be written', async () => {
    const userDir = temporaryFolder('file-store')
    mkdirSync(join(userDir, 'envlog', 'a1b2.json', 'a folder'), { recursive: true })
    await assert.rejects(open(userDir).save('{}'))
    assert.deepEqual(readdirSync(join(userDir, 'envlog')), ['a1b2.json'])
  })

  it('is complete even if another process writes to the same file', async () => {
    const userDir = temporaryFolder('file-store')
    const stores = [loadAgain(), loadAgain()].map(({ createFileStore: create }) =>
      create(userDir, 'a1b2', () => {}),
    )
    const texts = ['1', '2'].map((digit) => digit.repeat(200_000))
    for (let times = 0; times < 5; times++) {
      await Promise.all(stores.map((store, index) => store.save(texts[index] as string)))
      const text = readFileSync(join(userDir, 'envlog', 'a1b2.json'), 'utf8')
      assert.ok(texts.includes(text), `${text.length}`)
    }
    assert.deepEqual(readdirSync(join(userDir, 'envlog')), ['a1b2.json'])
  })

  it('is reported as missing if there is none, even by the first node of a user directory', async () => {
    const nodeState = new NodeState(systemClock)
    let reports = 0
    nodeState.open(
      open(temporaryFolder('file-store'), 'a1b2', () => reports++),
      { sendsOnlyNew: true },
    )
    await nodeState.ready()
    assert.equal(reports, 1)
  })

  it('names its file if it cannot be read', async () => {
    const userDir = temporaryFolder('file-store')
    const place = join(userDir, 'envlog', 'a1b2.json')
    mkdirSync(place, { recursive: true })
    const nodeState = new NodeState(systemClock)
    nodeState.open(open(userDir))
    await assert.rejects(nodeState.ready(), ({ reason, params }: EnvlogError) => {
      assert.deepEqual([reason, params], ['store-unreadable', { place, detail: 'EISDIR' }])
      return true
    })
  })

  it('is not treated as missing if it may not be read', async () => {
    const promises = require('node:fs/promises')
    const { readFile } = promises
    const nodeState = new NodeState(systemClock)
    const store = open(temporaryFolder('file-store'))
    try {
      promises.readFile = async () => {
        throw Object.assign(new Error('permission denied'), { code: 'EACCES' })
      }
      nodeState.open(store, { sendsOnlyNew: true })
      await assert.rejects(nodeState.ready(), ({ reason, params }: EnvlogError) => {
        assert.deepEqual([reason, params], ['store-unreadable', { place: store.place, detail: 'EACCES' }])
        return true
      })
    } finally {
      promises.readFile = readFile
    }
  })

  it('is removed with the node, if it exists, and with what a killed process has left of it', async () => {
    const userDir = temporaryFolder('file-store')
    await removeStateFile(userDir, 'a1b2')
    for (const id of ['a1b2', 'a1b2.json']) await open(userDir, id).save('{}')
    writeFileSync(join(userDir, 'envlog', 'a1b2.json.0f0f.new'), '{"ver')
    await removeStateFile(userDir, 'a1b2')
    assert.deepEqual(readdirSync(join(userDir, 'envlog')), ['a1b2.json.json'])
  })
})
