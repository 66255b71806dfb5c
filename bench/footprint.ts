/**
 * What the installed package costs all day: resident memory of a whole Node-RED after its first poll of 10 devices, over
 * a Node-RED without the package, and the size of the run-time dependencies.
 */
import { join } from 'node:path'
import { packageJson, root, weightOf } from '../test/support/package'
import { median } from './figures'
import { accountIdOf, type OurTarget, ourFlow, triggerOf } from './flows'
import { withServices } from './measure'
import { startBenchNodeRed } from './node-red'

const TIMES = 5
const POLLED = 10

export interface Footprint {
  /** MB resident over a Node-RED without the package: with deployed nodes, and after the first poll */
  deployed: number
  polled: number
  /** MB of the run-time dependencies on disk */
  dependencies: number
}

export const measureFootprint = (): Promise<Footprint> =>
  withServices(['poll-10'], async ([service]) => {
    if (!service) throw new Error('no service')
    const target: OurTarget = {
      one: { id: 'first-poll', type: 'envlog-latest', settings: { select: 'all' } },
      service,
    }
    const runs: { deployed: number; polled: number }[] = []
    for (let run = 0; run < TIMES; run++) runs.push(await measureOnce(target))
    return {
      deployed: median(runs.map(({ deployed }) => deployed)),
      polled: median(runs.map(({ polled }) => polled)),
      dependencies: await weighDependencies(),
    }
  })

async function measureOnce(target: OurTarget) {
  const empty = [{ id: 'tab', type: 'tab', label: 'idle' }]
  const without = await startBenchNodeRed(empty, {}, { hasPackage: false })
  const idle = await without.idle()
  await without.stop()
  const login = { [accountIdOf(target)]: target.service.login }
  const nodeRed = await startBenchNodeRed(ourFlow([target]), login)
  const deployed = (await nodeRed.idle()) - idle
  await nodeRed.call({ node: triggerOf(target.one), messages: POLLED + 1, collect: false })
  const polled = (await nodeRed.idle()) - idle
  await nodeRed.stop()
  return { deployed, polled }
}

async function weighDependencies(): Promise<number> {
  const folders = Object.keys(packageJson.dependencies).map((name) => join(root, 'node_modules', name))
  const weights = await Promise.all(folders.map(weightOf))
  return weights.reduce((sum, weight) => sum + weight, 0) / 1e6
}
