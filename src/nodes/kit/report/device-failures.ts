import type { Node, NodeAPI, NodeMessage } from 'node-red'
import type { AccountDevices } from '../../../lib/collect/account-devices'
import type { DeviceFailure } from '../../../lib/collect/devices'
import type { NodeState } from '../../../lib/collect/node-state'
import type { EnvlogError } from '../../../lib/errors'
import { localizeError } from './localize'

interface FailurePorts {
  RED: NodeAPI
  node: Node
  /** The message of the trigger. */
  msg: NodeMessage
  devices: AccountDevices
  nodeState: NodeState
}

/** Reports failures of single devices to Catch nodes, with the trigger's message and the device in `msg.envlog`. */
export class DeviceFailures {
  readonly #ports: FailurePorts

  constructor(ports: FailurePorts) {
    this.#ports = ports
  }

  /** Unreadable parts of a response are reported once per device. */
  report(failure: DeviceFailure): void {
    const { RED, node, msg, nodeState } = this.#ports
    const { device, error } = failure
    const isRepeated = 'serial' in device && error.reason === 'reply-left-out'
    if (isRepeated && !nodeState.isFirstReport(device, 'unreadable')) return
    const reported = RED.util.cloneMessage({ ...msg, envlog: { device: { ...device } } } as never)
    node.error(localizeError(RED, this.errorOf(failure)), reported)
  }

  /** The error of a device; its text begins with the device unless it already names it. */
  errorOf({ device, error }: DeviceFailure): EnvlogError {
    if (!('serial' in device) || error.subject || error.reason === 'device-unknown') return error
    return error.about({ serial: device.serial, name: this.#ports.devices.nameOf(device) })
  }
}
