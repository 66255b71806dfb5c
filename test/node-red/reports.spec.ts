import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { manualClock, type Simulator, startSimulator } from '../../simulator'
import { defaultsOf } from '../support/built'
import { accountNode } from '../support/e2e-flow'
import { type FlowNode, type NodeRed, type StartOptions, startNodeRed } from '../support/node-red'
import { firstRuntime } from '../support/runtimes'
import { until } from '../support/wait'

const STARTING_MS = 120_000
const RUN_MS = 60_000
const MADE_MS = 20_000
const at = (text: string) => Date.parse(text)

describe('reports that are made by themselves', () => {
  let simulator: Simulator
  let nodeRed: NodeRed
  const options: StartOptions = { now: at('2026-11-20T12:00Z'), speed: 10 }

  before('starts Node-RED', async function () {
    this.timeout(STARTING_MS)
    simulator = await startSimulator({
      ...{ clock: manualClock(at('2026-11-24T00:00Z')), limits: 'off' },
      fleet: [
        { serial: '52A10001', name: 'Freezer', records: { interval: 600, from: at('2026-11-19Z') / 1000 } },
      ],
    })
    nodeRed = await startNodeRed(firstRuntime, options)
  })
  after('ends Node-RED', async () => {
    await nodeRed?.stop('SIGKILL')
    await simulator?.close()
  })

  const flow = (): FlowNode[] => {
    const place = { z: 'tab', x: 100, y: 100 }
    const rules = [{ t: 'set', p: 'filename', pt: 'msg', to: '"reports/" & filename', tot: 'jsonata' }]
    return [
      { id: 'tab', type: 'tab', label: 'reports' },
      accountNode(simulator, { timeZone: 'UTC' }),
      {
        ...{ id: 'report', type: 'envlog-report', ...defaultsOf('envlog-report'), account: 'account' },
        ...{ every: 'day', at: '00:00', wires: [['name'], []], ...place },
      },
      { id: 'name', type: 'change', rules, wires: [['file']], ...place },
      {
        ...{ id: 'file', type: 'file', filename: 'filename', filenameType: 'msg', createDir: true },
        ...{ overwriteFile: 'true', encoding: 'none', wires: [[]], ...place },
      },
    ]
  }

  /** The days of the reports, in the order in which they were made. */
  const made = () => {
    try {
      const names = readdirSync(join(nodeRed.userDir, 'reports'))
      const madeAt = (name: string) => name.split('-made-')[1] ?? ''
      return names
        .toSorted((a, b) => (madeAt(a) < madeAt(b) ? -1 : 1))
        .map((name) => /\d{4}-\d\d-\d\d/.exec(name)?.[0])
    } catch {
      return []
    }
  }

  it('exist once for each day, over a kill, and days on which Node-RED was off', async function () {
    this.timeout(RUN_MS)
    await nodeRed.deploy(flow())
    await until('its state', () => saved() !== '', MADE_MS)
    for (const [now, last] of [
      ['2026-11-21T00:10Z', '2026-11-20'],
      ['2026-11-23T12:00Z', '2026-11-22'],
      ['2026-11-24T00:10Z', '2026-11-23'],
    ] as const) {
      await nodeRed.stop('SIGKILL')
      options.now = at(now)
      await nodeRed.start()
      // Killed in the moment in which it is sent, a report would be made again.
      await until(`the report of ${last}`, () => saved().includes(last), MADE_MS)
    }
    // None of the time before the deploy, and each once.
    assert.deepEqual(made(), ['2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23'])
  })

  const stateFile = () => join(nodeRed.userDir, 'envlog', 'report.json')
  const saved = () => (existsSync(stateFile()) ? readFileSync(stateFile(), 'utf8') : '')
})
