import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Simulator, startSimulator } from '../../simulator'
import { defaultsOf } from '../support/built'
import { accountNode, position } from '../support/e2e-flow'
import type { FlowNode } from '../support/node-red'
import { type Restarting, startRestarting } from '../support/restarting'
import { until } from '../support/wait'

const STARTING_MS = 60_000
const DEVICE = '52A10001'

describe('Node-RED with its default settings, which name no context store', function () {
  this.timeout(STARTING_MS)
  let simulator: Simulator
  let nodeRed: Restarting

  before('starts', async () => {
    const from = Math.floor(Date.now() / 1000) - 6000
    simulator = await startSimulator({
      limits: 'off',
      fleet: [{ serial: DEVICE, name: 'Freezer', records: { interval: 60, from } }],
    })
    nodeRed = await startRestarting()
  })
  after('ends', async () => {
    await nodeRed?.kill()
    await simulator?.close()
  })

  const node = (id: string, type: string, more: object): FlowNode => ({
    id,
    type,
    z: 'tab',
    ...position,
    ...more,
  })

  function flow(): FlowNode[] {
    return [
      { id: 'tab', type: 'tab', label: 'restart' },
      accountNode(simulator),
      node('go', 'inject', {
        props: [{ p: 'payload' }],
        payload: 'done',
        payloadType: 'str',
        wires: [['latest']],
      }),
      node('latest', 'envlog-latest', {
        ...defaultsOf('envlog-latest'),
        account: 'account',
        advance: 'sent',
        start: 'all',
        output: 'rows',
        send: 'device',
        wires: [['sink']],
      }),
      node('sink', 'file', {
        filename: join(nodeRed.userDir, 'sink'),
        filenameType: 'str',
        overwriteFile: 'false',
        appendNewline: true,
        wires: [[]],
      }),
      node('ended', 'complete', { scope: ['latest'], wires: [['done']] }),
      node('done', 'file', {
        filename: join(nodeRed.userDir, 'done'),
        filenameType: 'str',
        overwriteFile: 'false',
        appendNewline: true,
        wires: [[]],
      }),
    ]
  }

  const linesOf = (name: string) => {
    const file = join(nodeRed.userDir, name)
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }
  const numbers = () =>
    linesOf('sink').flatMap((line) => JSON.parse(line).map((row: { dataid: number }) => row.dataid))

  async function trigger(): Promise<void> {
    const { length } = linesOf('done')
    await nodeRed.inject('go')
    await until('the trigger has completed', () => linesOf('done').length > length)
  }

  it('sends nothing twice and loses nothing when restarted, and forgets a deleted node', async () => {
    await nodeRed.deploy(flow())
    await trigger()
    await nodeRed.end()
    await nodeRed.start()
    await trigger()
    const all = numbers()
    assert.ok(all.length >= 100, `${all.length}`)
    assert.deepEqual(
      all,
      Array.from(all.keys(), (index) => all[0] + index),
    )
    const file = join(nodeRed.userDir, 'envlog', 'latest.json')
    assert.ok(existsSync(file))
    await nodeRed.deploy([])
    await until('the file is removed', () => !existsSync(file))
  })
})
