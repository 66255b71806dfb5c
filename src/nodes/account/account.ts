import type { NodeAPI } from 'node-red'
import { registerAdmin } from './admin/routes'
import { registerAccount } from './open-account'

/** envlog-account: one login at the service, shared by the action nodes. */
export = (RED: NodeAPI): void => {
  registerAccount(RED)
  registerAdmin(RED)
}
