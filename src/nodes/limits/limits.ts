import type { NodeAPI, NodeDef } from 'node-red'
import { EnvlogError } from '../../lib/errors'
import { findAccountNode } from '../kit/action/account-node'
import type { LimitsNode } from '../kit/limits/limits-node'
import type { PlantAlarms } from '../kit/limits/plant-alarms'
import { deleteStateOfRemovedNode } from '../kit/state/removed-nodes'

/** What to call when a deploy is complete, for each list. */
const onDeployed = new Set<() => void>()
let isListening = false

/**
 * envlog-limits: the limits of a plant and the one list of its alarms, for all nodes that use it. The list is opened when
 * the first of them does.
 */
export = (RED: NodeAPI): void => {
  function LimitsNodeConstructor(this: LimitsNode, config: NodeDef & { account: string }) {
    RED.nodes.createNode(this, config)
    let alarms: PlantAlarms | undefined
    let isDeploying = true
    const endDeploy = () => {
      isDeploying = false
      alarms?.endDeploy()
    }
    onDeployed.add(endDeploy)
    const accountNode = () => findAccountNode(RED, config.account)
    this.acquire = (user) => {
      const opened = accountNode()?.acquire(user, this)
      if (!opened) throw new EnvlogError('no-account')
      const { PlantAlarms } =
        require('../kit/limits/plant-alarms') as typeof import('../kit/limits/plant-alarms')
      if (alarms) return alarms
      alarms = new PlantAlarms(RED, this, config, opened)
      if (!isDeploying) alarms.endDeploy()
      return alarms
    }
    this.release = (user) => {
      delete accountNode()?.users[user.id]
    }
    this.read = async () => {
      const { LimitRows } = require('../kit/limits/limit-rows') as typeof import('../kit/limits/limit-rows')
      return new LimitRows(RED, this, config).readForReport()
    }
    this.usualPause = () => alarms?.monitor.usualPause ?? 0
    this.on('close', (removed: boolean, done: () => void) => {
      onDeployed.delete(endDeploy)
      const close = async () => {
        await alarms?.close()
        if (removed) deleteStateOfRemovedNode(RED, this.id)
      }
      close().then(done, done)
    })
  }
  // One listener for all of them, because Node-RED would warn of many.
  if (!isListening)
    RED.events.on('flows:started', () => {
      for (const endDeploy of onDeployed) endDeploy()
    })
  isListening = true
  RED.nodes.registerType('envlog-limits', LimitsNodeConstructor as never)
}
