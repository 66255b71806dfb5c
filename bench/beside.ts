/**
 * The longest stops of the event loop in a Node-RED that has more to do: the package's wall display, open in a browser,
 * and its example that publishes every channel to an MQTT broker; both ask once a second. Measured without and with
 * rounds of a node that polls many devices. Before each measurement all devices get new readings.
 */
import type { Simulator } from '../simulator'
import { startBroker } from '../test/support/broker'
import { launchChromium } from '../test/support/editor/chromium'
import { filledIn, neededBy } from '../test/support/examples'
import type { FlowNode } from '../test/support/node-red'
import { WallDisplay } from '../test/support/wall-display'
import { accountIdOf, ourFlow, pollTarget, triggerOf } from './flows'
import { withServices } from './measure'
import { startBenchNodeRed } from './node-red'
import type { OpenService } from './services'

const WALL = 'Dashboard - needs @flowfuse node-red-dashboard/wall display'
const MQTT = 'MQTT/a topic per channel'
const MINUTE = 60_000
const WARM_UP = 5
const ROUNDS = 10

export interface Beside {
  /** ms in a second each, of the two flows alone */
  alone: number[]
  /** ms in a round of 500 devices with 3 new records each, beside them */
  polling: number[]
}

export const measureBeside = (): Promise<Beside> =>
  withServices(['poll-500', 'current-10'], async ([polled, shown], advance) => {
    if (!polled || !shown) throw new Error('no service')
    const [broker, browser] = await Promise.all([startBroker(), launchChromium()])
    const target = pollTarget('poll-500', polled)
    const others = examples(shown, broker.node)
    const nodeRed = await startBenchNodeRed(
      [...ourFlow([target]), aSecond, ...others.flow],
      { [accountIdOf(target)]: polled.login, ...others.credentials },
      { palette: [String(neededBy(WALL))] },
    )
    try {
      await WallDisplay.open(browser, await nodeRed.url())
      const stopOf = async (node: string, messages: number) => {
        await advance(3 * MINUTE)
        return (await nodeRed.call({ node, messages, collect: false })).stop
      }
      const round = () => stopOf(triggerOf(target.one), target.devices + 1)
      const pause = () => stopOf(aSecond.id, 1)
      const found: Beside = { alone: [], polling: [] }
      for (let time = -WARM_UP; time < ROUNDS; time++) {
        const [polling, alone] = [await round(), await pause()]
        if (time < 0) continue
        found.polling.push(polling)
        found.alone.push(alone)
      }
      return found
    } finally {
      await nodeRed.stop()
      await Promise.all([browser.close(), broker.close()])
    }
  })

const aSecond: FlowNode = {
  id: 'a-second',
  type: 'delay',
  pauseType: 'delay',
  timeout: '1',
  timeoutUnits: 'seconds',
  z: 'tab',
  x: 100,
  y: 100,
  wires: [['sink']],
}

/** The two examples; a Node-RED reads credentials from a file of their own. */
function examples({ url, login }: OpenService, broker: FlowNode) {
  const nodes = filledIn([WALL, MQTT], { simulator: { url, account: login } as Simulator, broker })
  const credentials = Object.fromEntries(
    nodes.flatMap(({ id, credentials: secret }) => (secret ? [[id, secret as object]] : [])),
  )
  return { flow: nodes.map(({ credentials: _, ...node }) => node as FlowNode), credentials }
}
