import type { Account } from '../../../lib/account'
import type { DeviceFailure } from '../../../lib/collect/devices'
import type { EnvlogError } from '../../../lib/errors'
import type { ActionType } from '../../../shared/action'
import type { RunContext } from '../action/run-context'
import { localizeError } from './localize'

/**
 * Reports the failure of a single device to Catch nodes, with the trigger's message and the device in `msg.envlog`.
 * Unreadable parts of a response are reported once per device.
 */
export function reportFailure<T extends ActionType>(context: RunContext<T>, failure: DeviceFailure): void {
  const { RED, node, trigger, account, nodeState } = context
  const { device, error } = failure
  const isRepeated = 'serial' in device && error.reason === 'reply-left-out'
  if (isRepeated && !nodeState.isFirstReport(device, 'unreadable')) return
  const msg = RED.util.cloneMessage({ ...trigger.msg, envlog: { device: { ...device } } } as never)
  node.error(localizeError(RED, nameDevice(account, failure)), msg)
}

/** The error with the device at the beginning of its text, unless the text already contains the device. */
export function nameDevice({ devices }: Account, { device, error }: DeviceFailure): EnvlogError {
  if (!('serial' in device) || error.subject || error.reason === 'device-unknown') return error
  return error.about({ serial: device.serial, name: devices.nameOf(device) })
}
