import type { NodeAPI, NodeDef } from 'node-red'
import { EnvlogError } from '../../lib/errors'
import { findAccountNode } from '../kit/action/account-node'
import type { LimitsNode } from '../kit/limits/limits-node'
import type { PlantAlarms } from '../kit/limits/plant-alarms'
import { deleteStateOfRemovedNode } from '../kit/state/removed-nodes'

/**
 * envlog-limits: the limits of a plant and the one list of its alarms, for all nodes that use it. The list is opened when
 * the first of them does.
 */
export = (RED: NodeAPI): void => {
  function LimitsNodeConstructor(this: LimitsNode, config: NodeDef & { account: string }) {
    RED.nodes.createNode(this, config)
    let alarms: PlantAlarms | undefined
    const accountNode = () => findAccountNode(RED, config.account)
    this.acquire = (user) => {
      const opened = accountNode()?.acquire(user, this)
      if (!opened) throw new EnvlogError('no-account')
      const { PlantAlarms } =
        require('../kit/limits/plant-alarms') as typeof import('../kit/limits/plant-alarms')
      alarms ??= new PlantAlarms(RED, this, config, opened)
      return alarms
    }
    this.release = (user) => {
      delete accountNode()?.users[user.id]
    }
    this.read = async () => {
      const { LimitRows } = require('../kit/limits/limit-rows') as typeof import('../kit/limits/limit-rows')
      const rows = new LimitRows(RED, this, config)
      return { limits: await rows.read(), silentAfter: rows.settings.silentAfter }
    }
    this.usualPause = () => alarms?.monitor.usualPause ?? 0
    this.on('close', (removed: boolean, done: () => void) => {
      const close = async () => {
        await alarms?.close()
        if (removed) deleteStateOfRemovedNode(RED, this.id)
      }
      close().then(done, done)
    })
  }
  RED.nodes.registerType('envlog-limits', LimitsNodeConstructor as never)
}
